//! Why a commit cannot be made.

use std::path::PathBuf;

use orchestra_core::CommitId;

use crate::error::GitError;
use crate::in_progress::InProgress;

/// Why a commit cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// git waits for somebody in this worktree.
    #[error("a {0} is in progress in the worktree")]
    OperationInProgress(InProgress),
    /// There are conflicts.
    #[error("the worktree has unresolved conflicts")]
    Conflicts,
    /// Another git process works in this worktree, or one was killed there.
    #[error("the index is locked by `{}`", .0.display())]
    IndexLocked(PathBuf),
    /// A path names no file.
    #[error("no file of the worktree matches {}", shown(.0))]
    NoSuchPath(Vec<PathBuf>),
    /// A path leads out of the worktree.
    #[error("{} is outside the worktree {}", shown(paths), worktree.display())]
    OutsideWorktree {
        /// The paths, as they were given.
        paths: Vec<PathBuf>,
        /// The worktree.
        worktree: PathBuf,
    },
    /// Nobody is known as the author.
    #[error("git does not know who you are")]
    IdentityUnknown,
    /// Somebody else committed meanwhile.
    #[error("the branch is no longer at {}", parent.short())]
    Moved {
        /// Where it was when the commit was made.
        parent: CommitId,
        /// Where it is.
        current: Option<CommitId>,
    },
    /// Something else.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl CommitError {
    /// A stable name for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::OperationInProgress(_) => "git.operation_in_progress",
            Self::Conflicts => "git.conflicts",
            Self::IndexLocked(_) => "git.index_locked",
            Self::NoSuchPath(_) => "git.no_such_path",
            Self::OutsideWorktree { .. } => "git.path_outside",
            Self::IdentityUnknown => "git.identity_unknown",
            Self::Moved { .. } => "git.branch_moved",
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
            Self::Conflicts => "resolve them in the worktree and `git add` the files".to_owned(),
            Self::IndexLocked(lock) => format!(
                "wait for the other git command; if none runs, remove '{}'",
                lock.display()
            ),
            Self::NoSuchPath(_) | Self::OutsideWorktree { .. } => {
                "paths are relative to the top of the worktree".to_owned()
            }
            Self::IdentityUnknown => {
                "git config --global user.name <name>, and the same for user.email".to_owned()
            }
            Self::Moved { .. } => {
                "look at what is new on the branch, then commit again; no file was changed"
                    .to_owned()
            }
            Self::Git(error) => return error.hint(),
        };
        Some(hint)
    }
}

fn shown(paths: &[PathBuf]) -> String {
    paths
        .iter()
        .map(|path| format!("`{}`", path.display()))
        .collect::<Vec<_>>()
        .join(", ")
}
