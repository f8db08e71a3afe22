//! Giving a rebase up: everything that git tracks is as before it.

use super::marker::Marker;
use super::{RebaseError, RebasePlan, RebaseProgress};
use crate::shadow::Shadow;
use crate::worktree::{Fill, Worktree};

/// What there is to give up.
enum Abortable {
    /// Nothing any more.
    Over,
    /// A rebase that waits for somebody.
    Whole,
    /// A rebase that was cut off on the way to a stop.
    CutOff,
}

impl Worktree {
    /// Puts branch, index and files back to where the rebase began, wherever it was cut off. What was resolved is lost. Steps
    /// that somebody added do not matter, since none is run. Doing it twice is harmless.
    ///
    /// # Errors
    /// If the branch moved or the rebase is over, or files that git does not track are in the way; nothing is changed then. Or
    /// if git fails.
    pub fn abort_rebase(&self, rebase: &RebasePlan) -> Result<(), RebaseError> {
        let is_whole = match self.check_abort(rebase)? {
            Abortable::Over => return Ok(()),
            Abortable::Whole => true,
            Abortable::CutOff => false,
        };
        // Where we were cut off on the way to a stop, there may be files that no index knows.
        let marker = Marker::read(self.admin_dir())?;
        if let Some(marker) = marker.filter(|_| !is_whole) {
            self.settle_files(&marker.toward, &marker.files)?;
        }
        self.fill(&rebase.from, Fill::Again)?;
        self.attach(rebase, "rebase (abort): returning")?;
        Ok(self.drop_record()?)
    }

    /// Whether giving it up would be refused. Changes nothing.
    ///
    /// # Errors
    /// As for [`Worktree::abort_rebase`].
    pub fn require_abortable(&self, rebase: &RebasePlan) -> Result<(), RebaseError> {
        self.check_abort(rebase).map(drop)
    }

    fn check_abort(&self, rebase: &RebasePlan) -> Result<Abortable, RebaseError> {
        let found = match self.rebase_progress(rebase) {
            Ok(RebaseProgress::Aborted) => return Ok(Abortable::Over),
            Ok(RebaseProgress::Finished(_)) => return Err(RebaseError::Finished),
            Ok(RebaseProgress::Stopped(stopped)) if !stopped.is_whole => Abortable::CutOff,
            Ok(RebaseProgress::Stopped(_)) | Err(RebaseError::UnexpectedStep { .. }) => {
                Abortable::Whole
            }
            Err(error) => return Err(error),
        };
        let current = self.repository().find_branch(&rebase.branch)?;
        if current.as_ref() != Some(&rebase.from) {
            return Err(rebase.moved(current));
        }
        self.require_room_for(rebase)?;
        Ok(found)
    }

    /// Files that the index does not have and the branch does would be written over. What the index has
    /// gives way, also a directory to a file.
    fn require_room_for(&self, rebase: &RebasePlan) -> Result<(), RebaseError> {
        let head = self.head()?;
        let head = head.commit().unwrap_or(&rebase.from);
        let shadow = Shadow::of_worktree(self, head)?;
        let indexed = self.indexed_paths(&shadow)?;
        let touched = self
            .repository()
            .touched(head.as_str(), rebase.from.as_str())?
            .into_iter()
            .filter(|one| !indexed.contains(&one.path))
            .collect::<Vec<_>>();
        Ok(self.require_room_after(&touched, indexed)?)
    }
}
