//! Why a worktree or branch cannot be made, used or removed.

use std::path::PathBuf;

use orchestra_core::{BranchName, CommitId};

use crate::error::GitError;

/// Why a worktree or branch cannot be made, used or removed.
#[derive(Debug, thiserror::Error)]
pub enum WorktreeError {
    /// The branch to make exists.
    #[error("the branch `{0}` exists already")]
    BranchTaken(BranchName),
    /// Another branch is where a directory of branches would be, or the other way round.
    #[error("the branch `{branch}` cannot exist beside the branch `{by}`")]
    BranchBlocked {
        /// What was wanted.
        branch: BranchName,
        /// What is in the way.
        by: BranchName,
    },
    /// The branch to adopt does not exist.
    #[error("there is no branch `{0}`")]
    NoSuchBranch(BranchName),
    /// A branch can be checked out once.
    #[error("the branch `{branch}` is checked out at `{}`", place.display())]
    BranchCheckedOut {
        /// The branch.
        branch: BranchName,
        /// The worktree that has it.
        place: PathBuf,
    },
    /// The branch is not where the caller saw it last.
    #[error("the branch `{branch}` is no longer at {}", expected.short())]
    BranchMoved {
        /// The branch.
        branch: BranchName,
        /// Where it should be.
        expected: CommitId,
        /// Where it is, if it exists.
        current: Option<CommitId>,
    },
    /// Something is at the path.
    #[error("`{}` exists already", .0.display())]
    PathTaken(PathBuf),
    /// The directory is gone, but git still has it on its list.
    #[error("git still lists a worktree at `{}`, which is gone", .0.display())]
    PathRegistered(PathBuf),
    /// No worktree of this repository is at the path.
    #[error("`{}` is not a worktree of this repository", .0.display())]
    NotAWorktree(PathBuf),
    /// The main checkout is never removed.
    #[error("`{}` is the main checkout", .0.display())]
    MainCheckout(PathBuf),
    /// It has changes nobody committed.
    #[error("the worktree `{}` has {changes} uncommitted changes", path.display())]
    Dirty {
        /// The worktree.
        path: PathBuf,
        /// How many files.
        changes: usize,
    },
    /// Somebody locked it.
    #[error("the worktree `{}` is locked: {reason}", path.display())]
    Locked {
        /// The worktree.
        path: PathBuf,
        /// What they wrote.
        reason: String,
    },
    /// It could not be made, and what was made of it could not be taken back.
    #[error("`{}` stays half-made, since {undo}", path.display())]
    LeftBehind {
        /// Where it was to be.
        path: PathBuf,
        /// Why it could not be taken back.
        undo: Box<Self>,
        /// Why it could not be made.
        #[source]
        cause: GitError,
    },
    /// Something else.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl WorktreeError {
    /// A stable name for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::BranchTaken(_) => "git.branch_taken",
            Self::BranchBlocked { .. } => "git.branch_blocked",
            Self::NoSuchBranch(_) => "git.no_such_branch",
            Self::BranchCheckedOut { .. } => "git.branch_checked_out",
            Self::BranchMoved { .. } => "git.branch_moved",
            Self::PathTaken(_) => "git.path_taken",
            Self::PathRegistered(_) => "git.path_registered",
            Self::NotAWorktree(_) => "git.not_a_worktree",
            Self::MainCheckout(_) => "git.main_checkout",
            Self::Dirty { .. } => "git.worktree_dirty",
            Self::Locked { .. } => "git.worktree_locked",
            Self::LeftBehind { .. } => "git.worktree_left_behind",
            Self::Git(error) => error.code(),
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::BranchTaken(branch) => {
                format!("choose another name, or work on it with --branch {branch}")
            }
            Self::BranchBlocked { branch, by } => {
                format!(
                    "git keeps branches like files, so `{by}` and `{branch}` exclude each other: rename `{by}` (git branch -m {by} <new name>) or choose another pattern in git.branch_pattern"
                )
            }
            Self::NoSuchBranch(_) => "`git branch` lists the branches that exist".to_owned(),
            Self::BranchCheckedOut { place, .. } => {
                format!(
                    "switch `{}` to another branch first (git switch --detach), or choose another branch",
                    place.display()
                )
            }
            Self::BranchMoved { .. } => {
                "look at what is new on it (git log), then try again".to_owned()
            }
            Self::PathTaken(path) => {
                format!("move `{}` away or choose another path", path.display())
            }
            Self::PathRegistered(_) => "if it is really gone: git worktree prune".to_owned(),
            Self::NotAWorktree(_) => {
                "`git worktree list` shows the worktrees of the repository".to_owned()
            }
            Self::MainCheckout(_) => "only linked worktrees can be removed".to_owned(),
            Self::Dirty { .. } => {
                "commit the changes, or say that they may be discarded".to_owned()
            }
            Self::Locked { path, .. } => format!(
                "if it is no longer needed: git worktree unlock '{}'",
                path.display()
            ),
            Self::LeftBehind { undo, .. } => return undo.hint(),
            Self::Git(error) => return error.hint(),
        };
        Some(hint)
    }
}
