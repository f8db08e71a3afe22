//! `commit`: commit changes a person made.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use orchestra_engine::CommitDone;

use crate::Done;
use crate::context::Context;
use crate::render::screen;
use orchestra_server::review;

/// Commit changes you made in a session's worktree
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  commit login --message \"Fix a typo\"\n  commit login -m \"Only the docs\" docs README.md"
)]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// The commit message
    #[arg(long, short, allow_hyphen_values = true)]
    message: String,
    /// Only these files or directories, from the top of the worktree
    paths: Vec<PathBuf>,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    let done = context
        .engine
        .commit(&view.session.id, &arguments.message, &arguments.paths)?;
    if context.printer.json {
        let answer = review::committed(&context.engine, &view.session.id, done)?;
        context.printer.json(&answer);
    } else {
        show(context, &done);
    }
    Ok(ExitCode::SUCCESS)
}

fn show(context: &Context, done: &CommitDone) {
    context.printer.line(format!(
        "{} {} file(s)",
        done.commit.short(),
        done.changes.len()
    ));
    for path in &done.left_out {
        context.printer.warn(format!(
            "{} is a repository of its own and was left out",
            screen::path(path)
        ));
    }
    let stays = done.uncommitted.iter();
    let stays: Vec<_> = stays
        .filter(|path| !done.left_out.contains(path))
        .map(|path| screen::path(path))
        .collect();
    if !stays.is_empty() {
        context
            .printer
            .note(format!("not committed: {}", stays.join(", ")));
    }
}
