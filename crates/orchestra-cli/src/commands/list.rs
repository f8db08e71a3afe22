//! `list`: sessions in a table. A terminal gets it at once from the store, and cells that git has to be asked for fill in
//! after; a pipe gets it once git has been asked. What is older than a few seconds says so.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use orchestra_api::SessionList;
use orchestra_core::SessionStatus;
use orchestra_engine::{EngineError, ListRequest, Listing, SessionView, chain, main_checkout_of};

use crate::Done;
use crate::context::{Context, NO_REPOSITORY};
use crate::error::CliError;
use crate::render::board::{Board, Columns};
use orchestra_server::wire;

/// List sessions
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  list                        sessions of the repository you are in, or of all
  list --needs-me             only those that wait for you
  list --status running --status queued
  list --all --disk           where the disk space is
  list --json --refresh")]
pub(crate) struct Arguments {
    /// Only sessions of this repository [default: the one you are in]
    #[arg(long, value_name = "PATH")]
    repo: Option<PathBuf>,
    /// Only sessions with this status; can be repeated
    #[arg(long, value_name = "STATUS")]
    status: Vec<SessionStatus>,
    /// Only sessions that cannot go on without you
    #[arg(long)]
    needs_me: bool,
    /// Sessions of all repositories, put-away ones too
    #[arg(long)]
    all: bool,
    /// Show the disk space of every worktree
    #[arg(long)]
    disk: bool,
    /// Ask git about every session before answering, however long it takes
    #[arg(long)]
    refresh: bool,
    /// Do not ask git: answer at once with what it said before
    #[arg(long, conflicts_with = "refresh")]
    no_refresh: bool,
}

/// How much git is asked for a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ask {
    /// Not at all.
    Nothing,
    /// For a short time.
    Shortly,
    /// About every session.
    Everything,
}

/// How long git may take to say which sessions have uncommitted changes; heads and distances are asked in any case.
const SHORTLY: Duration = Duration::from_millis(1_500);
/// How long counting may take.
const COUNTING: Duration = Duration::from_secs(5);
const LONG: Duration = Duration::from_secs(24 * 3_600);

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let request = request(context, arguments)?;
    let mut listing = context.engine.list_sessions(&request)?;
    let is_chosen = arguments.needs_me || !arguments.status.is_empty();
    if listing.sessions.is_empty() && is_chosen && !context.printer.json {
        context.printer.note(match arguments.needs_me {
            true => "no session needs you",
            false => "no session has this status",
        });
        return Ok(ExitCode::SUCCESS);
    }
    let ask = match arguments {
        Arguments { refresh: true, .. } => Ask::Everything,
        Arguments {
            no_refresh: true, ..
        } => Ask::Nothing,
        _ => Ask::Shortly,
    };
    let columns = match arguments.disk {
        true => Columns::WithDisk,
        false => Columns::Usual,
    };
    if arguments.disk {
        count(context, &mut listing.sessions, ask);
    }
    show(context, &mut listing, ask, columns);
    Ok(ExitCode::SUCCESS)
}

/// Counts the space of worktrees. What was counted before is shown with its age where the time is not enough.
fn count(context: &Context, sessions: &mut [SessionView], ask: Ask) {
    let longest = match ask {
        Ask::Nothing => return,
        Ask::Shortly => COUNTING,
        Ask::Everything => LONG,
    };
    if let Err(error) = context.engine.refresh_disk_use(sessions, longest) {
        let why = chain::text(&error);
        context
            .printer
            .warn(format!("the space was not counted: {why}"));
    }
}

/// Prints the sessions, as JSON or as a table, with what git says about them now.
pub(crate) fn show(context: &Context, listing: &mut Listing, ask: Ask, columns: Columns) {
    let printer = &context.printer;
    if printer.json {
        freshen(context, &mut listing.sessions, ask);
        printer.json(&SessionList {
            seq: listing.seq,
            sessions: listing
                .sessions
                .iter()
                .map(|view| wire::session(&context.engine, view))
                .collect(),
        });
    } else if listing.sessions.is_empty() {
        printer.note(
            "no sessions; create one with `orchestra session new --name <name> --prompt \"...\"`",
        );
    } else if context.can_write_over() && ask == Ask::Shortly {
        let mut board = Board::print(context, &listing.sessions, columns);
        freshen(context, &mut listing.sessions, ask);
        board.update(context, &listing.sessions);
    } else {
        freshen(context, &mut listing.sessions, ask);
        Board::print(context, &listing.sessions, columns);
    }
}

/// Asks git. A list is worth showing without it, so a failure is only told; what is old is marked as such.
fn freshen(context: &Context, sessions: &mut [SessionView], ask: Ask) {
    let longest = match ask {
        Ask::Nothing => return,
        Ask::Shortly => SHORTLY,
        Ask::Everything => LONG,
    };
    let engine = &context.engine;
    let asked = engine
        .refresh_heads(sessions)
        .and_then(|()| engine.refresh_dirty(sessions, longest));
    if let Err(error) = asked {
        context
            .printer
            .warn(format!("git was not asked: {}", chain::text(&error)));
    }
}

/// What git says where no main checkout is to be seen.
fn repository_at(context: &Context, path: &Path) -> Result<PathBuf, CliError> {
    let opened = context.engine.git()?.open(path).map_err(EngineError::from);
    Ok(opened?.root().to_owned())
}

fn request(context: &Context, arguments: &Arguments) -> Result<ListRequest, CliError> {
    let repository = match &arguments.repo {
        Some(path) => {
            let path = context.path(path);
            let root = match main_checkout_of(&path) {
                Some(root) => root,
                None => repository_at(context, &path)?,
            };
            let known = context.engine.known_repository(&root)?;
            let known = match known {
                Some(repository) => Some(repository.id),
                None => context.moved_repository(&root)?,
            };
            Some(known.unwrap_or(NO_REPOSITORY))
        }
        None if arguments.all => None,
        None => context.scope()?,
    };
    Ok(ListRequest {
        repository,
        statuses: arguments.status.clone(),
        needs_me: arguments.needs_me,
        archived: arguments.all,
    })
}
