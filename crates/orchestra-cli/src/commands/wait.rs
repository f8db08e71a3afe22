//! `wait`: wait until nothing runs.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use orchestra_core::{ScriptRun, SessionId, visible_line};
use orchestra_engine::SessionView;

use super::{follow, new, run as script};
use crate::Done;
use crate::context::Context;
use crate::error::{CliError, FAILED};
use crate::render::summary;
use orchestra_server::wire;

/// How long nobody looks what it waits for.
const STEP: Duration = Duration::from_secs(1);

/// Wait until nothing runs in a session
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wait login
  wait login --timeout 10m

The exit code tells how what ran last went, as for `iterate` or `run`; 1 if the time was over first.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// Give up after this long, such as 10m
    #[arg(long, value_name = "TIME", value_parser = new::duration)]
    timeout: Option<Duration>,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    let id = &view.session.id;
    let at_rest = until_at_rest(context, id, arguments.timeout)?;
    let view = context.engine.session(id)?;
    if context.printer.json {
        context.printer.json(&wire::answer(&context.engine, id)?);
    }
    let ended = match last_script(context, &view)? {
        Some(run) => {
            if !context.printer.json {
                script::tell(context, &run);
            }
            script::exit_code(&run)
        }
        None => {
            let iteration = view.iteration.as_ref();
            iteration.inspect(|iteration| summary::iteration(context, iteration));
            match iteration {
                Some(iteration) => follow::exit_code_now(context, iteration)?,
                None => ExitCode::SUCCESS,
            }
        }
    };
    if at_rest {
        return Ok(ended);
    }
    context.printer.note(format!(
        "the time is over and it goes on\n  orchestra session attach {id}   follows it\n  orchestra session stop {id}     ends it"
    ));
    Ok(ExitCode::from(FAILED))
}

/// Waits, and says once per pause that the agent's provider makes it wait.
fn until_at_rest(
    context: &Context,
    id: &SessionId,
    longest: Option<Duration>,
) -> Result<bool, CliError> {
    let begun = Instant::now();
    let mut told = None;
    loop {
        let left = longest.map(|longest| longest.saturating_sub(begun.elapsed()));
        let step = left.map_or(STEP, |left| left.min(STEP));
        if context.engine.wait_until_at_rest(id, Some(step))? {
            return Ok(true);
        }
        if left.is_some_and(|left| left <= STEP) {
            return Ok(false);
        }
        let view = context.engine.session(id)?;
        if view.waits_while_running() {
            return Ok(true);
        }
        let parked = view.parked();
        if let Some(iteration) = view
            .iteration
            .filter(|_| parked.is_some() && parked != told)
        {
            let why = visible_line(iteration.message.as_deref().unwrap_or_default());
            let line = summary::iteration_line(&iteration);
            context.printer.note(format!("{line}: {why}"));
        }
        told = parked.or(told);
    }
}

/// The script that was started by hand after the last iteration, if there is one: it was the last to work.
fn last_script(context: &Context, view: &SessionView) -> Result<Option<ScriptRun>, CliError> {
    let runs = context.engine.script_runs(&view.session.id)?;
    let by_hand = |run: &ScriptRun| run.iteration.is_none() && run.server.is_none();
    let last = runs.into_iter().rfind(by_hand);
    let asked_at = view.iteration.as_ref().map(|iteration| iteration.queued_at);
    Ok(last.filter(|run| asked_at.is_none_or(|at| run.started_at > at)))
}
