//! `data export`: everything that is kept of sessions, in a directory of its own.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgGroup, Args};
use orchestra_core::SessionId;
use orchestra_engine::SessionView;
use orchestra_server::data;

use crate::Done;
use crate::context::Context;
use crate::error::CliError;
use crate::render::screen;

/// Write everything that is kept of sessions into a new directory
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("whose").args(["session", "all"]).required(true))]
#[command(after_help = "\
Examples:
  orchestra data export --session login -o login-data
  orchestra data export --all -o everything --json

For each session: its records as `log --json` and `operations --json` print them, its events, its
transcript line by line, all that its agents and scripts wrote, its artifacts by name, its commits
as a patch and, with those that undo would bring back, as a git bundle, and its snapshots. Records
are as they are stored, without secrets; work is as it is. The directory is for you alone, and is
there whole or not at all.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name; can be repeated
    #[arg(long)]
    session: Vec<String>,
    /// Every session
    #[arg(long)]
    all: bool,
    /// The directory, which must not exist
    #[arg(long, short, value_name = "DIRECTORY")]
    output: PathBuf,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let views = views(context, arguments)?;
    let all = views.len();
    let begins = |id: &SessionId, before: usize| {
        let number = before + 1;
        context.printer.note(format!("{id}  {number} of {all}"));
    };
    let target = context.path(&arguments.output);
    let (exported, left_out) = data::export(&context.engine, &views, &target, begins)?;
    for problem in left_out {
        context.printer.warn(problem);
    }
    if context.printer.json {
        context.printer.json(&exported);
    } else {
        let (files, place) = (exported.files, screen::path(&exported.directory));
        context.printer.line(format!("{files} file(s) in {place}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn views(context: &Context, arguments: &Arguments) -> Result<Vec<SessionView>, CliError> {
    match arguments.all {
        true => Ok(data::every_session(&context.engine)?),
        false => {
            let sessions = arguments.session.iter();
            sessions.map(|text| context.session(text)).collect()
        }
    }
}
