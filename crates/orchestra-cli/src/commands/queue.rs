//! `queue`: what runs and what waits.

use std::process::ExitCode;

use clap::Args;
use orchestra_api::QueueList;
use orchestra_core::SessionName;
use orchestra_engine::{EngineError, Work};

use crate::Done;
use crate::context::Context;
use crate::render::{summary, table, time, wire};

/// What waits or runs: iterations and scripts
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  queue
  queue --json")]
pub(crate) struct Arguments {}

pub(crate) fn run(context: &Context, _arguments: &Arguments) -> Done {
    let seq = context.engine.last_seq()?;
    let queue = context.engine.queue()?;
    let queue = queue.into_iter().map(|work| {
        let name = context.engine.session(work.session())?.session.name;
        Ok((name, work))
    });
    let queue: Vec<(SessionName, Work)> = queue.collect::<Result<_, EngineError>>()?;
    if context.printer.json {
        let rows = queue.iter();
        let queue = rows.map(|(name, work)| wire::work(context, name, work));
        context.printer.json(&QueueList {
            seq,
            queue: queue.collect(),
        });
        return Ok(ExitCode::SUCCESS);
    }
    if queue.is_empty() {
        context.printer.note("nothing runs and nothing waits");
        return Ok(ExitCode::SUCCESS);
    }
    let mut rows = table::Table::new(&["SESSION", "NAME", "WHAT", "STATE", "SINCE"]);
    for (name, work) in &queue {
        let (what, state) = described(work);
        rows.add([
            work.session().to_string(),
            name.to_string(),
            what,
            state.to_owned(),
            time::ago(work.since()),
        ]);
    }
    context.printer.line(rows);
    Ok(ExitCode::SUCCESS)
}

fn described(work: &Work) -> (String, &'static str) {
    match work {
        Work::Iteration(iteration) => {
            let wire = orchestra_api::Iteration::from(iteration.as_ref());
            (format!("iteration {}", iteration.number), wire.state)
        }
        Work::Script(run) => (summary::script_name(run), "running"),
    }
}
