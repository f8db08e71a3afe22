//! `archive`: put a session away.

use std::process::ExitCode;

use clap::Args;
use orchestra_core::visible_line;
use orchestra_engine::{Loss, SessionView};

use crate::Done;
use crate::context::Context;
use orchestra_server::wire;

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
            .json(&wire::answer(&context.engine, &changed.session.id)?);
    } else if arguments.undo {
        context
            .printer
            .line(format!("{} is back", changed.session.id));
    } else {
        for run in view.running_servers() {
            context.printer.note(format!(
                "its server {} was ended",
                visible_line(&run.script)
            ));
        }
        context.printer.line(format!(
            "{} is put away; {}",
            changed.session.id,
            what_stays(&changed)
        ));
        context.printer.note(format!(
            "  orchestra session archive {} --undo   brings it back",
            changed.session.id
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn what_stays(view: &SessionView) -> &'static str {
    match view.loss() {
        None if view.session.trash.is_some() => "its branch stays",
        None | Some(Loss::Link) => "its branch and worktree stay",
        Some(Loss::Directory) => "its branch stays; its worktree is missing",
        Some(Loss::Branch) => "its branch and worktree are gone",
        Some(Loss::Repository) => "its repository is gone",
    }
}
