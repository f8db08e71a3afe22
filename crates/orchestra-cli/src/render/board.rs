//! The table of sessions.

use orchestra_server::time;
use std::collections::HashMap;
use std::path::Path;

use orchestra_core::{GitFacts, OtherCheckout, RepositoryId, SessionStatus, visible_line};
use orchestra_engine::SessionView;

use super::summary;
use super::table::Table;
use crate::context::Context;
use crate::printer::{BLUE, DIM, GREEN, RED, YELLOW};

/// The column before which the disk space is shown.
const DISK: usize = 6;

/// The table as it stands on the screen.
pub(crate) struct Board {
    lines: Vec<String>,
    columns: Columns,
}

/// What is shown of each session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Columns {
    Usual,
    /// The disk space of its worktree too.
    WithDisk,
}

impl Board {
    /// Prints the table.
    pub(crate) fn print(context: &Context, sessions: &[SessionView], columns: Columns) -> Self {
        let lines = lines(sessions, columns);
        context.printer.line(colored(&lines, sessions).join("\n"));
        Self { lines, columns }
    }

    /// Writes over what changed, as far as it is still on the screen.
    pub(crate) fn update(&mut self, context: &Context, sessions: &[SessionView]) {
        let fresh = lines(sessions, self.columns);
        if fresh == self.lines {
            return;
        }
        let (reached, height) = reachable(&self.lines, screen());
        if reached == 0 {
            return;
        }
        let shown = colored(&fresh, sessions).split_off(fresh.len() - reached);
        context.printer.order(&format!("\x1b[{height}A\x1b[J"));
        context.printer.line(shown.join("\n"));
        self.lines = fresh;
    }
}

/// Columns and rows of the screen. One that does not tell is taken to be wide and of the usual height.
fn screen() -> (usize, usize) {
    terminal_size::terminal_size().map_or((usize::MAX, 24), |(width, height)| {
        (usize::from(width.0), usize::from(height.0))
    })
}

/// How many of the last lines the cursor can still reach, and how many rows of the screen they take.
fn reachable(lines: &[String], (columns, rows): (usize, usize)) -> (usize, usize) {
    let mut height = 0;
    let mut reached = 0;
    for line in lines.iter().rev() {
        let rows_of_line = line.chars().count().div_ceil(columns).max(1);
        if height + rows_of_line >= rows {
            break;
        }
        height += rows_of_line;
        reached += 1;
    }
    (reached, height)
}

fn lines(sessions: &[SessionView], columns: Columns) -> Vec<String> {
    let places = places(sessions);
    let mut header = vec![
        "ID", "NAME", "STATUS", "AHEAD", "BEHIND", "DIRTY", "LAST RUN", "BRANCH",
    ];
    if columns == Columns::WithDisk {
        header.insert(DISK, "DISK");
    }
    if !places.is_empty() {
        header.push("REPOSITORY");
    }
    let mut table = Table::new(&header);
    for view in sessions {
        let git = view.git.as_ref();
        let number = |count: Option<u32>| count.map_or("?".to_owned(), |count| count.to_string());
        let mut cells = vec![
            view.session.id.to_string(),
            view.session.name.to_string(),
            status_text(view),
            number(git.and_then(|facts| facts.ahead)),
            number(git.and_then(|facts| facts.behind)),
            dirty_text(git),
            view.session.last_run.map_or("never".to_owned(), time::ago),
            format!("{}{}", view.session.branch, checkout_mark(view)),
        ];
        if columns == Columns::WithDisk {
            let disk = view.disk.as_ref();
            cells.insert(DISK, disk.map_or("?".to_owned(), summary::disk_line));
        }
        cells.extend(places.get(&view.repository.id).cloned());
        table.add(cells);
    }
    table.to_string().lines().map(str::to_owned).collect()
}

