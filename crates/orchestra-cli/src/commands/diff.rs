//! `diff`: what changed.

use std::process::ExitCode;

use clap::Args;
use orchestra_api::SessionDiff;
use orchestra_core::IterationNumber;
use orchestra_engine::{DiffFormat, DiffWhat};

use crate::Done;
use crate::context::Context;
use crate::render::{screen::ScreenFilter, wire};

/// What changed in a session
#[derive(Debug, Args)]
#[command(after_help = "\
Without an option: everything since the base, committed or not.

Examples:
  diff login --stat
  diff login --since 2            since before iteration 2
  diff login --unstaged --name-only")]
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
        let seq = context.engine.last_seq()?;
        let changes = context.engine.diff_summary(&view.session.id, what)?;
        context.printer.json(&SessionDiff {
            seq,
            session: view.session.id,
            files: changes.iter().map(wire::file_change).collect(),
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
        .diff(&view.session.id, what, format, color, &mut |chunk| {
            context.printer.foreign(&mut filter, chunk)
        })?;
    Ok(ExitCode::SUCCESS)
}
