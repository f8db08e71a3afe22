//! `forget`: remove the records of a session of which nothing else is left.

use std::process::ExitCode;

use clap::Args;
use orchestra_core::visible_line;

use crate::Done;
use crate::context::Context;
use crate::render::screen;

/// Forget a session of which nothing is left
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  forget login

For sessions whose repository was deleted, or whose worktree and branch both were. The name is free
again. Its cache goes; output and snapshots in the data directory stay, and so do databases; the
answer says where. As long as the worktree or the branch is there, it is refused: `archive` puts a
session away. A worktree outside of a deleted repository keeps its files.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    let forgotten = context.engine.forget_session(&view.session.id)?;
    let (id, name) = (forgotten.session.id, forgotten.session.name);
    if context.printer.json {
        context.printer.json(&orchestra_api::Forgotten {
            seq: context.engine.last_seq()?,
            id,
            name: name.to_string(),
            left: forgotten.left,
            databases: forgotten.databases.into_iter().map(Into::into).collect(),
        });
        return Ok(ExitCode::SUCCESS);
    }
    let name = visible_line(name.as_str());
    context.printer.line(format!("{id} ({name}) is forgotten"));
    for place in &forgotten.left {
        let place = screen::path(place);
        context
            .printer
            .note(format!("  what it left stays in {place}"));
    }
    for database in &forgotten.databases {
        let (name, kind) = (&database.name, database.kind.name());
        let location = visible_line(&database.location);
        context.printer.warn(format!(
            "its database {name} ({kind}) is perhaps still there, and yours to drop: {location}"
        ));
    }
    Ok(ExitCode::SUCCESS)
}
