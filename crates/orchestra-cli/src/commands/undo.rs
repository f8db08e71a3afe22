//! `undo`, `redo` and `operations`: what was done to a session, and taking it back.

use std::process::ExitCode;

use clap::Args;
use orchestra_core::{Operation, OperationKind, OperationState, next_undo, visible_line};
use orchestra_engine::Undone;

use crate::Done;
use crate::context::Context;
use crate::error::CONFLICTS;
use crate::render::{passage, screen, summary, table};
use orchestra_server::{landing, time};

/// Take back the last operation on a session
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  undo login
  undo login --json

Commits, discards, squashes, rebases, merges and cleanups can be undone, newest first.
Changes you made since in other files stay; what would be lost is a refusal.
See also: operations, redo.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
}

/// Do again what was undone last
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  redo login
  redo login --json")]
pub(crate) struct RedoArguments {
    /// Id, unique prefix or name
    session: String,
}

/// What was done to a session, and what can be undone
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  operations login
  operations login --json")]
pub(crate) struct OperationsArguments {
    /// Id, unique prefix or name
    session: String,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    let undone = context.engine.undo(&view.session.id)?;
    told(context, &undone, "undone", "redo")
}

pub(crate) fn redo(context: &Context, arguments: &RedoArguments) -> Done {
    // A cleanup that is done again runs commands of the repository's settings.
    context.in_session(&arguments.session, |there, view| {
        let redone = there.engine.redo(&view.session.id)?;
        told(there, &redone, "done again", "undo")
    })
}

pub(crate) fn operations(context: &Context, arguments: &OperationsArguments) -> Done {
    let id = context.session(&arguments.session)?.session.id;
    let operations = context.engine.operations(&id)?;
    if context.printer.json {
        let list = landing::operation_list(&context.engine, &id, &operations, operations.len())?;
        context.printer.json(&list);
        return Ok(ExitCode::SUCCESS);
    }
    if operations.is_empty() {
        context.printer.note("nothing was done to it yet");
        return Ok(ExitCode::SUCCESS);
    }
    let is_kept = landing::is_next_undo_kept(&context.engine, &operations);
    let next = next_undo(&operations).map(|operation| operation.key);
    let state_words = |operation: &Operation| match operation.state {
        OperationState::Done if operation.is_too_old() => "done, too old to be undone",
        OperationState::Done if Some(operation.key) == next && is_kept => "done, and pushed",
        OperationState::Done if Some(operation.key) == next => match operation.kind {
            // Whether somebody built on the base is looked at when it is taken back.
            OperationKind::Merge => "done, undo takes it back if nothing came after",
            _ => "done, undo takes it back",
        },
        state => state.name(),
    };
    show_operations(context, &operations, state_words);
    Ok(ExitCode::SUCCESS)
}

fn show_operations(
    context: &Context,
    operations: &[Operation],
    state_words: impl Fn(&Operation) -> &'static str,
) {
    let mut rows = table::Table::new(&["ID", "WHAT", "STATE", "WHEN", "SUMMARY"]);
    for operation in operations {
        rows.add([
            operation.key.to_string(),
            operation.kind.to_string(),
            state_words(operation).to_owned(),
            time::ago(operation.started_at),
            visible_line(&operation.summary)
                + &summary::passed_over(operation)
                + &summary::caller(operation),
        ]);
    }
    context.printer.line(rows);
    let to_look_at = operations
        .iter()
        .filter(|one| is_to_look_at(one, operations));
    for operation in to_look_at {
        context.printer.note(unknown(context, operation));
    }
}

/// Whether it is not known what became of it. A push that was repeated since is known.
fn is_to_look_at(operation: &Operation, all: &[Operation]) -> bool {
    let is_repeat = |other: &Operation| {
        other.key > operation.key
            && other.state == OperationState::Done
            && (other.kind, &other.summary) == (OperationKind::Push, &operation.summary)
    };
    operation.state == OperationState::Unknown && !all.iter().any(is_repeat)
}

/// What somebody should know who finds an operation of which it is not known whether it took place.
fn unknown(context: &Context, operation: &Operation) -> String {
    let (id, kind) = (operation.key, operation.kind);
    match (kind, context.engine.snapshot_folder(operation)) {
        (OperationKind::Push, _) => format!(
            "{id}: the push was cut off, and whether the remote has it is not known; to push again does no harm"
        ),
        (_, Some(folder)) => format!(
            "{id}: the {kind} was cut off and could be neither finished nor taken back; the state before is in {}",
            screen::path(&folder)
        ),
        (_, None) => {
            format!("{id}: the {kind} was cut off and could be neither finished nor taken back")
        }
    }
}

/// The same command was cut off before, and what it was to do has been done since.
pub(crate) fn finished_before(context: &Context, operation: &Operation) -> Done {
    let (id, kind) = (&operation.session, operation.kind);
    let is_stopped = kind == OperationKind::Rebase && operation.after.rebase.is_some();
    let exit = match is_stopped {
        true => ExitCode::from(CONFLICTS),
        false => ExitCode::SUCCESS,
    };
    if context.printer.json {
        let answer = landing::operation_answer(&context.engine, operation)?;
        context.printer.json(&answer);
        return Ok(exit);
    }
    context.printer.line(format!(
        "the {kind} was cut off before, and has been finished: {}",
        visible_line(&operation.summary)
    ));
    context.printer.note(match is_stopped {
        true => format!("  orchestra session conflicts {id}   shows where it stopped"),
        false => format!("  orchestra session undo {id}   takes it back"),
    });
    Ok(exit)
}

fn told(context: &Context, done: &Undone, how: &str, back: &str) -> Done {
    let id = &done.view.session.id;
    if context.printer.json {
        let answer = landing::operation_answer(&context.engine, &done.operation)?;
        context.printer.json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    context.printer.line(format!(
        "{how}: {} ({})",
        done.operation.kind,
        visible_line(&done.operation.summary)
    ));
    passage::tell(context, &done.passage);
    if let Some(note) = &done.note {
        context.printer.note(note);
    }
    context.printer.note(format!(
        "  orchestra session {back} {id}   the other way round"
    ));
    Ok(ExitCode::SUCCESS)
}
