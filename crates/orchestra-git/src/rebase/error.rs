//! Why a rebase cannot stop, go on or be given up.

use std::path::PathBuf;

use orchestra_core::{BranchName, CommitId};

use crate::error::GitError;
use crate::in_progress::InProgress;
use crate::shown::shown;
use crate::switch::SwitchError;

/// Why a rebase cannot stop, go on or be given up.
#[derive(Debug, thiserror::Error)]
pub enum RebaseError {
    /// git waits for somebody in this worktree.
    #[error("a {0} is in progress in the worktree")]
    OperationInProgress(InProgress),
    /// The worktree is not where the rebase left it.
    #[error("the worktree is not on {expected}")]
    HeadElsewhere {
        /// Where it should be.
        expected: String,
    },
    /// Changes that are not part of any commit.
    #[error("the worktree has uncommitted changes: {}", shown(.0))]
    Uncommitted(Vec<PathBuf>),
    /// Conflicts that nobody decided.
    #[error("conflicts are not resolved: {}", shown(.0))]
    Unresolved(Vec<PathBuf>),
    /// Somebody began another rebase.
    #[error("another rebase is in progress in the worktree")]
    AnotherRebase,
    /// A step that nobody recorded, which could run anything.
    #[error("the steps of the rebase were changed: line {line} is `{text}`")]
    UnexpectedStep {
        /// Its line in git's list.
        line: usize,
        /// What it says.
        text: String,
    },
    /// There are changes, but no commit they belong to.
    #[error("the rebase did not stop at a commit, so the changes in the worktree belong to none")]
    NoCommitInProgress,
    /// The branch is not where the rebase began.
    #[error("the branch `{branch}` is no longer at {}", expected.short())]
    BranchMoved {
        /// The branch.
        branch: BranchName,
        /// Where it should be.
        expected: CommitId,
        /// Where it is, if it exists.
        current: Option<CommitId>,
    },
    /// The rebase is over.
    #[error("the rebase is finished already")]
    Finished,
    /// The files cannot be changed.
    #[error(transparent)]
    Files(#[from] SwitchError),
    /// Something else.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl RebaseError {
    /// A stable name for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::OperationInProgress(_) => "git.operation_in_progress",
            Self::HeadElsewhere { .. } => "git.head_moved",
            Self::Uncommitted(_) => "git.worktree_dirty",
            Self::Unresolved(_) => "git.conflicts",
            Self::AnotherRebase => "git.another_rebase",
            Self::UnexpectedStep { .. } => "git.rebase_steps_changed",
            Self::NoCommitInProgress => "git.no_commit_in_progress",
            Self::BranchMoved { .. } => "git.branch_moved",
            Self::Finished => "git.rebase_finished",
            Self::Files(error) => error.code(),
            Self::Git(error) => error.code(),
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::OperationInProgress(operation) => {
                format!("in the worktree: {}", operation.way_out())
            }
            Self::HeadElsewhere { expected } => {
                format!("go back to {expected} (git switch), then try again")
            }
            Self::Uncommitted(_) => "commit or discard them first".to_owned(),
            Self::Unresolved(_) => {
                "decide each of them, for the base (ours), for the session (theirs) or by editing the file"
                    .to_owned()
            }
            Self::AnotherRebase => {
                format!("in the worktree: {}", InProgress::Rebase.way_out())
            }
            Self::UnexpectedStep { .. } => {
                "nothing of it was run; look at it with `git rebase --edit-todo` in the worktree, or give the rebase up"
                    .to_owned()
            }
            Self::NoCommitInProgress => {
                "commit the changes with git in the worktree, then go on".to_owned()
            }
            Self::BranchMoved { .. } => {
                "look at what is new on it (git log), then try again".to_owned()
            }
            Self::Finished => "undo puts the branch back".to_owned(),
            Self::Files(error) => return error.hint(),
            Self::Git(error) => return error.hint(),
        };
        Some(hint)
    }
}
