//! `archive`: put a session away.

use std::process::ExitCode;

use clap::Args;

use crate::Done;
use crate::context::Context;
use crate::render::wire;

/// Put a session away; its branch and worktree stay
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  archive login
  archive login --undo")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// Bring it back
    #[arg(long)]
    undo: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    let changed = context
        .engine
        .archive_session(&view.session.id, !arguments.undo)?;
    if context.printer.json {
        context
            .printer
            .json(&wire::answer(context, &changed.session.id)?);
    } else if arguments.undo {
        context
            .printer
            .line(format!("{} is back", changed.session.id));
    } else {
        context.printer.line(format!(
            "{} is put away; its branch and worktree stay",
            changed.session.id
        ));
        context.printer.note(format!(
            "  orchestra session archive {} --undo   brings it back",
            changed.session.id
        ));
    }
    Ok(ExitCode::SUCCESS)
}
