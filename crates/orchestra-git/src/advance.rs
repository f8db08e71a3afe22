//! A branch moves together with the files of the checkout that has it.
//!
//! The branch and the `HEAD` of the checkout are locked as git does, and the old value is compared, while files are written; so
//! nobody can commit or switch in between. Where the files cannot be written the branch stays, and the files are as before.

mod error;
mod finish;
mod place;
mod transaction;

use std::path::PathBuf;

use orchestra_core::{BranchName, CommitId};

pub use error::AdvanceError;
pub use finish::AdvanceEnd;
pub use place::{BranchPlace, Busy, Checkout};
use transaction::{Preparation, RefTransaction};

use crate::reference::RefMove;
use crate::repository::Repository;
use crate::worktree::Worktree;

/// A branch that shall move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advance {
    /// The branch.
    pub branch: BranchName,
    /// Where it must be now.
    pub from: CommitId,
    /// Where it shall be. It need not descend from `from`.
    pub to: CommitId,
    /// The line in the reflog.
    pub why: String,
}

/// What has been done of an advance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdvanceStep {
    /// The branch is locked and has the old value.
    Locked,
    /// The files are those of the new commit, the branch is at the old one.
    FilesWritten,
    /// The branch is at the new commit.
    Moved,
}

impl Repository {
    /// Moves a branch, and the files of its checkout if there is one. Gives back where that is. `after_step` is called after
    /// each step.
    ///
    /// # Errors
    /// If the branch is somewhere else now, its checkout is busy or has changes in the way, or git fails; nothing is changed
    /// then.
    pub fn advance(
        &self,
        advance: &Advance,
        after_step: &dyn Fn(AdvanceStep),
    ) -> Result<Option<PathBuf>, AdvanceError> {
        let checkout = self.branch_place(&advance.branch)?.require_free()?;
        let transaction = self.lock_for(advance, checkout.as_ref())?;
        after_step(AdvanceStep::Locked);
        let again = self.branch_place(&advance.branch)?.require_free()?;
        let path = |worktree: &Worktree| worktree.path().to_owned();
        let (place, now) = (checkout.as_ref().map(path), again.as_ref().map(path));
        if place != now {
            return Err(AdvanceError::CheckoutChanged(advance.branch.clone()));
        }
        if let Some(worktree) = &checkout {
            worktree
                .switch_files(&advance.from, &advance.to)
                .map_err(|source| AdvanceError::files(worktree, source))?;
        }
        after_step(AdvanceStep::FilesWritten);
        self.commit(advance, transaction, checkout.as_ref())?;
        after_step(AdvanceStep::Moved);
        Ok(place)
    }

    /// Whether the branch could move now: all that [`Self::advance`] looks at first. Gives back where it is checked out.
    ///
    /// # Errors
    /// As [`Self::advance`].
    pub fn check_advance(&self, advance: &Advance) -> Result<Option<PathBuf>, AdvanceError> {
        let checkout = self.branch_place(&advance.branch)?.require_free()?;
        let current = self.find_branch(&advance.branch)?;
        if current.as_ref() != Some(&advance.from) {
            return Err(advance.moved(current));
        }
        let Some(worktree) = checkout else {
            return Ok(None);
        };
        let touched = self.touched(advance.from.as_str(), advance.to.as_str())?;
        worktree
            .require_untouched(&advance.from, &touched)
            .map_err(|source| AdvanceError::files(&worktree, source))?;
        Ok(Some(worktree.path().to_owned()))
    }

    fn lock_for(
        &self,
        advance: &Advance,
        checkout: Option<&Worktree>,
    ) -> Result<RefTransaction, AdvanceError> {
        let full_name = advance.branch.full_ref();
        let change = RefMove {
            full_name: &full_name,
            from: Some(&advance.from),
            to: &advance.to,
            why: &advance.why,
        };
        let git_dir = checkout.map_or(self.common_dir(), Worktree::admin_dir);
        match RefTransaction::prepare(self, git_dir, &change)? {
            Preparation::Ready(transaction) => Ok(transaction),
            Preparation::Locked(lock) => Err(AdvanceError::Locked(lock)),
            Preparation::Moved(current) => Err(advance.moved(current)),
        }
    }

    /// A transaction that failed may have taken place all the same: the branch itself tells.
    fn commit(
        &self,
        advance: &Advance,
        transaction: RefTransaction,
        checkout: Option<&Worktree>,
    ) -> Result<(), AdvanceError> {
        let Err(error) = transaction.commit() else {
            return Ok(());
        };
        if self.find_branch(&advance.branch)?.as_ref() == Some(&advance.to) {
            // git was killed after it moved the branch, and before it gave up `HEAD`.
            self.clear_locks_of_cut_off_move(&advance.branch, &advance.to)?;
            return Ok(());
        }
        if let Some(worktree) = checkout {
            worktree
                .settle_files(&advance.to, &advance.from)
                .map_err(|source| AdvanceError::files(worktree, source))?;
        }
        Err(error.into())
    }
}

impl Advance {
    fn moved(&self, current: Option<CommitId>) -> AdvanceError {
        AdvanceError::Moved {
            branch: self.branch.clone(),
            expected: self.from.clone(),
            current,
        }
    }
}