/// What each repository is called, if there is more than one: its folder, or the whole path where folders have one name.
fn places(sessions: &[SessionView]) -> HashMap<RepositoryId, String> {
    let roots: HashMap<RepositoryId, &Path> = sessions
        .iter()
        .map(|view| (view.repository.id, view.repository.root.as_path()))
        .collect();
    if roots.len() < 2 {
        return HashMap::new();
    }
    let is_alone = |root: &Path| {
        let same = roots
            .values()
            .filter(|it| it.file_name() == root.file_name());
        same.count() == 1
    };
    let name = |root: &Path| match root.file_name().filter(|_| is_alone(root)) {
        Some(folder) => folder.to_string_lossy().into_owned(),
        None => root.display().to_string(),
    };
    roots.iter().map(|(id, root)| (*id, name(root))).collect()
}

/// Says that the directory is not on the branch, or that the branch is gone.
fn checkout_mark(view: &SessionView) -> String {
    match view.other_checkout() {
        Some(OtherCheckout::BranchGone { now: Some(now), .. }) => {
            format!(" (renamed: {})", visible_line(now))
        }
        Some(OtherCheckout::BranchGone { now: None, .. }) => " (gone)".to_owned(),
        Some(OtherCheckout::Branch { name }) => format!(" (checked out: {})", visible_line(name)),
        Some(OtherCheckout::Commit { id }) => format!(" (checked out: {})", id.short()),
        None => String::new(),
    }
}

/// Whether there are uncommitted changes, and since when nobody looked.
fn dirty_text(git: Option<&GitFacts>) -> String {
    let Some((facts, dirty)) = git.and_then(|facts| Some((facts, facts.dirty?))) else {
        return "?".to_owned();
    };
    let word = if dirty { "yes" } else { "no" };
    format!("{word}{}", time::age_note(facts.checked_at))
}

fn status_text(view: &SessionView) -> String {
    let script_failed = view.status == SessionStatus::Idle && view.script_failed;
    let session = &view.session;
    let away = match (&session.trash, session.archived_at) {
        (Some(_), _) if session.worktree_deleted_at.is_some() => " (worktree deleted)",
        (Some(_), _) => " (in the trash)",
        (None, Some(_)) => " (put away)",
        (None, None) => "",
    };
    let detail = match &view.script_run {
        Some(run) => format!(
            ", {} ({})",
            summary::script_name(run),
            time::ago(run.started_at)
        ),
        None if view.lacks_setup() && view.status == SessionStatus::Idle => {
            format!(", set-up {}", view.setup.in_words())
        }
        None if script_failed => ", script failed".to_owned(),
        None => view.parked().map_or_else(String::new, time::parked),
    };
    let servers: String = view
        .running_servers()
        .map(|run| format!(" +{}", visible_line(&run.script)))
        .collect();
    let lost = view.lost_landing().map_or_else(String::new, |landed| {
        format!(", not in {} any more", landed.into)
    });
    format!("{}{detail}{servers}{lost}{away}", view.status)
}

/// Colour is put in after the columns are laid out, so that it does not count as width.
fn colored(lines: &[String], sessions: &[SessionView]) -> Vec<String> {
    let mut lines = lines.to_vec();
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
        let mark = checkout_mark(view);
        if let Some(at) = line.rfind(&mark).filter(|_| !mark.is_empty()) {
            let (before, rest) = line.split_at(at);
            let rest = &rest[mark.len()..];
            *line = format!("{before}{YELLOW}{mark}{YELLOW:#}{rest}");
        }
    }
    lines
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_on_the_screen_is_written_over() {
        let lines: Vec<String> = ["a".repeat(10), "b".repeat(25), "c".to_owned()].into();
        let cases = [
            ((usize::MAX, 24), (3, 3)),
            ((10, 24), (3, 5)),
            ((10, 5), (2, 4)),
            ((10, 4), (1, 1)),
            ((80, 3), (2, 2)),
            ((80, 1), (0, 0)),
        ];
        for (screen, expected) in cases {
            assert_eq!(reachable(&lines, screen), expected, "{screen:?}");
        }
    }
}
