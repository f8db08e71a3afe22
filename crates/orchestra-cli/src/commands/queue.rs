//! `queue`: who runs and who waits.

use std::process::ExitCode;

use clap::Args;
use orchestra_api::Answered;

use crate::Done;
use crate::context::Context;
use crate::render::{table, time};

/// Iterations that wait or run
#[derive(Debug, Args)]
pub(crate) struct Arguments {}

pub(crate) fn run(context: &Context, _arguments: &Arguments) -> Done {
    let queue = context.engine.queue()?;
    if context.printer.json {
        let rows: Vec<Answered> = queue
            .iter()
            .map(|iteration| Answered {
                session: iteration.session.clone(),
                iteration: iteration.into(),
            })
            .collect();
        context.printer.json(&serde_json::json!({ "queue": rows }));
        return Ok(ExitCode::SUCCESS);
    }
    if queue.is_empty() {
        context.printer.note("nothing runs and nothing waits");
        return Ok(ExitCode::SUCCESS);
    }
    let mut rows = table::Table::new(&["SESSION", "NAME", "ITERATION", "STATE", "SINCE"]);
    for iteration in &queue {
        let name = context.engine.session(&iteration.session)?.session.name;
        let wire = orchestra_api::Iteration::from(iteration);
        rows.add([
            iteration.session.to_string(),
            name.to_string(),
            iteration.number.to_string(),
            wire.state.to_owned(),
            time::ago(iteration.started_at.unwrap_or(iteration.queued_at)),
        ]);
    }
    context.printer.line(rows);
    Ok(ExitCode::SUCCESS)
}
