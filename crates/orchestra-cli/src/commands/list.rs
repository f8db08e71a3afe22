//! `list`: sessions in a table. The table comes at once from the store; on a terminal, cells that git has to be asked
//! for fill in after.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use orchestra_api::SessionList;
use orchestra_core::SessionStatus;
use orchestra_engine::{ListRequest, Listing, main_checkout_of};

use crate::Done;
use crate::context::{Context, NO_REPOSITORY};
use crate::error::CliError;
use crate::render::{board, wire};

/// List sessions
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  list                        sessions of the repository you are in, or of all
  list --needs-me             only those that wait for you
  list --status running --status queued
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
    /// Ask git about every session before answering
    #[arg(long)]
    refresh: bool,
}

const FILL_IN: Duration = Duration::from_millis(1_500);

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let request = request(context, arguments)?;
    let mut listing = context.engine.list_sessions(&request)?;
    if arguments.refresh {
        context.engine.refresh_heads(&mut listing.sessions)?;
        context
            .engine
            .refresh_dirty(&mut listing.sessions, Duration::MAX / 4, &mut |_, _| {})?;
    }
    if context.printer.json {
        context.printer.json(&SessionList {
            seq: listing.seq,
            sessions: listing.sessions.iter().map(wire::session).collect(),
        });
        return Ok(ExitCode::SUCCESS);
    }
    show(context, listing, !arguments.refresh)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the table, and on a terminal fills in what git knows.
pub(crate) fn show(context: &Context, mut listing: Listing, fill_in: bool) -> Result<(), CliError> {
    if listing.sessions.is_empty() {
        context.printer.note(
            "no sessions; create one with `orchestra session new --name <name> --prompt \"...\"`",
        );
        return Ok(());
    }
    let lines = board::print(context, &listing.sessions);
    let fits = board::terminal_height().is_some_and(|height| lines < height);
    if !(fill_in && context.printer.is_terminal() && fits) {
        return Ok(());
    }
    context.engine.refresh_heads(&mut listing.sessions)?;
    context
        .engine
        .refresh_dirty(&mut listing.sessions, FILL_IN, &mut |_, _| {})?;
    board::go_up(context, lines);
    board::print(context, &listing.sessions);
    Ok(())
}

fn request(context: &Context, arguments: &Arguments) -> Result<ListRequest, CliError> {
    let repository = match &arguments.repo {
        Some(path) => {
            let path = context.path(path);
            let root = main_checkout_of(&path).ok_or_else(|| {
                CliError::usage(
                    format!("{} is not in a git repository", path.display()),
                    "check the path",
                )
            })?;
            let known = context.engine.known_repository(&root)?;
            Some(known.map_or(NO_REPOSITORY, |repository| repository.id))
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
