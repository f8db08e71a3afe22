//! `resume` and `discard`: what to do after an interruption.

use std::process::ExitCode;

use clap::Args;

use super::iterate;
use crate::Done;
use crate::context::Context;
use crate::render::screen;

/// Go on after an interruption
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// Start it and return
    #[arg(long)]
    detach: bool,
}

/// Throw away what an interrupted run left uncommitted; a patch that brings it back is kept
#[derive(Debug, Args)]
pub(crate) struct DiscardArguments {
    /// Id, unique prefix or name
    session: String,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    let iteration = context.engine.resume(&view.session.id)?;
    iterate::started(context, &iteration, arguments.detach)
}

pub(crate) fn discard(context: &Context, arguments: &DiscardArguments) -> Done {
    let view = context.session(&arguments.session)?;
    let done = context.engine.discard(&view.session.id)?;
    if context.printer.json {
        context.printer.json(&orchestra_api::Discarded {
            session: view.session.id,
            files: done.files,
            patch: done.patch,
        });
        return Ok(ExitCode::SUCCESS);
    }
    match done.patch {
        None => context.printer.line("nothing was left uncommitted"),
        Some(patch) => {
            context
                .printer
                .line(format!("{} change(s) discarded", done.files));
            context.printer.note(format!(
                "  git -C '{}' apply '{}'   brings them back",
                screen::path(&view.session.worktree),
                screen::path(&patch)
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}
