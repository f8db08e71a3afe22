//! Ways out of git's failures with commands of ours, which git's own crate does not know.

use orchestra_core::CommitId;
use orchestra_git::{CommitError, OpenError, PushError, TrashError};

pub(super) fn of_open(error: &OpenError) -> Option<String> {
    match error {
        OpenError::Broken { .. } => {
            Some("`orchestra doctor` looks for half-made worktrees and can remove them".to_owned())
        }
        other => other.hint(),
    }
}

pub(super) fn of_commit(error: &CommitError) -> Option<String> {
    match error {
        CommitError::IndexLocked(_) => Some(
            "wait for the other git command; if none runs, `orchestra doctor --fix` removes the lock"
                .to_owned(),
        ),
        other => other.hint(),
    }
}

pub(super) fn of_push(error: &PushError) -> Option<String> {
    match error {
        PushError::WouldLose { remote, branch, .. } => Some(format!(
            "look at them: git log {remote}/{branch}; if they may be replaced, push with --force-with-lease"
        )),
        PushError::RemoteMoved {
            remote,
            branch,
            tip,
            ..
        } => {
            let newest = tip.commit.as_ref().map_or("<commit>", CommitId::short);
            Some(format!(
                "somebody else pushed there: git log {remote}/{branch}; take it with `git cherry-pick` in the worktree and push again, or replace it with --force-with-lease={newest}"
            ))
        }
        other => other.hint(),
    }
}

pub(super) fn of_trash(error: &TrashError) -> Option<String> {
    match error {
        TrashError::NoSuchEntry(_) => Some("`orchestra trash list` shows what is there".to_owned()),
        TrashError::Unfinished(name) => Some(format!(
            "bring it back: orchestra trash restore {name}; then clean up again"
        )),
        other => other.hint(),
    }
}
