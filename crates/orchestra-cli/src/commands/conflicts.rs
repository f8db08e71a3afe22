//! `conflicts`: what git could not decide in a session.

use std::process::ExitCode;

use clap::Args;
use orchestra_core::{
    CaseClash, ConflictClass, ConflictContent, ConflictKind, MigrationClash, SessionId,
    visible_line,
};
use orchestra_engine::{CommitInfo, ConflictedFile, Conflicts, Stage};

use crate::Done;
use crate::context::Context;
use crate::printer::{BOLD, DIM};
use crate::render::screen;
use orchestra_server::landing;

/// How much of an object's id is shown.
const SHORT: usize = 7;

/// What git could not decide in a session
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  conflicts login
  conflicts login --json

On a session that is not conflicted: what a rebase onto its base would stop at first, tried in
memory. *Ours* is the base, *theirs* is the session's commit, as git says in a rebase.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let id = context.session(&arguments.session)?.session.id;
    let found = context.engine.conflicts(&id)?;
    if context.printer.json {
        let answer = landing::conflict_list(&context.engine, &id, found)?;
        context.printer.json(&answer);
    } else {
        show(context, &id, &found);
    }
    Ok(ExitCode::SUCCESS)
}

/// The conflicts, and what can be done about them.
pub(crate) fn show(context: &Context, id: &SessionId, found: &Conflicts) {
    let printer = &context.printer;
    printer.line(heading(found));
    for file in &found.files {
        show_file(context, found, file);
    }
    for clash in &found.clashes.migrations {
        show_migrations(context, clash);
    }
    for clash in &found.clashes.case {
        show_case(context, clash);
    }
    if found.in_progress {
        printer.note(ways_out(id, found.files.is_empty()));
    }
}

fn heading(found: &Conflicts) -> String {
    let (onto, at) = (&found.onto_name, found.onto.short());
    let Some(commit) = &found.at else {
        return format!("no conflicts with {onto} ({at})");
    };
    let verb = match found.in_progress {
        true => "stopped",
        false => "would stop",
    };
    let after = match found.rest {
        0 => String::new(),
        count => format!("; {count} commit(s) come after it"),
    };
    let theirs = named(commit);
    format!("the rebase onto {onto} ({at}) {verb} at {BOLD}{theirs}{BOLD:#}{after}")
}

fn show_file(context: &Context, found: &Conflicts, file: &ConflictedFile) {
    let printer = &context.printer;
    let content = match (file.kind(), file.content()) {
        (ConflictKind::DistinctTypes, _) | (_, ConflictContent::Text) => String::new(),
        (_, other) => format!(", {other}"),
    };
    let path = screen::path(&file.path);
    printer.line(format!("  {:<15} {path}{content}", file.kind()));
    let theirs = found.at.as_ref().map_or_else(String::new, named);
    let versions = format!(
        "ours ({}) {}, theirs ({theirs}) {}, base {}",
        found.onto_name,
        version(file, file.ours.as_ref()),
        version(file, file.theirs.as_ref()),
        file.base.as_ref().map_or_else(|| "none".to_owned(), short)
    );
    printer.line(format!("  {:<15} {DIM}{versions}{DIM:#}", ""));
    if let ConflictClass::Lockfile { manager } = file.class() {
        let command = manager.install_command();
        printer.line(format!(
            "  {:<15} {DIM}lockfile: take the base's and run `{command}`, which --regenerate does{DIM:#}",
            ""
        ));
    }
}

fn show_migrations(context: &Context, clash: &MigrationClash) {
    let directory = screen::path(&clash.directory);
    let numbers: Vec<_> = clash.numbers.iter().map(ToString::to_string).collect();
    context.printer.line(format!(
        "  migrations      {directory}: both sides have {}",
        numbers.join(", ")
    ));
    for renaming in &clash.proposal {
        let (from, to) = (screen::path(&renaming.from), screen::path(&renaming.to));
        context
            .printer
            .line(format!("  {:<15} {DIM}proposed: {from} -> {to}{DIM:#}", ""));
    }
}

fn show_case(context: &Context, clash: &CaseClash) {
    let (ours, theirs) = (screen::path(&clash.ours), screen::path(&clash.theirs));
    context.printer.line(format!(
        "  names           {ours} and {theirs} are one file where case does not matter"
    ));
}

fn ways_out(id: &SessionId, is_resolved: bool) -> String {
    if is_resolved {
        return format!(
            "every conflict is resolved\n  orchestra session rebase {id} --continue   goes on"
        );
    }
    format!(
        "  orchestra session resolve {id} <file> --ours | --theirs | --edited   decides one\n  \
           orchestra session iterate {id}             asks the agent to\n  \
           orchestra session rebase {id} --continue   goes on then; or --skip, --abort"
    )
}

fn named(commit: &CommitInfo) -> String {
    format!("{} {}", commit.id.short(), visible_line(&commit.subject))
}

/// Of a file and a directory, the side without a version has the directory.
fn version(file: &ConflictedFile, stage: Option<&Stage>) -> String {
    match (file.kind(), stage) {
        (ConflictKind::FileDirectory, None) => "directory".to_owned(),
        (ConflictKind::FileDirectory | ConflictKind::DistinctTypes, Some(stage)) => {
            format!("{} {}", stage.mode, short(stage))
        }
        (_, Some(stage)) => short(stage),
        (_, None) => "none".to_owned(),
    }
}

fn short(stage: &Stage) -> String {
    stage.object.to_string().chars().take(SHORT).collect()
}
