//! Databases of sessions whose worktrees were deleted for good: offered by every `gc`, dropped with `--delete-databases`.

use std::collections::BTreeSet;

use orchestra_core::{SessionDatabase, visible_line};
use orchestra_engine::{Cleanup, Consent, DatabaseChoice, SessionView};
use orchestra_server::housekeeping::{Agreed, DatabasesLeft};

use crate::ask::{self, Preset};
use crate::commands::allowed;
use crate::context::Context;
use crate::error::CliError;

/// Asks before anything is done, so that a refusal leaves everything as it was.
pub(super) fn agree(context: &Context, consent: Consent) -> Result<Agreed, CliError> {
    if consent == Consent::Given {
        return Ok(Agreed::All);
    }
    let left = DatabasesLeft::find(&context.engine)?;
    if left.databases.is_empty() || !confirm(context, &left)? {
        return Ok(Agreed::Of(BTreeSet::new()));
    }
    Ok(Agreed::Of(left.sessions()))
}

fn confirm(context: &Context, left: &DatabasesLeft) -> Result<bool, CliError> {
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

/// The settings of its repository say how.
pub(super) fn drop_of(
    context: &Context,
    view: &SessionView,
    consent: Consent,
) -> Result<(), CliError> {
    let (id, root) = (&view.session.id, view.repository.root.clone());
    let dropped = context.in_repository(&root, |there| {
        let commands = there.engine.drop_commands(view)?;
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

/// One line for each; those that stay with the way to drop them.
pub(super) fn show(context: &Context, left: &DatabasesLeft) {
    for (database, dropped) in &left.databases {
        let end = match dropped {
            true => "dropped",
            false => "is left of a session that was deleted for good",
        };
        let what = in_short(database);
        context.printer.line(format!("{what}: {end}"));
    }
    if left.databases.iter().any(|(_, dropped)| !dropped) {
        context
            .printer
            .note("  `orchestra gc --delete-databases` drops such databases, for good");
    }
}
