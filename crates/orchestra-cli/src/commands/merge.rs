//! `merge`: the work of a session becomes part of its base.

use std::process::ExitCode;

use clap::Args;
use orchestra_api::{ErrorBody, Merge, MergeAnswer, SessionAnswer};
use orchestra_core::{BranchName, CheckName, MergedAs, ScriptRun};
use orchestra_engine::{
    CommandMoment, EngineError, MergeError, MergeMode, MergeRequest, Merged, PushDone, SessionView,
    chain,
};

use super::{allowed, cleanup, push, run};
use crate::Done;
use crate::context::Context;
use crate::error::CliError;
use crate::render::{base, screen, wire};

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
    /// Allow the command in commands.after_merge if it comes from the repository's own settings file
    #[arg(long, short)]
    pub(crate) yes: bool,
}

impl How {
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
    let view = context.session(&arguments.session)?;
    context.in_repository(&view.repository.root, |context| {
        run_in(context, arguments, &view)
    })
}

fn run_in(context: &Context, arguments: &Arguments, view: &SessionView) -> Done {
    let id = &view.session.id;
    let mut request = MergeRequest {
        into: arguments.into.clone(),
        message: arguments.message.clone(),
        ..arguments.how.request()
    };
    if !arguments.cherry_pick.is_empty() {
        request.mode = MergeMode::CherryPick(arguments.cherry_pick.clone());
    }
    let merged = match context.engine.merge(id, &request) {
        // What is left to do of the same command.
        Err(EngineError::Merge(MergeError::Landed { .. })) if arguments.push => {
            return push::tell(context, &context.engine.push_landed(id, None)?);
        }
        merged => merged?,
    };
    if !context.printer.json {
        show(context, &merged);
    }
    let after = after_merge(context, &merged, arguments.how.yes)?;
    let pushed = arguments
        .push
        .then(|| context.engine.push_landed(id, None))
        .transpose()
        .map_err(CliError::from);
    if !merged.is_partial {
        cleanup::after_landing(context, id);
    }
    match context.printer.json {
        true => answer(context, &merged, after.as_ref(), pushed),
        false => next_steps(context, &merged, pushed),
    }
}

fn answer(
    context: &Context,
    merged: &Merged,
    after: Option<&ScriptRun>,
    pushed: Result<Option<PushDone>, CliError>,
) -> Done {
    let exit = pushed.as_ref().err().map_or(0, |error| error.exit);
    let (done, error) = match pushed {
        Ok(done) => (done, None),
        Err(error) => (None, Some(error)),
    };
    let SessionAnswer { seq, session } = wire::answer(context, &merged.view.session.id)?;
    context.printer.json(&MergeAnswer {
        seq,
        session,
        merge: merge_row(context, merged, after),
        pushed_to: done.map(|done| format!("{}/{}", done.push.remote, done.push.branch)),
        push_error: error.map(|error| ErrorBody {
            code: error.code,
            message: error.message,
            hint: error.hint,
        }),
    });
    Ok(ExitCode::from(exit))
}

/// A push that failed is the failure of the command; what landed has been told.
fn next_steps(
    context: &Context,
    merged: &Merged,
    pushed: Result<Option<PushDone>, CliError>,
) -> Done {
    let id = &merged.view.session.id;
    match pushed? {
        Some(done) => context.printer.note(push::line(&done)),
        None => context.printer.note(format!(
            "  orchestra session undo {id}      take it back, until it is pushed"
        )),
    }
    if !merged.is_partial {
        context.printer.note(format!(
            "  orchestra session cleanup {id}   move its worktree into the trash"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs what is set for after a merge. That it fails is told, and the merge stays.
fn after_merge(
    context: &Context,
    merged: &Merged,
    yes: bool,
) -> Result<Option<ScriptRun>, CliError> {
    if merged.how == MergedAs::AlreadyThere {
        return Ok(None);
    }
    let repository = &merged.view.repository;
    let moment = CommandMoment::AfterMerge;
    let Some(command) = allowed::command(context, repository, moment, yes)? else {
        return Ok(None);
    };
    let id = &merged.view.session.id;
    let run = context.engine.run_after_merge(id, &command);
    tell_after_merge(context, run.as_ref());
    Ok(run.ok())
}

/// How the command after a merge went.
pub(crate) fn tell_after_merge(context: &Context, run: Result<&ScriptRun, &EngineError>) {
    let problem = match run {
        Ok(run) => {
            run::tell(context, run);
            if run.finished.is_some_and(|end| end.result.passed()) {
                return;
            }
            let log = context.engine.script_log(run);
            format!("failed; its output is in {}", screen::path(&log))
        }
        Err(error) => format!("did not run: {}", chain::text(error)),
    };
    let setting = CommandMoment::AfterMerge.setting();
    context
        .printer
        .warn(format!("the merge stays, but `{setting}` {problem}"));
}

pub(crate) fn merge_row(context: &Context, merged: &Merged, after: Option<&ScriptRun>) -> Merge {
    Merge {
        into: merged.into.to_string(),
        from: merged.from.to_string(),
        base_note: base::landing_note(&merged.base),
        commit: merged.commit.to_string(),
        how: merged.how,
        checkout: merged.checkout.clone(),
        is_partial: merged.is_partial,
        overridden: merged.overridden.clone(),
        after_merge: after.map(|run| wire::script_run(context, run)),
    }
}

/// What happened, in words.
pub(crate) fn show(context: &Context, merged: &Merged) {
    let (name, into) = (&merged.view.session.name, &merged.into);
    let commit = merged.commit.short();
    if let Some(note) = base::landing_note(&merged.base) {
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
