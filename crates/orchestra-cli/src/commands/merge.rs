//! `merge`: the work of a session becomes part of its base.

use std::process::ExitCode;

use clap::Args;
use orchestra_core::{BranchName, CheckName, MergedAs, SessionId};
use orchestra_engine::{
    AFTER_MERGE, Afterwards, Consent, LandStep, MergeDone, MergeMode, MergeOrder, MergeRequest,
    Merged, SessionView,
};

use super::{afterwards, allowed};
use crate::Done;
use crate::context::Context;
use crate::error::{CliError, exit_of};
use crate::render::screen;
use orchestra_server::base_note;
use orchestra_server::landing::{self, MergeOutcome};

/// Land a session: its work becomes part of its base
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  merge login                                 move the base forward, or make a merge commit
  merge login --squash -m \"Fix the login form\"
  merge login --into release/2 --no-ff
  merge login --cherry-pick 1a2b3c4,5d6e7f8
  merge login --override reviewed             pass over a check; that is recorded
  merge login --push                          then push the base; the same again if only that failed
  merge login --after-merge                   run commands.after_merge again, if that failed

Everything is made in memory first; then the base moves together with the files of the checkout that has it. Where that
checkout is busy, or has changes in files that would change, nothing is done. `undo` takes a merge back until it was pushed.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    #[command(flatten)]
    how: How,
    /// Take these commits only
    #[arg(long, value_name = "COMMITS", value_delimiter = ',', conflicts_with_all = ["ff_only", "no_ff", "squash", "message"])]
    cherry_pick: Vec<String>,
    /// Push the base to its remote then
    #[arg(long, conflicts_with = "cherry_pick")]
    push: bool,
    /// Only run commands.after_merge again, for a session that has landed
    #[arg(long, conflicts_with_all = ["ff_only", "no_ff", "squash", "overridden", "cherry_pick", "into", "message"])]
    after_merge: bool,
    /// The branch to land on [default: the session's base]
    #[arg(long, value_name = "BRANCH")]
    into: Option<BranchName>,
    /// The message of the merge commit or the squashed one
    #[arg(long, short, allow_hyphen_values = true, conflicts_with = "ff_only")]
    message: Option<String>,
}

/// How work lands, for one session or several.
#[derive(Debug, Clone, Args)]
pub(crate) struct How {
    /// Only move the base forward, never make a merge commit
    #[arg(long, conflicts_with_all = ["no_ff", "squash"])]
    ff_only: bool,
    /// Make a merge commit in any case
    #[arg(long, conflicts_with = "squash")]
    no_ff: bool,
    /// Make one commit of it
    #[arg(long)]
    squash: bool,
    /// Pass over a check that fails; can be repeated
    #[arg(long = "override", value_name = "CHECK")]
    overridden: Vec<CheckName>,
    /// Allow the commands it runs if they come from the repository's own settings file
    #[arg(long, short)]
    yes: bool,
}

impl How {
    pub(crate) fn consent(&self) -> Consent {
        Consent::given_if(self.yes)
    }

    pub(crate) fn request(&self) -> MergeRequest {
        let mode = match self {
            Self { ff_only: true, .. } => MergeMode::FastForwardOnly,
            Self { no_ff: true, .. } => MergeMode::MergeCommit,
            Self { squash: true, .. } => MergeMode::Squash,
            _ => MergeMode::Fitting,
        };
        MergeRequest {
            mode,
            overridden: self.overridden.clone(),
            ..MergeRequest::default()
        }
    }
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    context.in_session(&arguments.session, |context, view| {
        merge(context, arguments, view)
    })
}

fn merge(context: &Context, arguments: &Arguments, view: &SessionView) -> Done {
    let id = &view.session.id;
    let order = order(context, arguments, view)?;
    let mut on_step = |view: &SessionView, step: LandStep<'_>| match step {
        LandStep::Landed(merged) if !context.printer.json => show(context, merged),
        step => context.printer.note(landing::step_in_words(view, step)),
    };
    if arguments.after_merge {
        let done = context.engine.finish_landed(id, &order, &mut on_step)?;
        return finished(context, id, done);
    }
    let done = match landing::merge(&context.engine, id, &order, &mut on_step)? {
        MergeOutcome::Landed(done) => *done,
        MergeOutcome::Finished(done) => return finished(context, id, *done),
    };
    match context.printer.json {
        true => answer(context, &done),
        false => next_steps(context, done),
    }
}

