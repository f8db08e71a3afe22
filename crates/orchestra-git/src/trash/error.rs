//! Why something cannot go into the trash or come out of it.

use std::path::PathBuf;

use orchestra_core::TrashName;

use crate::error::GitError;
use crate::worktree::WorktreeError;

/// Why something cannot go into the trash or come out of it.
#[derive(Debug, thiserror::Error)]
pub enum TrashError {
    /// Nothing has this name.
    #[error("nothing in the trash is called `{0}`")]
    NoSuchEntry(TrashName),
    /// The name means something else already.
    #[error("`{name}` in the trash is the worktree `{}`", path.display())]
    NameTaken {
        /// The name.
        name: TrashName,
        /// What it stands for.
        path: PathBuf,
    },
    /// Other worktrees are in it, and git would forget them.
    #[error("`{}` contains another worktree of the repository: `{}`", path.display(), inner.display())]
    HasWorktrees {
        /// The worktree.
        path: PathBuf,
        /// The one in it.
        inner: PathBuf,
    },
    /// A part of it has not left its place.
    #[error("`{0}` was not moved into the trash completely")]
    Unfinished(TrashName),
    /// What belongs to an entry is not there.
    #[error("`{}` in the trash is damaged: {reason}", folder.display())]
    Damaged {
        /// The folder of the entry.
        folder: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// git's folder cannot get its name back, and submodules depend on it.
    #[error("git uses `{}` for another worktree now, and the submodules of this one depend on that name", .0.display())]
    AdminTaken(PathBuf),
    /// Something is wrong with the worktree or its branch.
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
}

impl TrashError {
    /// A stable name for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoSuchEntry(_) => "git.trash_no_such_entry",
            Self::NameTaken { .. } => "git.trash_name_taken",
            Self::HasWorktrees { .. } => "git.trash_has_worktrees",
            Self::Unfinished(_) => "git.trash_unfinished",
            Self::Damaged { .. } => "git.trash_damaged",
            Self::AdminTaken(_) => "git.trash_admin_taken",
            Self::Worktree(error) => error.code(),
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoSuchEntry(_) => return None,
            Self::NameTaken { .. } => "restore or delete that one first".to_owned(),
            Self::HasWorktrees { inner, .. } => format!(
                "move it out first: git worktree move '{}' <new place>; or remove it: git worktree remove",
                inner.display()
            ),
            Self::Unfinished(_) => "bring it back first, then take it away again".to_owned(),
            Self::Damaged { folder, .. } => format!(
                "what is left of it is in '{}'; copy what you need and remove the folder",
                folder.display()
            ),
            Self::AdminTaken(admin) => format!(
                "remove the other worktree first; its path is in '{}'",
                admin.join("gitdir").display()
            ),
            Self::Worktree(WorktreeError::PathTaken(path)) => {
                format!("move `{}` away, then try again", path.display())
            }
            Self::Worktree(WorktreeError::BranchCheckedOut { place, .. }) => format!(
                "switch `{}` to another branch first (git switch --detach), then try again",
                place.display()
            ),
            Self::Worktree(error) => return error.hint(),
        };
        Some(hint)
    }
}

impl From<GitError> for TrashError {
    fn from(error: GitError) -> Self {
        Self::Worktree(error.into())
    }
}
