//! The table of sessions.

use orchestra_core::SessionStatus;
use orchestra_engine::SessionView;

use super::table::Table;
use super::time;
use crate::context::Context;
use crate::printer::{BLUE, DIM, GREEN, RED, YELLOW};

/// Prints the table and answers how many lines it has.
pub(crate) fn print(context: &Context, sessions: &[SessionView]) -> usize {
    let mut table = Table::new(&[
        "ID", "NAME", "STATUS", "AHEAD", "BEHIND", "DIRTY", "LAST RUN", "BRANCH",
    ]);
    for view in sessions {
        let git = view.git.as_ref();
        let number = |count: Option<u32>| count.map_or("?".to_owned(), |count| count.to_string());
        let dirty = match git.and_then(|facts| facts.dirty) {
            Some(true) => "yes",
            Some(false) => "no",
            None => "?",
        };
        table.add([
            view.session.id.to_string(),
            view.session.name.to_string(),
            status_text(view),
            number(git.and_then(|facts| facts.ahead)),
            number(git.and_then(|facts| facts.behind)),
            dirty.to_owned(),
            view.session.last_run.map_or("never".to_owned(), time::ago),
            view.session.branch.to_string(),
        ]);
    }
    let text = table.to_string();
    let lines = text.lines().count();
    context.printer.line(color_statuses(&text, sessions));
    lines
}

/// The cursor goes up, so that the table is written over.
pub(crate) fn go_up(context: &Context, lines: usize) {
    context
        .printer
        .bytes(format!("\x1b[{lines}A\x1b[J").as_bytes());
}

pub(crate) fn terminal_height() -> Option<usize> {
    terminal_size::terminal_size().map(|(_, height)| usize::from(height.0))
}

fn status_text(view: &SessionView) -> String {
    let script_failed = view.needs_user() && view.status == SessionStatus::Idle;
    let archived = if view.session.archived_at.is_some() {
        " (put away)"
    } else {
        ""
    };
    format!(
        "{}{}{archived}",
        view.status,
        if script_failed { ", script failed" } else { "" }
    )
}

/// Colour is put in after the columns are laid out, so that it does not count as width.
fn color_statuses(text: &str, sessions: &[SessionView]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if let Some(header) = lines.first_mut() {
        *header = format!("{DIM}{header}{DIM:#}");
    }
    for (line, view) in lines.iter_mut().skip(1).zip(sessions) {
        let name = view.status.name();
        if let Some(at) = line.find(&format!(" {name}")) {
            let (before, rest) = line.split_at(at + 1);
            *line = format!(
                "{before}{}{}",
                colored_status(view.status),
                &rest[name.len()..]
            );
        }
    }
    lines.join("\n")
}

pub(crate) fn colored_status(status: SessionStatus) -> String {
    let style = match status {
        SessionStatus::Running | SessionStatus::Evaluating | SessionStatus::Initializing => BLUE,
        SessionStatus::Completed => GREEN,
        SessionStatus::AwaitingInput
        | SessionStatus::Blocked
        | SessionStatus::Queued
        | SessionStatus::Conflicted => YELLOW,
        SessionStatus::Error | SessionStatus::Interrupted | SessionStatus::Unknown => RED,
        SessionStatus::Idle => DIM,
    };
    format!("{style}{status}{style:#}")
}
