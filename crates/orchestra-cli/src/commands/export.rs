//! `export`: a session's work as one patch.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use orchestra_api::SessionAnswer;
use orchestra_core::SessionId;
use orchestra_engine::Exported;

use crate::Done;
use crate::context::Context;
use crate::error::{CliError, REFUSED};
use crate::render::screen;
use crate::render::screen::ScreenFilter;
use orchestra_server::wire;

/// Write a session's work as one patch that `git am` takes
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  export login > login.patch
  export login --patch login.patch
  export login --message \"Fix the login form\" > login.patch

All commits of the session become one in the patch; no branch moves. Uncommitted changes are not
part of it. A single commit keeps its author and its message, unless there is a --message.
`git am` makes the same files and the same message of it; where there are line ends with a carriage
return, or a message that it would read otherwise, the patch is quoted as mails are. A line of the
message that would begin the patch (---, diff --git) is indented by a space, and you are told.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// Write it to this file, which must not exist; - is standard output
    #[arg(long, value_name = "FILE")]
    patch: Option<PathBuf>,
    /// What the commit says; else the session's name and what its commits say
    #[arg(long, short, allow_hyphen_values = true)]
    message: Option<String>,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let id = context.session(&arguments.session)?.session.id;
    match &arguments.patch {
        Some(patch) if patch.as_os_str() != "-" => {
            to_file(context, arguments, &id, &context.path(patch))
        }
        Some(_) | None => to_stdout(context, arguments, &id),
    }
}

fn to_stdout(context: &Context, arguments: &Arguments, id: &SessionId) -> Done {
    if context.printer.json {
        return Err(CliError::usage(
            "a patch is no JSON",
            "give the file to write it to: --patch <file>",
        ));
    }
    let mut filter = ScreenFilter::default();
    let message = arguments.message.as_deref();
    let done = context.engine.export(id, message, &mut |bytes| {
        context.printer.foreign(&mut filter, bytes);
    })?;
    warn(context, id, &done);
    Ok(ExitCode::SUCCESS)
}

fn to_file(context: &Context, arguments: &Arguments, id: &SessionId, patch: &Path) -> Done {
    let mut file = File::create_new(patch).map_err(|error| not_created(patch, &error))?;
    let mut written = Ok(());
    let message = arguments.message.as_deref();
    let exported = context.engine.export(id, message, &mut |bytes| {
        if written.is_ok() {
            written = file.write_all(bytes);
        }
    });
    let done = exported
        .map_err(CliError::from)
        .and_then(|done| match written.and_then(|()| file.sync_all()) {
            Ok(()) => Ok(done),
            Err(error) => Err(CliError::io("write the patch", &error)),
        })
        .inspect_err(|_| remove_unfinished(context, patch))?;
    if context.printer.json {
        let SessionAnswer { seq, session } = wire::answer(&context.engine, id)?;
        context.printer.json(&orchestra_api::Exported {
            seq,
            session,
            patch: patch.to_owned(),
            commit: done.commit.to_string(),
            commits: done.commits,
            subject: done.subject,
            leaves_out_changes: done.leaves_out_changes,
            indented_lines: done.indented_lines,
        });
        return Ok(ExitCode::SUCCESS);
    }
    let shown = screen::path(patch);
    context
        .printer
        .line(format!("{} commit(s) in {shown}", done.commits));
    warn(context, id, &done);
    Ok(ExitCode::SUCCESS)
}

fn not_created(patch: &Path, error: &io::Error) -> CliError {
    if error.kind() != io::ErrorKind::AlreadyExists {
        return CliError::io(&format!("create {}", patch.display()), error);
    }
    CliError {
        code: "export.exists".to_owned(),
        message: format!("{} exists already", patch.display()),
        hint: Some("choose another file, or remove it".to_owned()),
        exit: REFUSED,
        finished: None,
    }
}

/// A patch that is cut off must not look like one.
fn remove_unfinished(context: &Context, patch: &Path) {
    if let Err(error) = std::fs::remove_file(patch) {
        let shown = screen::path(patch);
        context
            .printer
            .warn(format!("cannot remove {shown}: {error}"));
    }
}

fn warn(context: &Context, id: &SessionId, done: &Exported) {
    if done.indented_lines > 0 {
        context.printer.warn(format!(
            "{} line(s) of the message begin with a space in the patch: `git am` would take them for the beginning of the changes",
            done.indented_lines
        ));
    }
    if done.leaves_out_changes == Some(true) {
        context.printer.warn(format!(
            "uncommitted changes are not part of it; `orchestra session commit {id}` commits them"
        ));
    }
}
