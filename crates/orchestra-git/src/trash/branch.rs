//! The branch of a worktree that is in the trash can be deleted later, and be made again.

use orchestra_core::{BranchName, TrashName, TrashedBranch};

use super::RestoredBranch;
use super::error::TrashError;
use crate::repository::Repository;
use crate::repository_lock::RepositoryLock;

impl Repository {
    /// Lets an entry keep what only the branch leads to, so that the branch can be deleted. Doing it twice is harmless.
    ///
    /// # Errors
    /// If there is no such entry, or git fails.
    pub fn keep_branch_in_trash(
        &self,
        name: &TrashName,
        branch: &BranchName,
    ) -> Result<(), TrashError> {
        let _lock = RepositoryLock::take(self)?;
        let entry = self.require_in_trash(name)?;
        Ok(self.keep_branch(&entry, branch)?)
    }

    /// Makes a branch again whose commits an entry keeps. One that exists is never moved.
    ///
    /// # Errors
    /// If there is no such entry, another branch is in the way, or git fails.
    pub fn restore_branch_from_trash(
        &self,
        name: &TrashName,
        branch: &TrashedBranch,
    ) -> Result<RestoredBranch, TrashError> {
        let _lock = RepositoryLock::take(self)?;
        let entry = self.require_in_trash(name)?;
        self.bring_objects_back(&entry)?;
        self.bring_branch_back(&branch.name, Some(&branch.commit))
    }
}
