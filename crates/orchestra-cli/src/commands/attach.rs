//! `attach`: follow what runs.

use std::process::ExitCode;

use clap::Args;
use orchestra_engine::Work;

use super::{follow, run as script};
use crate::Done;
use crate::context::Context;

/// Follow what runs in a session
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attach login
  attach 4n22                     the beginning of an id is enough")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    match view.work() {
        Some(Work::Iteration(iteration)) => follow::iteration(context, &iteration),
        Some(Work::Script(run)) => script::until_over(context, &run),
        None => {
            context.printer.note(format!(
                "nothing runs in {}; it is {}",
                view.session.id, view.status
            ));
            Ok(ExitCode::SUCCESS)
        }
    }
}
