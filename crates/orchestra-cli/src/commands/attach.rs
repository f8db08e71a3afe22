//! `attach`: follow what runs.

use std::process::ExitCode;

use clap::Args;

use super::follow;
use crate::Done;
use crate::context::Context;

/// Follow what runs in a session
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    match view.iteration {
        Some(iteration) if !iteration.progress.is_finished() => {
            follow::iteration(context, &iteration)
        }
        _ => {
            context.printer.note(format!(
                "nothing runs in {}; it is {}",
                view.session.id, view.status
            ));
            Ok(ExitCode::SUCCESS)
        }
    }
}
