//! `rebase`: put the commits of a session onto its base, and go on after a conflict.

use std::process::ExitCode;

use clap::Args;
use orchestra_core::{BranchName, RebaseState, SessionId, visible_line};
use orchestra_engine::{CommitInfo, Conflicts, RebaseAction, RebaseDone};

use super::conflicts;
use crate::Done;
use crate::context::Context;
use crate::error::CONFLICTS;
use orchestra_server::{base_note, landing};

/// Put a session's commits onto its base
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rebase login                    onto its base
  rebase login --onto develop     onto another branch, which becomes its base
  rebase login --continue         after every conflict is resolved
  rebase login --abort            everything as before

Where a commit does not fit, the session is conflicted and the exit code is 7. `conflicts` shows
the files, `resolve` decides one, `iterate` asks the agent to. The rebase is one of git's: its own
commands work in the worktree as well.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// Another branch than its base
    #[arg(long, value_name = "BRANCH", conflicts_with = "action")]
    onto: Option<BranchName>,
    /// Commit what was resolved and go on
    #[arg(long = "continue", group = "action")]
    go_on: bool,
    /// Leave out the commit that does not fit and go on
    #[arg(long, group = "action")]
    skip: bool,
    /// Give the rebase up; everything is as before it
    #[arg(long, group = "action")]
    abort: bool,
}

impl Arguments {
    fn action(&self) -> Option<RebaseAction> {
        let choices = [
            (self.go_on, RebaseAction::Continue),
            (self.abort, RebaseAction::Abort),
            (self.skip, RebaseAction::Skip),
        ];
        let chosen = choices.into_iter().find(|(is_chosen, _)| *is_chosen);
        chosen.map(|(_, action)| action)
    }
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let id = context.session(&arguments.session)?.session.id;
    let done = match arguments.action() {
        Some(action) => context.engine.rebase_step(&id, action)?,
        None => context.engine.rebase(&id, arguments.onto.as_ref())?,
    };
    let conflicts = landing::rebase_outcome(&context.engine, &id, &done)?;
    if context.printer.json {
        let answer = landing::rebased(&context.engine, &id, &done, conflicts.as_ref())?;
        context.printer.json(&answer);
    } else {
        show(context, &id, &done, conflicts.as_ref());
    }
    Ok(match conflicts {
        Some(_) => ExitCode::from(CONFLICTS),
        None => ExitCode::SUCCESS,
    })
}

fn show(context: &Context, id: &SessionId, done: &RebaseDone, conflicts: Option<&Conflicts>) {
    let printer = &context.printer;
    if let Some(note) = done.base.as_ref().and_then(base_note::note) {
        printer.note(note);
    }
    for CommitInfo { id, subject, .. } in &done.dropped {
        let subject = visible_line(subject);
        printer.note(format!(
            "left out, it changes nothing any more: {} {subject}",
            id.short()
        ));
    }
    let session = &done.view.session;
    let (branch, onto) = (&session.branch, &done.onto_name);
    let at = done.onto.short();
    match (done.state, conflicts) {
        (RebaseState::Conflicted, Some(found)) => {
            conflicts::show(context, id, found);
        }
        (RebaseState::UpToDate, _) => {
            printer.line(format!("{branch} is on top of {onto} ({at}) already"));
        }
        (RebaseState::Aborted, _) => {
            printer.line(format!("the rebase onto {onto} was given up"));
            printer.note(format!(
                "  orchestra session undo {id}   brings the conflict back"
            ));
        }
        (RebaseState::Finished | RebaseState::Conflicted, _) => {
            printer.line(format!("{branch} is on top of {onto} ({at})"));
            printer.note(format!("  orchestra session undo {id}   takes it back"));
        }
    }
}
