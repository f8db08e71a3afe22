//! An advance that was cut off at any moment is finished or taken back, by where the branch is.

use orchestra_core::CommitId;

use super::{Advance, AdvanceError};
use crate::error::GitError;
use crate::git_process::wait_for_others_in;
use crate::repository::Repository;

/// Where an advance that was cut off ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdvanceEnd {
    /// Branch and files are as before.
    Old,
    /// Branch and files are as wanted.
    New,
    /// Somebody moved the branch since, to here, and nothing was touched.
    Elsewhere(Option<CommitId>),
}

impl Repository {
    /// Makes the files of the branch's checkout agree with the branch, wherever an advance was cut off. Files that are neither
    /// as before nor as wanted stay. Doing it twice is harmless.
    ///
    /// # Errors
    /// If the checkout is busy or git fails.
    pub fn finish_advance(&self, advance: &Advance) -> Result<AdvanceEnd, AdvanceError> {
        self.wait_for_orphans(advance)?;
        self.clear_locks_of_cut_off_move(&advance.branch, &advance.to)?;
        let current = self.find_branch(&advance.branch)?;
        let (settled, other, target) = match current {
            Some(commit) if commit == advance.to => (AdvanceEnd::New, &advance.from, &advance.to),
            Some(commit) if commit == advance.from => (AdvanceEnd::Old, &advance.to, &advance.from),
            current => return Ok(AdvanceEnd::Elsewhere(current)),
        };
        if let Some(worktree) = self.branch_place(&advance.branch)?.require_free()? {
            worktree
                .settle_files(other, target)
                .map_err(|source| AdvanceError::files(&worktree, source))?;
        }
        Ok(settled)
    }

    /// A git process whose parent was killed still writes files to the end.
    fn wait_for_orphans(&self, advance: &Advance) -> Result<(), GitError> {
        for checkout in self.branch_place(&advance.branch)?.checkouts {
            wait_for_others_in(checkout.worktree.path())?;
            wait_for_others_in(checkout.worktree.admin_dir())?;
        }
        Ok(())
    }
}
