//! `status`: one session in detail.

use std::process::ExitCode;

use clap::Args;
use orchestra_api::SessionDetail;
use orchestra_engine::{DiffWhat, SessionView};

use crate::Done;
use crate::context::Context;
use crate::printer::{BOLD, DIM};
use crate::render::{board, summary, time, wire};

/// One session in detail
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let found = context.session(&arguments.session)?;
    let id = &found.session.id;
    let seq = context.engine.last_seq()?;
    // A repository that moved or a missing worktree still has a status to show.
    let view = context.engine.refresh(id).unwrap_or(found.clone());
    let changes = context.engine.diff_summary(id, DiffWhat::SinceBase).ok();
    let changes: Option<Vec<_>> =
        changes.map(|changes| changes.iter().map(wire::file_change).collect());
    if context.printer.json {
        context.printer.json(&SessionDetail {
            seq,
            session: wire::session(&view),
            changes,
        });
        return Ok(ExitCode::SUCCESS);
    }
    show(context, &view);
    if let Some(changes) = changes {
        let (added, removed) = changes.iter().fold((0, 0), |(added, removed), change| {
            (
                added + change.insertions.unwrap_or(0),
                removed + change.deletions.unwrap_or(0),
            )
        });
        context.printer.line(format!(
            "  changes   {} file(s), +{added} -{removed} since the base",
            changes.len()
        ));
    }
    if view.needs_user() {
        context
            .printer
            .note(format!("\n{}", summary::what_it_needs(&view)));
    }
    Ok(ExitCode::SUCCESS)
}

fn show(context: &Context, view: &SessionView) {
    let printer = &context.printer;
    let session = &view.session;
    printer.line(format!(
        "{BOLD}{}{BOLD:#}  {}  {}",
        session.id,
        session.name,
        board::colored_status(view.status)
    ));
    let row = |label: &str, value: String| printer.line(format!("  {label:<9} {value}"));
    row(
        "branch",
        format!(
            "{} (from {} {})",
            session.branch,
            session.base_branch,
            session.base_commit.short()
        ),
    );
    row("worktree", session.worktree.display().to_string());
    row(
        "agent",
        [Some(session.agent.clone()), session.model.clone()]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", "),
    );
    if let Some(issue) = &session.issue {
        row("issue", issue.clone());
    }
    if let Some(script) = &session.script {
        row("script", script.clone());
    }
    row("prompt", first_line(&session.prompt));
    if let Some(notes) = &session.notes {
        row("notes", first_line(notes));
    }
    row("created", time::ago(session.created_at));
    if let Some(git) = &view.git {
        let number = |count: Option<u32>| count.map_or("?".to_owned(), |count| count.to_string());
        let dirty = match git.dirty {
            Some(true) => "uncommitted changes",
            Some(false) => "clean",
            None => "not known whether clean",
        };
        row(
            "git",
            format!(
                "{} ahead, {} behind {}, {dirty}",
                number(git.ahead),
                number(git.behind),
                session.base_branch
            ),
        );
    }
    if let Some(iteration) = &view.iteration {
        row("last run", summary::iteration_line(iteration));
        if let Some(message) = &iteration.message {
            row("", format!("{DIM}{}{DIM:#}", first_line(message)));
        }
    }
}

fn first_line(text: &str) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    if lines.next().is_some() {
        format!("{first} ...")
    } else {
        first.to_owned()
    }
}