fn order(
    context: &Context,
    arguments: &Arguments,
    view: &SessionView,
) -> Result<MergeOrder, CliError> {
    let mut merge = MergeRequest {
        into: arguments.into.clone(),
        message: arguments.message.clone(),
        ..arguments.how.request()
    };
    if !arguments.cherry_pick.is_empty() {
        merge.mode = MergeMode::CherryPick(arguments.cherry_pick.clone());
    }
    let (repository, consent) = (&view.repository, arguments.how.consent());
    let after_merge = match arguments.after_merge {
        true => Some(allowed::require_command(
            context,
            repository,
            AFTER_MERGE,
            consent,
        )?),
        false => allowed::command(context, repository, AFTER_MERGE, consent)?,
    };
    Ok(MergeOrder {
        merge,
        after_merge,
        push: arguments.push,
    })
}

fn answer(context: &Context, done: &MergeDone) -> Done {
    let answer = landing::merge_answer(&context.engine, done)?;
    context.printer.json(&answer);
    let exit = afterwards::exit(&done.afterwards);
    Ok(ExitCode::from(exit.unwrap_or_default()))
}

/// What was left to do for a session that had landed before.
fn finished(context: &Context, id: &SessionId, done: Afterwards) -> Done {
    let exit = match &done.push {
        Some(Err(error)) => exit_of(error),
        Some(Ok(_)) | None => afterwards::exit(&done).unwrap_or_default(),
    };
    if context.printer.json {
        let answer = landing::landed_answer(&context.engine, id, &done)?;
        context.printer.json(&answer);
        return Ok(ExitCode::from(exit));
    }
    afterwards::tell(context, id, &done);
    match done.push {
        Some(Err(error)) => Err(error.into()),
        Some(Ok(_)) | None => Ok(ExitCode::from(exit)),
    }
}

fn next_steps(context: &Context, done: MergeDone) -> Done {
    let (id, after) = (&done.merged.view.session.id, done.afterwards);
    afterwards::tell(context, id, &after);
    let exit = afterwards::exit(&after).unwrap_or_default();
    if after.push.is_none() && after.cleanup.is_none() {
        context.printer.note(format!(
            "  orchestra session undo {id}      take it back, until it is pushed"
        ));
    }
    if !done.merged.is_partial && after.cleanup.is_none() {
        context.printer.note(format!(
            "  orchestra session cleanup {id}   move its worktree into the trash"
        ));
    }
    match afterwards::push_failure(after) {
        Some(error) => Err(error),
        None => Ok(ExitCode::from(exit)),
    }
}

/// What happened, in words.
fn show(context: &Context, merged: &Merged) {
    let (name, into) = (&merged.view.session.name, &merged.into);
    let commit = merged.commit.short();
    if let Some(note) = base_note::landing_note(&merged.base) {
        context.printer.note(note);
    }
    context.printer.line(match merged.how {
        MergedAs::FastForward => format!("landed: {name} in `{into}`, which moved forward to {commit}"),
        MergedAs::MergeCommit => format!("landed: {name} in `{into}` with merge commit {commit}"),
        MergedAs::Squash => format!("landed: {name} in `{into}` as one commit, {commit}"),
        MergedAs::CherryPick if merged.is_partial => {
            format!("some commits of {name} are in `{into}` now, which is at {commit}; the session goes on")
        }
        MergedAs::CherryPick => format!("landed: {name} in `{into}`, which is at {commit}"),
        MergedAs::AlreadyThere => format!("landed: {name} was part of `{into}` already"),
    });
    if merged.is_from_before {
        context
            .printer
            .note("the merge was cut off before, and has been finished");
    }
    if !merged.overridden.is_empty() {
        let names: Vec<_> = merged.overridden.iter().map(ToString::to_string).collect();
        context
            .printer
            .note(format!("passed over: {}", names.join(", ")));
    }
    match &merged.checkout {
        Some(checkout) if merged.from != merged.commit => context.printer.note(format!(
            "the files in {} came along",
            screen::path(checkout)
        )),
        _ => {}
    }
}
