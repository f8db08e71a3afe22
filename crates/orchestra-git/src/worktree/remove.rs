//! Removes a worktree. Its branch is never touched here.

use std::path::Path;

use super::admin::AdminDir;
use super::{Worktree, WorktreeError};
use crate::error::{AtPath, GitError};
use crate::repository_lock::RepositoryLock;

/// What happens to changes nobody committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// They keep the worktree from being removed.
    IfClean,
    /// They are lost.
    DiscardChanges,
}

impl Worktree {
    /// Removes the directory and git's knowledge of it.
    ///
    /// git's own `worktree remove` is not used: it believes what the directory says about itself, and looks for changes with
    /// the repository's configuration.
    ///
    /// # Errors
    /// If it is the main checkout, locked, or has changes that may not be discarded.
    pub fn remove(&self, removal: Removal) -> Result<(), WorktreeError> {
        if self.admin_dir() == self.repository().common_dir() {
            return Err(WorktreeError::MainCheckout(self.path().to_owned()));
        }
        if let Some(reason) = AdminDir::lock_reason(self.admin_dir()) {
            return Err(WorktreeError::Locked {
                path: self.path().to_owned(),
                reason,
            });
        }
        let _lock = RepositoryLock::take(self.repository())?;
        if removal == Removal::IfClean {
            self.require_clean()?;
        }
        remove_if_present(self.path())?;
        Ok(remove_if_present(self.admin_dir())?)
    }

    fn require_clean(&self) -> Result<(), WorktreeError> {
        if !self.path().exists() {
            return Ok(());
        }
        let changes = self.status()?.change_count();
        if changes == 0 {
            Ok(())
        } else {
            Err(WorktreeError::Dirty {
                path: self.path().to_owned(),
                changes,
            })
        }
    }
}

pub(super) fn remove_if_present(dir: &Path) -> Result<(), GitError> {
    match std::fs::remove_dir_all(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).at(dir),
        _ => Ok(()),
    }
}
