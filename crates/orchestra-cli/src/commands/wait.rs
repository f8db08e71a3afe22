//! `wait`: wait until nothing runs.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use orchestra_core::ScriptRun;

use super::{follow, new, run as script};
use crate::Done;
use crate::context::Context;
use crate::error::FAILED;
use crate::render::{summary, wire};

/// Wait until nothing runs in a session
#[derive(Debug, Args)]
#[command(after_help = "\
The exit code tells how the script that was waited for went, as for `run`, or else the last iteration, as for
`iterate`; 1 if the time was over first.")]
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
    let at_rest = context.engine.wait_until_at_rest(id, arguments.timeout)?;
    let script = view.script_run;
    let view = context.engine.session(id)?;
    if context.printer.json {
        context.printer.json(&wire::session(context, &view));
    }
    if let Some(run) = script {
        return ended(context, &run, at_rest);
    }
    if let Some(iteration) = &view.iteration {
        summary::iteration(context, iteration);
    }
    if !at_rest {
        return Ok(ExitCode::from(FAILED));
    }
    Ok(view
        .iteration
        .as_ref()
        .map_or(ExitCode::SUCCESS, follow::exit_code))
}

/// How the script that was waited for went.
fn ended(context: &Context, run: &ScriptRun, at_rest: bool) -> Done {
    let run = context.engine.script_run(run.key)?;
    if !context.printer.json {
        script::report(context, &run);
    }
    Ok(if at_rest {
        script::exit_code(&run)
    } else {
        ExitCode::from(FAILED)
    })
}
