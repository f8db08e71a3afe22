//! `queue`: what runs and what waits.

use std::process::ExitCode;

use clap::Args;
use orchestra_api::QueueList;
use orchestra_engine::Work;

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
    if context.printer.json {
        let queue = queue.iter().map(|work| wire::work(context, work)).collect();
        context.printer.json(&QueueList { seq, queue });
        return Ok(ExitCode::SUCCESS);
    }
    if queue.is_empty() {
        context.printer.note("nothing runs and nothing waits");
        return Ok(ExitCode::SUCCESS);
    }
    let mut rows = table::Table::new(&["SESSION", "NAME", "WHAT", "STATE", "SINCE"]);
    for work in &queue {
        let name = context.engine.session(work.session())?.session.name;
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
