//! Why work cannot be kept or brought back.

use std::path::PathBuf;

use orchestra_core::{BranchName, CommitId};

use crate::error::GitError;
use crate::shown::shown;

/// Why work cannot be kept or brought back.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The changes were made on another commit.
    #[error("the changes were made on {}, and the worktree is on another commit now", kept_on.short())]
    HeadMoved {
        /// Where the worktree was.
        kept_on: CommitId,
        /// The patch that can still be applied by hand.
        patch: PathBuf,
    },
    /// Files would be overwritten.
    #[error("other changes would be overwritten: {}", shown(.0))]
    InTheWay(Vec<PathBuf>),
    /// Somebody staged something else since.
    #[error("other staged changes would be lost{}", shown_after_colon(.0))]
    StagedInTheWay(Vec<PathBuf>),
    /// Somebody works in the worktree. No path if only its commit is another one.
    #[error("the worktree changed while its changes were kept{}", shown_after_colon(.0))]
    ChangedMeanwhile(Vec<PathBuf>),
    /// Somebody else moved the branch at the same moment.
    #[error("branch `{0}` was moved by somebody else")]
    BranchMoved(BranchName),
    /// What was kept is not whole.
    #[error("what was kept in `{}` cannot be read", .0.display())]
    Damaged(PathBuf),
    /// Something else.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl SnapshotError {
    /// A stable name for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::HeadMoved { .. } => "git.head_moved",
            Self::InTheWay(_) => "git.changes_in_the_way",
            Self::StagedInTheWay(_) => "git.staged_in_the_way",
            Self::ChangedMeanwhile(_) => "git.changed_meanwhile",
            Self::BranchMoved(_) => "git.branch_moved",
            Self::Damaged(_) => "git.snapshot_damaged",
            Self::Git(error) => error.code(),
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::HeadMoved { patch, .. } => Some(format!(
                "in the worktree: git apply --3way '{}'",
                patch.display()
            )),
            Self::InTheWay(_) => Some(
                "put these files back, or move them out of the worktree, then try again".to_owned(),
            ),
            Self::StagedInTheWay(_) => Some(
                "in the worktree: git restore --staged <file>, then try again; the file on disk stays"
                    .to_owned(),
            ),
            Self::ChangedMeanwhile(_) | Self::BranchMoved(_) => Some(
                "try again when no other program works in the worktree".to_owned(),
            ),
            Self::Damaged(folder) => Some(format!(
                "look for the files below '{}'",
                folder.join("files").display()
            )),
            Self::Git(error) => error.hint(),
        }
    }
}

fn shown_after_colon(paths: &[PathBuf]) -> String {
    if paths.is_empty() {
        return String::new();
    }
    format!(": {}", shown(paths))
}
