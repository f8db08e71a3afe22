//! Committing what a person did. It can be undone.

use std::path::PathBuf;

use orchestra_core::status::Settlement;
use orchestra_core::{Change, CommitId, OperationKind, SessionId};
use orchestra_git::{CommitRequest, FileChange, Prepared, Snapshot, SnapshotScope, Worktree};

use crate::operations::Draft;
use crate::view::SessionView;
use crate::{Engine, EngineError};

/// A commit made on request.
#[derive(Debug, Clone)]
pub struct CommitDone {
    /// The commit.
    pub commit: CommitId,
    /// What it changed.
    pub changes: Vec<FileChange>,
    /// Repositories inside the worktree, which were left out.
    pub left_out: Vec<PathBuf>,
    /// What stays uncommitted, those repositories too.
    pub uncommitted: Vec<PathBuf>,
}

impl Engine {
    /// Commits changes a person made, all of them or only some paths.
    ///
    /// # Errors
    /// If something works on the session, or there is nothing to commit.
    pub fn commit(
        &self,
        id: &SessionId,
        message: &str,
        paths: &[PathBuf],
    ) -> Result<CommitDone, EngineError> {
        require_message(message)?;
        let subject = self.redact(message.trim().lines().next().unwrap_or_default());
        self.or_finished(
            id,
            self.commit_now(id, message, paths),
            |error| matches!(error, EngineError::NothingToCommit { .. }),
            |done| done.kind == OperationKind::Commit && done.summary == subject,
        )
    }

    fn commit_now(
        &self,
        id: &SessionId,
        message: &str,
        paths: &[PathBuf],
    ) -> Result<CommitDone, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        let worktree = self.worktree_of(&view.session)?;
        self.require_own_branch(&view.session, &worktree)?;
        worktree.clear_stale_locks()?;
        let kept = self.take_snapshot(&view.session, &worktree, SnapshotScope::Index)?;
        let request = CommitRequest {
            paths: (!paths.is_empty()).then(|| paths.to_vec()),
            ..CommitRequest::new(message)
        };
        let prepared = match worktree.prepare_commit(&request) {
            Ok(Some(prepared)) => prepared,
            nothing => {
                kept.remove()?;
                nothing?;
                return Err(EngineError::NothingToCommit {
                    session: id.clone(),
                    nested: worktree.status()?.nested(),
                });
            }
        };
        self.failpoints.pass("commit.prepared");
        let uncommitted = self.publish_by_hand(&view, &worktree, &prepared, &kept)?;
        self.committed(&view, &worktree, prepared, uncommitted)
    }

    /// Answers what stays uncommitted.
    fn publish_by_hand(
        &self,
        view: &SessionView,
        worktree: &Worktree,
        prepared: &Prepared,
        kept: &Snapshot,
    ) -> Result<Vec<PathBuf>, EngineError> {
        let change = Change::Index {
            branch: view.session.branch.clone(),
            from: prepared.parent.clone(),
            to: prepared.commit.clone(),
            index: None,
        };
        let summary = self.redact(&prepared.subject);
        let draft = Draft {
            snapshot: Some(kept),
            ..Draft::new(&view.session, OperationKind::Commit, change, summary)
        };
        self.operate(&draft, || {
            worktree.publish_commit(prepared)?;
            let status = worktree.status()?;
            let (mut files, nested) = (status.uncommitted(), status.nested());
            files.retain(|path| !nested.contains(path));
            if !files.is_empty() {
                kept.record_uncommitted(&files)?;
            }
            worktree.record_left(kept)?;
            Ok(status.uncommitted())
        })
    }

    fn committed(
        &self,
        view: &SessionView,
        worktree: &Worktree,
        prepared: Prepared,
        uncommitted: Vec<PathBuf>,
    ) -> Result<CommitDone, EngineError> {
        if uncommitted.is_empty() {
            self.settle_interruption(view, Settlement::Kept, "kept by a commit")?;
        }
        self.refresh(&view.session.id)?;
        let repository = worktree.repository();
        let changes = repository.changes_between(&prepared.parent, &prepared.commit)?;
        Ok(CommitDone {
            commit: prepared.commit,
            changes,
            left_out: prepared.left_out,
            uncommitted,
        })
    }
}

/// A commit without a message tells nobody anything.
pub(crate) fn require_message(message: &str) -> Result<(), EngineError> {
    if !message.trim().is_empty() {
        return Ok(());
    }
    Err(EngineError::Invalid {
        problem: "the commit message is empty".to_owned(),
        way_out: Some("say what changed: --message \"...\"".to_owned()),
    })
}
