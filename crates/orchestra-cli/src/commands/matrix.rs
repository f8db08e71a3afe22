//! `orchestra conflicts`: which live sessions get into each other's way.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use orchestra_core::{Repository, SessionId, first_of, visible_line};
use orchestra_engine::{Matrix, MatrixCell, SessionView, main_checkout_of};

use crate::Done;
use crate::context::Context;
use crate::error::CliError;
use crate::render::{screen, table};
use orchestra_server::landing;

/// How many files of a pair are named.
const NAMED: usize = 5;

/// Which sessions conflict with each other or with their base
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  orchestra conflicts
  orchestra conflicts --repo ../other
  orchestra conflicts --json

Every session with commits that have not landed is merged with its base and with every other one, in memory; nothing is
changed. Migrations with the same number and names that differ in case only are looked for too. `orchestra session conflicts <session>` shows the conflicts of one session in detail.")]
pub(crate) struct Arguments {
    /// The sessions of this repository [default: the one you are in]
    #[arg(long, value_name = "PATH")]
    repo: Option<PathBuf>,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let repository = repository(context, arguments)?;
    let matrix = context.engine.conflict_matrix(&repository)?;
    if context.printer.json {
        let answer = landing::conflict_matrix(&context.engine, &matrix);
        context.printer.json(&answer);
    } else {
        show(context, &matrix);
    }
    Ok(ExitCode::SUCCESS)
}

fn repository(context: &Context, arguments: &Arguments) -> Result<Repository, CliError> {
    let root = match &arguments.repo {
        Some(path) => main_checkout_of(&context.path(path)),
        None => context.root.clone(),
    };
    let known = match &root {
        Some(root) => context.engine.known_repository(root)?,
        None => None,
    };
    known.ok_or_else(|| {
        CliError::refused(
            "repository.no_sessions",
            "there is no repository with sessions here",
            "stand in one, or name it with --repo <path>; `orchestra session list --all` shows every session",
        )
    })
}

/// What two have in common that somebody has to decide about, by its kind.
fn kinds(cell: &MatrixCell) -> Vec<(&'static str, Vec<PathBuf>)> {
    let clashes = &cell.clashes;
    let numbers = clashes.migrations.iter();
    let numbers = numbers.flat_map(|clash| clash.ours.iter().chain(&clash.theirs));
    let cases = clashes.case.iter();
    let cases = cases.flat_map(|clash| [&clash.ours, &clash.theirs]);
    let kinds = [
        ("conflict", cell.files.clone()),
        ("same migration number", numbers.cloned().collect()),
        ("upper and lower case", cases.cloned().collect()),
    ];
    let is_there = |(_, files): &(_, Vec<PathBuf>)| !files.is_empty();
    kinds.into_iter().filter(is_there).collect()
}

fn show(context: &Context, matrix: &Matrix) {
    let sessions: Sessions<'_> = matrix
        .sessions
        .iter()
        .map(|view| (&view.session.id, view))
        .collect();
    let conflicts: Vec<_> = matrix.cells.iter().filter(|cell| !cell.fits()).collect();
    if !conflicts.is_empty() {
        context.printer.line(table_of(&conflicts, &sessions));
    }
    for cell in matrix.cells.iter().filter(|cell| cell.base_is_gone) {
        let Some(view) = sessions.get(&cell.session) else {
            continue;
        };
        let (name, base) = (&view.session.name, view.session.base_name());
        context.printer.warn(format!(
            "{}: its base {base} is gone; it was compared with the commit that it started from",
            visible_line(name.as_str())
        ));
    }
    context.printer.note(format!(
        "{} session(s) with work that has not landed, {} of {} pair(s) conflict",
        matrix.sessions.len(),
        conflicts.len(),
        matrix.cells.len()
    ));
}

type Sessions<'a> = BTreeMap<&'a SessionId, &'a SessionView>;

fn table_of(conflicts: &[&MatrixCell], sessions: &Sessions<'_>) -> table::Table {
    let mut rows = table::Table::new(&["SESSION", "WITH", "WHAT", "FILES"]);
    for cell in conflicts {
        let Some(view) = sessions.get(&cell.session) else {
            continue;
        };
        let with = match cell.other.as_ref().and_then(|id| sessions.get(id)) {
            Some(other) => other.session.name.to_string(),
            None => format!("its base {}", view.session.base_name()),
        };
        for (kind, files) in kinds(cell) {
            let name = view.session.name.to_string();
            rows.add([name, with.clone(), kind.to_owned(), named(&files)]);
        }
    }
    rows
}

fn named(files: &[PathBuf]) -> String {
    first_of(files.iter().map(|path| screen::path(path)), NAMED)
}
