//! Worktrees: where they are and what belongs to them. Making, listing, removing and repairing them is below.

mod admin;
mod error;
mod fill;
mod list;
mod register;
mod relink;
mod remove;
mod repair;

use std::path::{Path, PathBuf};

pub use error::WorktreeError;
pub use fill::Fill;
pub use list::WorktreeEntry;
pub use register::StartingPoint;
pub use relink::{Former, registered_place, registered_worktrees};
pub use remove::Removal;
pub use repair::{Damage, Finding, HalfMade};

pub(crate) use admin::AdminDir;
use admin::Condition;

use crate::byte_path::resolved;
use crate::error::GitError;
use crate::head::Head;
use crate::in_progress::InProgress;
use crate::reference::{Moved, RefMove};
use crate::repository::Repository;

/// One checkout of a repository: the main one or a linked one.
#[derive(Debug, Clone)]
pub struct Worktree {
    repository: Repository,
    path: PathBuf,
    admin_dir: PathBuf,
}

impl Worktree {
    /// The repository it belongs to.
    #[must_use]
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Its top directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where git keeps what belongs to this worktree alone.
    #[must_use]
    pub fn admin_dir(&self) -> &Path {
        &self.admin_dir
    }

    /// What it has checked out. No git process in the usual case.
    ///
    /// # Errors
    /// If its `HEAD` cannot be read.
    pub fn head(&self) -> Result<Head, GitError> {
        self.repository.head_in(&self.admin_dir)
    }

    /// Moves a reference if it still has the expected value; the reflog of this worktree's `HEAD` is written too.
    ///
    /// # Errors
    /// If git fails for another reason than the value.
    pub fn move_reference(&self, change: &RefMove<'_>) -> Result<Moved, GitError> {
        self.repository.move_reference_in(&self.admin_dir, change)
    }

    /// What git is in the middle of there.
    #[must_use]
    pub fn in_progress(&self) -> Option<InProgress> {
        InProgress::find(&self.admin_dir)
    }

    pub(crate) fn new(repository: &Repository, path: PathBuf, admin_dir: PathBuf) -> Self {
        Self {
            repository: repository.clone(),
            path,
            admin_dir,
        }
    }

    pub(crate) fn index_path(&self) -> PathBuf {
        self.admin_dir.join("index")
    }

    /// The directory is there and is still itself: not a link that somebody put in its place.
    pub(crate) fn require_directory(&self) -> Result<(), GitError> {
        let is_itself = self
            .path
            .canonicalize()
            .is_ok_and(|path| path == self.path && path.is_dir());
        if is_itself {
            Ok(())
        } else {
            Err(GitError::WorktreeMissing(self.path.clone()))
        }
    }
}

impl Repository {
    /// The worktree at `path`, by git's own list and not by what the directory says about itself.
    ///
    /// # Errors
    /// If no worktree of this repository is there.
    pub fn worktree_at(&self, path: &Path) -> Result<Worktree, WorktreeError> {
        let wanted = resolved(path);
        if self.main_checkout().as_ref() == Some(&wanted) {
            return Ok(Worktree::new(self, wanted, self.common_dir().to_owned()));
        }
        let is_whole = |dir: &PathBuf| AdminDir::read(dir.clone()).condition == Condition::Whole;
        match self.find_admin_dir(&wanted)?.filter(is_whole) {
            Some(admin_dir) => Ok(Worktree::new(self, wanted, admin_dir)),
            None => Err(WorktreeError::NotAWorktree(path.to_owned())),
        }
    }
}
