//! `resolve`: decide a conflict in one file.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgGroup, Args};
use orchestra_engine::{Consent, ResolveHow, SessionView};

use super::allowed;
use crate::Done;
use crate::context::Context;
use crate::render::screen;
use orchestra_server::landing;

/// Decide a conflict in one file
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("how").required(true)), after_help = "\
Examples:
  resolve login src/main.rs --edited        as the file is now, with no markers left
  resolve login README.md --ours            the base's version
  resolve login README.md --theirs          the session's version
  resolve login package-lock.json --regenerate

A version may be that there is no such file. --regenerate is for lockfiles: it takes the base's and
runs the package manager, or the repository's script `install`, in the worktree. `undo` brings the
conflict back.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// The file, from the top of the worktree
    path: PathBuf,
    /// Take the base's version
    #[arg(long, group = "how")]
    ours: bool,
    /// Take the session's version
    #[arg(long, group = "how")]
    theirs: bool,
    /// Take the file as it is in the worktree
    #[arg(long, group = "how")]
    edited: bool,
    /// Let the package manager write the lockfile again
    #[arg(long, group = "how")]
    regenerate: bool,
    /// Allow the script `install` if it comes from the repository's own settings file
    #[arg(long, short)]
    yes: bool,
}

impl Arguments {
    /// Exactly one of them is given.
    fn how(&self) -> ResolveHow {
        if self.ours {
            ResolveHow::Ours
        } else if self.theirs {
            ResolveHow::Theirs
        } else if self.regenerate {
            ResolveHow::Regenerate
        } else {
            debug_assert!(self.edited, "one of them is given");
            ResolveHow::Edited
        }
    }
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    context.in_session(&arguments.session, |context, view| {
        resolve(context, arguments, view)
    })
}

fn resolve(context: &Context, arguments: &Arguments, view: &SessionView) -> Done {
    let id = &view.session.id;
    if arguments.regenerate {
        let repository = &view.repository;
        let setting = "scripts.install";
        let install = context
            .engine
            .project_command(Some(repository.id), setting)?;
        let install = install.into_iter().collect();
        let consent = Consent::given_if(arguments.yes);
        allowed::ask_until_run(context, repository, install, consent)?;
    }
    let done = context
        .engine
        .resolve(id, &arguments.path, &arguments.how())?;
    if context.printer.json {
        let answer = landing::resolved(&context.engine, id, done)?;
        context.printer.json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    let path = screen::path(&done.file.path);
    context.printer.line(format!("resolved {path}"));
    match done.left.as_slice() {
        [] => context.printer.note(format!(
            "every conflict is resolved\n  orchestra session rebase {id} --continue   goes on"
        )),
        left => {
            let left: Vec<_> = left.iter().map(|path| screen::path(path)).collect();
            context
                .printer
                .note(format!("conflicts are left: {}", left.join(", ")));
        }
    }
    Ok(ExitCode::SUCCESS)
}
