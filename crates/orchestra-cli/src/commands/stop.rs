//! `stop`: stop what runs.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use orchestra_api::Answered;
use orchestra_core::status::Outcome;
use orchestra_core::{Iteration, Progress};
use orchestra_engine::{Control, EngineError};

use crate::Done;
use crate::context::Context;

/// Stop what runs in a session; the work is kept
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// End it at once instead of asking it to stop
    #[arg(long)]
    now: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    let id = &view.session.id;
    let control = if arguments.now {
        Control::Kill
    } else {
        Control::Stop
    };
    let stopped = match context.engine.stop(id, control) {
        Err(EngineError::WrongState { .. }) if context.engine.stop_scripts(id, control)? > 0 => {
            context.printer.note("asked its scripts to stop");
            return Ok(ExitCode::SUCCESS);
        }
        other => other?,
    };
    let grace = context.engine.settings().settings.core.stop_grace + Duration::from_secs(30);
    context.engine.wait_until_at_rest(id, Some(grace))?;
    let iteration = context.engine.iteration(id, stopped.number)?;
    if context.printer.json {
        context.printer.json(&Answered {
            session: id.clone(),
            iteration: (&iteration).into(),
        });
    } else if iteration.progress.is_finished() {
        context.printer.line(format!(
            "iteration {} of {id} {}; its work is kept",
            iteration.number,
            ended_as(&iteration)
        ));
    } else {
        context.printer.line(format!(
            "iteration {} of {id} was asked to stop and has not ended yet",
            iteration.number
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// It may have ended by itself before the request reached it.
fn ended_as(iteration: &Iteration) -> String {
    match iteration.progress {
        Progress::Finished(Outcome::Stopped) => "is stopped".to_owned(),
        Progress::Finished(outcome) => format!("had ended already: {}", outcome.name()),
        Progress::Queued | Progress::Agent | Progress::Commit | Progress::Script => {
            "goes on".to_owned()
        }
    }
}
