//! Throwing away what an interrupted run left uncommitted. It can be undone.

use std::path::PathBuf;

use orchestra_core::status::Settlement;
use orchestra_core::{Change, Operation, OperationKind, SessionId, next_undo};
use orchestra_git::{CommitError, InProgress, SnapshotScope, Worktree};

use crate::operations::{Draft, Undone};
use crate::review::require_interrupted;
use crate::{Engine, EngineError};

/// Changes that were thrown away, and where they can be had again.
#[derive(Debug, Clone)]
pub struct Discarded {
    /// How many changes were put back or removed.
    pub files: usize,
    /// A patch of them; `None` if there was nothing to discard.
    pub patch: Option<PathBuf>,
    /// Repositories inside the worktree, which stay.
    pub kept: Vec<PathBuf>,
}

impl Engine {
    /// Throws away what an interrupted run left uncommitted, after keeping all of it beside the database.
    ///
    /// # Errors
    /// If the session was not interrupted, or the changes cannot be kept; nothing is thrown away then.
    pub fn discard(&self, id: &SessionId) -> Result<Discarded, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        require_interrupted(&view)?;
        let worktree = self.worktree_of(&view.session)?;
        require_nothing_in_progress(&worktree)?;
        worktree.clear_stale_locks()?;
        let status = worktree.status()?;
        let nested = status.nested();
        if status.change_count() == nested.len() {
            let how = "nothing was left uncommitted";
            self.settle_interruption(&view, Settlement::Discarded, how)?;
            return Ok(Discarded {
                files: 0,
                patch: None,
                kept: nested,
            });
        }
        let kept = self.take_snapshot(&view.session, &worktree, SnapshotScope::Worktree)?;
        let files = status.change_count() - nested.len();
        let draft = Draft {
            snapshot: Some(&kept),
            iteration: view.iteration.as_ref().map(|iteration| iteration.number),
            ..Draft::new(
                &view.session,
                OperationKind::Discard,
                Change::Worktree { restoring: None },
                format!("{files} change(s) discarded"),
            )
        };
        self.operate(&draft, || {
            let after_file = || self.failpoints.pass("discard.dropping");
            worktree.drop_changes(&status, &kept, &after_file)?;
            Ok(worktree.record_left(&kept)?)
        })?;
        self.refresh(id)?;
        Ok(Discarded {
            files,
            patch: Some(kept.patch()),
            kept: nested,
        })
    }

    /// Brings back what the last discard of a session threw away, if nothing else was done since.
    ///
    /// # Errors
    /// If nothing was discarded last, or what came after it would be lost; nothing is changed then.
    pub fn undo_discard(&self, id: &SessionId) -> Result<Undone, EngineError> {
        let operations = self.operations(id)?;
        let is_discard = |operation: &&Operation| operation.kind == OperationKind::Discard;
        if next_undo(&operations).filter(is_discard).is_some() {
            return self.undo(id);
        }
        Err(EngineError::WrongState {
            session: id.clone(),
            status: self.session(id)?.status,
            why: "nothing of it was discarded last",
            way_out: format!("`orchestra session operations {id}` shows what was done"),
        })
    }
}

/// A merge or a rebase is somebody's work too, and is ended with git's own words. A bisection waits for nothing in the files.
fn require_nothing_in_progress(worktree: &Worktree) -> Result<(), EngineError> {
    match worktree.in_progress() {
        None | Some(InProgress::Bisect) => Ok(()),
        Some(operation) => Err(CommitError::OperationInProgress(operation).into()),
    }
}
