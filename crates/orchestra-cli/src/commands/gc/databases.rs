//! Databases of sessions whose worktrees were deleted for good: offered by every `gc`, dropped with `--delete-databases`.

use std::collections::BTreeSet;

use orchestra_api::DatabaseLeft;
use orchestra_core::{SessionDatabase, SessionId, visible_line};
use orchestra_engine::{Cleanup, Consent, DatabaseChoice};

use crate::ask::{self, Preset};
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

/// Which databases somebody agreed to lose.
pub(super) enum Agreed {
    /// Whatever is left, and the commands for it are allowed.
    All,
    /// Those that were shown.
    Of(BTreeSet<SessionId>),
}

/// Asks before anything is done, so that a refusal leaves everything as it was.
pub(super) fn agree(context: &Context, consent: Consent) -> Result<Agreed, CliError> {
    if consent == Consent::Given {
        return Ok(Agreed::All);
    }
    let left = find(context)?;
    if left.databases.is_empty() || !confirm(context, &left)? {
        return Ok(Agreed::Of(BTreeSet::new()));
    }
    Ok(Agreed::Of(left.sessions()))
}

fn confirm(context: &Context, left: &Left) -> Result<bool, CliError> {
    let lines: Vec<String> = left.databases.iter().map(|(it, _)| in_short(it)).collect();
    let question = format!(
        "{}\nDrop these for good? Nothing brings them back.",
        lines.join("\n")
    );
    let answer = ask::yes_or_no(&context.printer, &question, Preset::No)?;
    answer.ok_or_else(|| {
        CliError::refused(
            "gc.not_confirmed",
            "databases are dropped for good only if somebody agrees",
            "pass --yes if that is what you want; --dry-run shows them",
        )
    })
}

/// Drops what somebody agreed to lose, for good. One that cannot be dropped does not keep the others from it.
pub(super) fn drop_agreed(
    context: &Context,
    mut left: Left,
    agreed: &Agreed,
) -> Result<Left, CliError> {
    for id in left.sessions() {
        let consent = match agreed {
            Agreed::All => Consent::Given,
            Agreed::Of(sessions) if sessions.contains(&id) => Consent::Missing,
            Agreed::Of(_) => continue,
        };
        if let Err(CliError { message, hint, .. }) = drop_of(context, &id, consent) {
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
fn drop_of(context: &Context, id: &SessionId, consent: Consent) -> Result<(), CliError> {
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
        allowed::ask(there, &root, commands, consent)?;
        let request = Cleanup {
            databases: DatabaseChoice::Drop,
            ..Cleanup::default()
        };
        there.engine.cleanup(id, request)?;
        Ok(std::process::ExitCode::SUCCESS)
    });
    dropped.map(drop)
}

fn in_short(database: &SessionDatabase) -> String {
    let (session, name) = (&database.session, &database.name);
    let (kind, location) = (database.kind.name(), visible_line(&database.location));
    format!("{session} database {name} ({kind}, {location})")
}

impl Left {
    fn sessions(&self) -> BTreeSet<SessionId> {
        let sessions = self.databases.iter().map(|(it, _)| it.session.clone());
        sessions.collect()
    }

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
            let end = match dropped {
                true => "dropped",
                false => "is left of a session that was deleted for good",
            };
            let what = in_short(database);
            context.printer.line(format!("{what}: {end}"));
        }
        if self.databases.iter().any(|(_, dropped)| !dropped) {
            context
                .printer
                .note("  `orchestra gc --delete-databases` drops such databases, for good");
        }
    }
}
