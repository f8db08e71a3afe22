//! `attach`: follow what runs.

use std::process::ExitCode;

use clap::Args;
use orchestra_core::visible_line;
use orchestra_engine::{SessionView, Work};

use super::{follow, run as script};
use crate::Done;
use crate::context::Context;
use orchestra_server::wire;

/// Follow what runs in a session
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attach login
  attach 4n22                     the beginning of an id is enough

With --json: as `iterate` or `run`; the session, if nothing runs in it.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    match view.work() {
        Some(Work::Iteration(iteration)) => follow::iteration(context, &iteration),
        Some(Work::Script(run)) => script::until_over(context, &run),
        None => nothing_runs(context, &view),
    }
}

fn nothing_runs(context: &Context, view: &SessionView) -> Done {
    let id = &view.session.id;
    if context.printer.json {
        context.printer.json(&wire::answer(&context.engine, id)?);
    } else {
        context
            .printer
            .note(format!("nothing runs in {id}; it is {}", view.status));
        for run in view.running_servers() {
            let name = visible_line(&run.script);
            context.printer.note(format!(
                "  orchestra session run {id} {name} --follow   watch its server"
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}
