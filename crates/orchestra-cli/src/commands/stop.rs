//! `stop`: stop what runs.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use orchestra_core::status::Outcome;
use orchestra_core::{Iteration, Progress, ScriptResult, ScriptRun};
use orchestra_engine::{Control, Work};

use crate::Done;
use crate::context::Context;
use crate::error::CliError;
use crate::render::summary;
use orchestra_server::wire;

/// Stop what runs in a session; the work is kept
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stop login
  stop login --now                does not ask first")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// End it at once instead of asking it to stop
    #[arg(long)]
    now: bool,
}

/// How long nothing is said about the end that has yet to come.
const SILENT: Duration = Duration::from_secs(3);
/// How long a runner may take beyond what it gives the agent.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    let id = &view.session.id;
    let control = if arguments.now {
        Control::Kill
    } else {
        Control::Stop
    };
    let stopped = context.engine.stop(id, control)?;
    wait_for_end(context, &stopped)?;
    match stopped {
        Work::Iteration(asked) => {
            let now = context.engine.iteration(id, asked.number)?;
            report_iteration(context, &now, asked.progress)?;
        }
        Work::Script(run) => report_script(context, &context.engine.script_run(run.key)?)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Whoever waits longer than a moment is told for what.
fn wait_for_end(context: &Context, stopped: &Work) -> Result<(), CliError> {
    let (engine, id) = (&context.engine, stopped.session());
    if engine.wait_until_at_rest(id, Some(SILENT))? {
        return Ok(());
    }
    let (what, runner) = match stopped {
        Work::Iteration(iteration) => {
            let now = engine.iteration(id, iteration.number)?;
            (format!("iteration {}", now.number), now.runner)
        }
        Work::Script(run) => (format!("the {}", summary::script_name(run)), run.runner),
    };
    let runner = runner.map_or_else(String::new, |runner| {
        format!(", which process {} runs", runner.pid)
    });
    let longest = engine.settings().settings.core.stop_grace + PATIENCE;
    context.printer.note(format!(
        "waiting for {what} of {id} to end{runner}; at most {} s more",
        longest.as_secs()
    ));
    engine.wait_until_at_rest(id, Some(longest))?;
    Ok(())
}

/// `asked` is what it was at when it was asked to stop.
fn report_iteration(
    context: &Context,
    iteration: &Iteration,
    asked: Progress,
) -> Result<(), CliError> {
    if context.printer.json {
        context
            .printer
            .json(&wire::iteration(&context.engine, iteration)?);
        return Ok(());
    }
    let (id, number) = (&iteration.session, iteration.number);
    let is_stopped = iteration.progress == Progress::Finished(Outcome::Stopped);
    let where_it_waited = match asked {
        Progress::Parked(_) => "it waited for the agent's provider",
        _ => "it waited in the queue",
    };
    let how = if is_stopped && iteration.started_at.is_none() {
        format!("is stopped: {where_it_waited}, and its agent was not started")
    } else if is_stopped && matches!(asked, Progress::Parked(_)) {
        format!("is stopped: {where_it_waited}; its work is kept")
    } else if iteration.progress.is_finished() {
        format!("{}; its work is kept", ended_as(iteration))
    } else {
        "was asked to stop and has not ended yet".to_owned()
    };
    let line = format!("iteration {number} of {id} {how}");
    context.printer.line(line);
    Ok(())
}

fn report_script(context: &Context, run: &ScriptRun) -> Result<(), CliError> {
    if context.printer.json {
        context.printer.json(&wire::script(&context.engine, run)?);
        return Ok(());
    }
    let (id, script) = (&run.session, summary::script_name(run));
    let ended = match run.finished.map(|end| end.result) {
        Some(ScriptResult::Stopped) => "is stopped".to_owned(),
        Some(_) => {
            let wire = wire::script_run(&context.engine, run);
            format!("had ended already: {}", wire.state)
        }
        None => "was asked to stop and has not ended yet".to_owned(),
    };
    context
        .printer
        .line(format!("the {script} of {id} {ended}"));
    Ok(())
}

/// It may have ended by itself before the request reached it.
fn ended_as(iteration: &Iteration) -> String {
    match iteration.progress {
        Progress::Finished(Outcome::Stopped) => "is stopped".to_owned(),
        Progress::Finished(outcome) => format!("had ended already: {}", outcome.name()),
        Progress::Queued
        | Progress::Agent
        | Progress::Parked(_)
        | Progress::Commit
        | Progress::Script => "goes on".to_owned(),
    }
}
