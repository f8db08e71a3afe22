//! `trash`: what was cleaned up, bringing it back, deleting it for good.

use std::process::ExitCode;
use std::time::Duration;

use clap::Subcommand;
use orchestra_config::quantity::parse_duration;
use orchestra_core::{Timestamp, visible_line};
use orchestra_engine::{Clock, Consent, TrashRow, size_in_words};

use crate::Done;
use crate::ask::{self, Preset};
use crate::context::Context;
use crate::error::{CliError, FAILED};
use crate::render::{passage, screen, table::Table};
use orchestra_server::{housekeeping, time};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// What lies in the trash, and for how long
    #[command(after_help = "Example:\n  orchestra trash list --all")]
    List {
        /// Of all repositories, not only the one you are in
        #[arg(long)]
        all: bool,
    },
    /// Bring a worktree back as it was
    #[command(after_help = "\
Examples:
  orchestra trash restore login
  orchestra trash restore k7m2qd-20261115-101530-123")]
    Restore {
        /// A session (id, unique prefix or name), or a name from `trash list`
        what: String,
    },
    /// Delete worktrees in the trash for good
    #[command(after_help = "\
Examples:
  orchestra trash empty --older-than 7d
  orchestra trash empty --yes")]
    Empty {
        /// Only what has been there for longer, such as 12h or 7d
        #[arg(long, value_name = "TIME", value_parser = duration)]
        older_than: Option<Duration>,
        /// Of all repositories, not only the one you are in
        #[arg(long)]
        all: bool,
        /// Do not ask
        #[arg(long)]
        yes: bool,
        /// Only say what would be deleted
        #[arg(long)]
        dry_run: bool,
    },
}

pub(crate) fn run(context: &Context, command: &Command) -> Done {
    match command {
        Command::List { all } => list(context, *all),
        Command::Restore { what } => restore(context, what),
        Command::Empty {
            older_than,
            all,
            yes,
            dry_run,
        } => {
            let (rows, _) = rows(context, *all)?;
            let rows = housekeeping::older(rows, *older_than, Clock::System.now());
            match dry_run {
                true => foretell(context, &rows),
                false => empty(context, rows, Consent::given_if(*yes)),
            }
        }
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).ok_or_else(|| "expected a duration such as 12h or 7d".to_owned())
}

fn rows(
    context: &Context,
    all: bool,
) -> Result<(Vec<TrashRow>, Vec<std::path::PathBuf>), CliError> {
    let repository = match all {
        true => None,
        false => context.scope()?,
    };
    Ok(context.engine.trash(repository)?)
}

fn list(context: &Context, all: bool) -> Done {
    let seq = context.engine.last_seq()?;
    let (rows, damaged) = rows(context, all)?;
    if context.printer.json {
        let list = housekeeping::trash_list(seq, &rows, damaged);
        context.printer.json(&list);
        return Ok(ExitCode::SUCCESS);
    }
    for folder in damaged {
        let folder = screen::path(&folder);
        context.printer.warn(format!(
            "{folder} cannot be read; copy what you need and remove it"
        ));
    }
    if rows.is_empty() {
        context.printer.note("the trash is empty");
        return Ok(ExitCode::SUCCESS);
    }
    context.printer.line(table(&rows));
    Ok(ExitCode::SUCCESS)
}

fn table(rows: &[TrashRow]) -> Table {
    let mut table = Table::new(&[
        "SESSION", "NAME", "SIZE", "SINCE", "KEPT FOR", "WHY", "ENTRY",
    ]);
    for row in rows {
        let record = &row.entry.record;
        let whole = match row.entry.is_whole() {
            true => "",
            false => " (not complete)",
        };
        table.add([
            record.session.to_string(),
            record.session_name.to_string(),
            row.bytes.map_or("?".to_owned(), size_in_words),
            time::ago(record.trashed_at),
            left(row.kept_until),
            visible_line(&record.why),
            format!("{}{whole}", row.entry.name),
        ]);
    }
    table
}

/// How long something is still kept.
fn left(until: Timestamp) -> String {
    match until.as_millisecond() - Clock::System.now().as_millisecond() {
        ..=0 => "until the next gc".to_owned(),
        millis => time::span(millis),
    }
}

fn restore(context: &Context, what: &str) -> Done {
    let here = context.repository()?;
    let restored = context.engine.restore(what, here.as_ref())?;
    let view = restored.view.as_ref();
    if context.printer.json {
        let answer = housekeeping::restored(&context.engine, &restored)?;
        context.printer.json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    let path = screen::path(&restored.path);
    context.printer.line(format!("restored {path}"));
    passage::tell(context, &restored.passage);
    match view {
        Some(view) => context.printer.note(format!(
            "\nNext:\n  orchestra session status {id}\n  orchestra session redo {id}       puts it into the trash again",
            id = view.session.id
        )),
        None => context.printer.note(format!(
            "its session is not known any more; `orchestra worktree adopt {path}` makes a new one"
        )),
    }
    Ok(ExitCode::SUCCESS)
}

fn foretell(context: &Context, rows: &[TrashRow]) -> Done {
    if context.printer.json {
        let answer = housekeeping::foretold_emptying(&context.engine, rows)?;
        context.printer.json(&answer);
    } else if rows.is_empty() {
        context.printer.note("nothing would be deleted");
    } else {
        context.printer.line(table(rows));
        let size = size_in_words(sum(rows));
        context.printer.note(format!(
            "these would be deleted for good ({size}); nothing was done"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn empty(context: &Context, rows: Vec<TrashRow>, consent: Consent) -> Done {
    if !rows.is_empty() && consent == Consent::Missing && !confirm(context, &rows)? {
        context.printer.note("nothing was deleted");
        return Ok(ExitCode::SUCCESS);
    }
    let emptied = context.engine.empty_trash(rows);
    let failed = !emptied.problems.is_empty();
    if context.printer.json {
        let answer = housekeeping::emptied(&context.engine, emptied)?;
        context.printer.json(&answer);
    } else {
        for problem in &emptied.problems {
            context.printer.warn(problem);
        }
        let (count, size) = (emptied.deleted.len(), size_in_words(emptied.bytes()));
        context.printer.line(match count {
            0 => "nothing was deleted".to_owned(),
            count => format!("{count} worktree(s) deleted for good, {size} freed"),
        });
    }
    Ok(match failed {
        true => ExitCode::from(FAILED),
        false => ExitCode::SUCCESS,
    })
}

fn sum(rows: &[TrashRow]) -> u64 {
    rows.iter().filter_map(|row| row.bytes).sum()
}

/// What cannot be undone is asked for, unless somebody said so before.
fn confirm(context: &Context, rows: &[TrashRow]) -> Result<bool, CliError> {
    let question = format!(
        "{}\nDelete {} worktree(s) for good?",
        table(rows),
        rows.len()
    );
    let answer = ask::yes_or_no(&context.printer, &question, Preset::No)?;
    answer.ok_or_else(|| {
        CliError::refused(
            "trash.not_confirmed",
            "what is deleted from the trash cannot be restored",
            "pass --yes if that is what you want; --dry-run shows what would be deleted",
        )
    })
}
