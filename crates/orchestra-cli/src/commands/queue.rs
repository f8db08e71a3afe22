//! `queue`: what runs and what waits.

use std::process::ExitCode;

use clap::Args;
use orchestra_api::QueueList;
use orchestra_core::{Iteration, Progress, SessionStatus};
use orchestra_engine::{EngineError, SessionView, Work};

use crate::Done;
use crate::context::Context;
use crate::render::{summary, table};
use orchestra_server::{time, wire};

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
    let queue = queue
        .into_iter()
        .map(|work| Ok((context.engine.session(work.session())?, work)));
    let queue: Vec<(SessionView, Work)> = queue.collect::<Result<_, EngineError>>()?;
    if context.printer.json {
        let rows = queue.iter();
        let queue = rows.map(|(view, work)| wire::work(&context.engine, view, work));
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
    for (view, work) in &queue {
        let (what, state) = described(view, work);
        rows.add([
            work.session().to_string(),
            view.session.name.to_string(),
            what,
            state,
            time::ago(work.since()),
        ]);
    }
    context.printer.line(rows);
    Ok(ExitCode::SUCCESS)
}

/// Where an iteration stands that has to wait for a free slot.
pub(super) struct Place {
    /// How many run.
    pub(super) running: usize,
    /// How many wait before it.
    pub(super) waiting: usize,
}

/// `None` if there is a slot for it, or nobody can tell.
pub(super) fn place_of(context: &Context, iteration: &Iteration) -> Option<Place> {
    let queue = context.engine.queue().ok()?;
    let iterations = queue.iter().filter_map(|work| match work {
        Work::Iteration(other) => Some(other.as_ref()),
        Work::Script(_) => None,
    });
    let before: Vec<_> = iterations
        .take_while(|other| other.key != iteration.key)
        // What waits for its provider or its user has no slot.
        .filter(|other| !matches!(other.progress, Progress::Parked(_)))
        .filter(|other| !waits_for_user(context, other))
        .collect();
    let core = &context.engine.settings().settings.core;
    if before.len() < core.max_concurrent_sessions as usize {
        return None;
    }
    let is_waiting = |other: &&Iteration| other.progress == Progress::Queued;
    let waiting = before.iter().copied().filter(is_waiting).count();
    Some(Place {
        running: before.len() - waiting,
        waiting,
    })
}

fn waits_for_user(context: &Context, iteration: &Iteration) -> bool {
    let view = context.engine.session(&iteration.session);
    view.is_ok_and(|view| view.status == SessionStatus::AwaitingInput)
}

fn described(view: &SessionView, work: &Work) -> (String, String) {
    match work {
        Work::Iteration(iteration) => {
            let wire = orchestra_api::Iteration::from(iteration.as_ref());
            let state = match iteration.progress {
                Progress::Parked(parked) => format!("blocked{}", time::parked(parked)),
                _ if view.status == SessionStatus::AwaitingInput => view.status.to_string(),
                _ => wire.state.to_owned(),
            };
            (format!("iteration {}", iteration.number), state)
        }
        Work::Script(run) => (summary::script_name(run), "running".to_owned()),
    }
}
