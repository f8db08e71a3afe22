//! `diff`: what changed.

use std::process::ExitCode;

use clap::Args;
use orchestra_api::{FileDiff, SessionAnswer, SessionDiff};
use orchestra_core::{IterationNumber, SessionId};
use orchestra_engine::{DiffFormat, DiffWhat};

use crate::Done;
use crate::context::Context;
use crate::error::CliError;
use crate::render::screen::ScreenFilter;
use orchestra_server::wire;

/// What changed in a session
#[derive(Debug, Args)]
#[command(after_help = "\
Without an option: everything since the base, committed or not.

Examples:
  diff login --stat
  diff login --since 2            since before iteration 2
  diff login --unstaged --name-only
  diff login --json --patch       every file with its patch

With --json: a record per file. A patch of more than 1 MiB is left out, and so is what comes after 32 MiB of patches.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// Only what is staged
    #[arg(long, conflicts_with_all = ["unstaged", "since"])]
    staged: bool,
    /// Only what is not staged, new files too
    #[arg(long, conflicts_with = "since")]
    unstaged: bool,
    /// Everything since before this iteration
    #[arg(long, value_name = "ITERATION")]
    since: Option<u32>,
    /// Only the names of changed files
    #[arg(long, conflicts_with = "stat")]
    name_only: bool,
    /// A line per file with how much changed
    #[arg(long)]
    stat: bool,
    /// The changed lines: what is shown without an option, and left out with --json
    #[arg(long, short, conflicts_with_all = ["name_only", "stat"])]
    patch: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    let what = match arguments {
        Arguments { staged: true, .. } => DiffWhat::Staged,
        Arguments { unstaged: true, .. } => DiffWhat::Unstaged,
        Arguments {
            since: Some(number),
            ..
        } => DiffWhat::SinceIteration(IterationNumber(*number)),
        _ => DiffWhat::SinceBase,
    };
    if context.printer.json {
        let SessionAnswer { seq, session } = wire::answer(&context.engine, &view.session.id)?;
        let files = files(context, &view.session.id, &what, arguments.patch)?;
        context.printer.json(&SessionDiff {
            seq,
            session,
            files,
        });
        return Ok(ExitCode::SUCCESS);
    }
    let format = match arguments {
        Arguments {
            name_only: true, ..
        } => DiffFormat::NameOnly,
        Arguments { stat: true, .. } => DiffFormat::Stat,
        _ => DiffFormat::Patch,
    };
    let color = context.printer.has_color();
    let mut filter = ScreenFilter::default();
    context
        .engine
        .diff(&view.session.id, &what, format, color, &mut |chunk| {
            context.printer.foreign(&mut filter, chunk)
        })?;
    Ok(ExitCode::SUCCESS)
}

fn files(
    context: &Context,
    id: &SessionId,
    what: &DiffWhat,
    patch: bool,
) -> Result<Vec<FileDiff>, CliError> {
    if patch {
        let files = context.engine.diff_patches(id, what)?;
        return Ok(files.iter().map(wire::file_patch).collect());
    }
    let changes = context.engine.diff_summary(id, what)?;
    let changes = changes.iter().map(wire::file_change);
    Ok(changes.map(FileDiff::without_patch).collect())
}
