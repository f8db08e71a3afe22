//! Databases of sessions whose worktrees were deleted for good: offered by every `gc`, dropped with `--delete-databases`.

use std::collections::BTreeSet;

use orchestra_api::DatabaseLeft;
use orchestra_core::{SessionDatabase, SessionId, visible_line};
use orchestra_engine::{Cleanup, DatabaseChoice};

use crate::commands::allowed;
use crate::context::Context;
use crate::error::CliError;

/// What became of databases that are left.
#[derive(Default)]
pub(super) struct Left {
    /// Each, and whether it is dropped.
    pub(super) databases: Vec<(SessionDatabase, bool)>,
    /// What could not be dropped, and why.
    pub(super) problems: Vec<String>,
}

/// What is left, and nothing done to it.
pub(super) fn find(context: &Context) -> Result<Left, CliError> {
    let databases = context.engine.databases_left()?.into_iter();
    Ok(Left {
        databases: databases.map(|it| (it, false)).collect(),
        problems: Vec::new(),
    })
}

/// Drops what is left, for good. One that cannot be dropped does not keep the others from it.
pub(super) fn drop_all(context: &Context, mut left: Left, yes: bool) -> Result<Left, CliError> {
    let sessions = left.databases.iter().map(|(it, _)| it.session.clone());
    let sessions: BTreeSet<SessionId> = sessions.collect();
    for id in sessions {
        if let Err(CliError { message, hint, .. }) = drop_of(context, &id, yes) {
            let hint = hint.map_or_else(String::new, |hint| format!("; {hint}"));
            left.problems.push(format!("{id}: {message}{hint}"));
        }
    }
    let still: Vec<SessionDatabase> = context.engine.databases_left()?;
    for (database, dropped) in &mut left.databases {
        let is_it =
            |it: &SessionDatabase| it.session == database.session && it.name == database.name;
        *dropped = !still.iter().any(is_it);
    }
    Ok(left)
}

/// The settings of its repository say how.
fn drop_of(context: &Context, id: &SessionId, yes: bool) -> Result<(), CliError> {
    let view = context.engine.session(id)?;
    let root = view.repository.root.clone();
    if !root.exists() {
        return Err(CliError::refused(
            "gc.repository_gone",
            "its repository is gone, and with it the command that drops its databases",
            "drop them by hand; `orchestra session forget` forgets the session",
        ));
    }
    let dropped = context.in_repository(&root, |there| {
        let commands = there.engine.drop_commands(&view)?;
        allowed::ask(there, &root, commands, yes)?;
        let request = Cleanup {
            databases: DatabaseChoice::Drop,
            ..Cleanup::default()
        };
        there.engine.cleanup(id, request)?;
        Ok(std::process::ExitCode::SUCCESS)
    });
    dropped.map(drop)
}

impl Left {
    pub(super) fn rows(&self) -> Vec<DatabaseLeft> {
        let rows = self
            .databases
            .iter()
            .map(|(database, dropped)| DatabaseLeft {
                database: database.clone().into(),
                dropped: *dropped,
            });
        rows.collect()
    }

    /// One line for each; those that stay with the way to drop them.
    pub(super) fn show(&self, context: &Context) {
        for (database, dropped) in &self.databases {
            let SessionDatabase {
                session,
                name,
                kind,
                location,
                ..
            } = database;
            let (kind, location) = (kind.name(), visible_line(location));
            let end = match dropped {
                true => "dropped",
                false => "is left of a session that was deleted for good",
            };
            context.printer.line(format!(
                "{session} database {name} ({kind}, {location}): {end}"
            ));
        }
        if self.databases.iter().any(|(_, dropped)| !dropped) {
            context
                .printer
                .note("  `orchestra gc --delete-databases` drops such databases, for good");
        }
    }
}
