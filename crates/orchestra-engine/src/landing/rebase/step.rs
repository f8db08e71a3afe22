//! Going on with a rebase that waits at a conflict: continue, skip, abort. Each is an operation, so that undo brings the
//! conflict back.

use orchestra_core::{
    Change, CommitId, Landing, Operation, OperationKind, RebaseState, Session, SessionId,
};
use orchestra_git::{
    RebaseError, RebaseOutcome, RebasePlan, RebaseProgress, SnapshotScope, Worktree,
};

use super::RebaseDone;
use crate::landing::HistoryError;
use crate::landing::base::commits_named;
use crate::operations::Draft;
use crate::{Engine, EngineError};

/// What becomes of a rebase that waits at a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RebaseAction {
    /// What was resolved becomes a commit, and the rest follows.
    Continue,
    /// The commit is left out, and the rest follows.
    Skip,
    /// Everything is as before the rebase.
    Abort,
}

impl Engine {
    /// Goes on with a rebase that waits at a conflict, or gives it up.
    ///
    /// # Errors
    /// If none waits, conflicts are left, or somebody changed its steps; nothing is changed then.
    pub fn rebase_step(
        &self,
        id: &SessionId,
        action: RebaseAction,
    ) -> Result<RebaseDone, EngineError> {
        let is_same = |done: &Operation| {
            let before = done.before.rebase.as_ref();
            done.kind == OperationKind::Rebase
                && before.is_some_and(|rebase| done.summary == summary(rebase, action))
        };
        if action == RebaseAction::Skip {
            // The next commit is not the one that was meant.
            self.recover_session(id)?;
            self.require_unfinished(id, is_same)?;
        }
        self.or_finished(id, self.step_now(id, action), has_gone_on, is_same)
    }

    fn step_now(&self, id: &SessionId, action: RebaseAction) -> Result<RebaseDone, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        let session = &view.session;
        let rebase = require_conflict(session)?;
        let worktree = self.worktree_of(session)?;
        worktree.clear_stale_locks()?;
        let outcome = self.step(session, &worktree, action)?;
        let (state, dropped) = match outcome {
            RebaseOutcome::Finished { dropped, .. } => (RebaseState::Finished, dropped),
            RebaseOutcome::Stopped(stop) => (RebaseState::Conflicted, stop.dropped),
            RebaseOutcome::Aborted => (RebaseState::Aborted, Vec::new()),
        };
        let range = (&rebase.onto, &rebase.original);
        let dropped = commits_named(worktree.repository(), range, &dropped)?;
        Ok(RebaseDone {
            state,
            onto_name: rebase.base_name(),
            onto: rebase.onto.clone(),
            base: None,
            dropped,
            view: self.refresh(id)?,
        })
    }

    /// One step, as an operation. Only for whoever has the session's lease.
    pub(crate) fn step(
        &self,
        session: &Session,
        worktree: &Worktree,
        action: RebaseAction,
    ) -> Result<RebaseOutcome, EngineError> {
        let rebase = require_conflict(session)?;
        let wanted = rebase_in_git(session, rebase);
        require_possible(worktree, &wanted, action)?;
        let kept = self.take_snapshot(session, worktree, SnapshotScope::Worktree)?;
        let draft = Draft {
            after: expected(session, action),
            snapshot: Some(&kept),
            ..Draft::new(
                session,
                OperationKind::Rebase,
                Change::Worktree { restoring: None },
                summary(rebase, action),
            )
        };
        let outcome = self.operate_toward(&draft, || {
            let outcome = self.step_in_git(worktree, &wanted, action)?;
            worktree.record_left(&kept)?;
            let after = landing_after(session, rebase, &outcome);
            Ok((outcome, after))
        })?;
        if let RebaseOutcome::Stopped(_) = &outcome {
            self.tell_conflict(session)?;
        }
        Ok(outcome)
    }

    pub(super) fn step_in_git(
        &self,
        worktree: &Worktree,
        wanted: &RebasePlan,
        action: RebaseAction,
    ) -> Result<RebaseOutcome, EngineError> {
        let stamp = self.stamp(worktree.repository())?;
        let after_step = |step| self.pass_rebase_step(step);
        let outcome = match action {
            RebaseAction::Continue => worktree.continue_rebase(wanted, &stamp, &after_step),
            RebaseAction::Skip => worktree.skip_rebase(wanted, &stamp, &after_step),
            RebaseAction::Abort => worktree
                .abort_rebase(wanted)
                .map(|()| RebaseOutcome::Aborted),
        };
        Ok(outcome.map_err(HistoryError::from)?)
    }
}

/// Whether an error says that the rebase is over, or waits somewhere else.
fn has_gone_on(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::History(
            HistoryError::NotConflicted { .. } | HistoryError::Rebase(RebaseError::Unresolved(_))
        )
    )
}

/// The rebase that waits, as it is recorded.
pub(in crate::landing) fn require_conflict(
    session: &Session,
) -> Result<&orchestra_core::Rebase, HistoryError> {
    session
        .rebase
        .as_ref()
        .ok_or_else(|| HistoryError::NotConflicted {
            session: session.id.clone(),
        })
}

/// The rebase as git has to have it.
pub(super) fn rebase_in_git(session: &Session, rebase: &orchestra_core::Rebase) -> RebasePlan {
    let first = std::iter::once(&rebase.stopped_at);
    RebasePlan {
        branch: session.branch.clone(),
        from: rebase.original.clone(),
        onto: rebase.onto.clone(),
        onto_label: rebase.base_name(),
        commits: first.chain(&rebase.rest).cloned().collect(),
    }
}

/// What is recorded of the session after a step.
pub(super) fn landing_after(
    session: &Session,
    rebase: &orchestra_core::Rebase,
    outcome: &RebaseOutcome,
) -> Landing {
    match outcome {
        RebaseOutcome::Finished { .. } => finished(session, rebase),
        RebaseOutcome::Stopped(stop) => stopped(session, rebase, &stop.at, &stop.rest),
        RebaseOutcome::Aborted => Landing {
            rebase: None,
            ..session.landing()
        },
    }
}

pub(super) fn finished(session: &Session, rebase: &orchestra_core::Rebase) -> Landing {
    Landing {
        base_branch: rebase.base_branch.clone(),
        base_remote: rebase.base_remote.clone(),
        base_commit: rebase.onto.clone(),
        rebase: None,
        ..session.landing()
    }
}

pub(super) fn stopped(
    session: &Session,
    rebase: &orchestra_core::Rebase,
    at: &CommitId,
    rest: &[CommitId],
) -> Landing {
    Landing {
        rebase: Some(orchestra_core::Rebase {
            stopped_at: at.clone(),
            rest: rest.to_vec(),
            ..rebase.clone()
        }),
        ..session.landing()
    }
}

/// Where a step goes on, only git tells where it ends. A rebase that is given up is not there any more.
fn expected(session: &Session, action: RebaseAction) -> Landing {
    let mut landing = session.landing();
    if action == RebaseAction::Abort {
        landing.rebase = None;
    }
    landing
}

/// What would be refused is looked at before anything is written down.
fn require_possible(
    worktree: &Worktree,
    wanted: &RebasePlan,
    action: RebaseAction,
) -> Result<(), HistoryError> {
    if action == RebaseAction::Abort {
        return Ok(worktree.require_abortable(wanted)?);
    }
    let progress = worktree.rebase_progress(wanted)?;
    let is_stopped = matches!(progress, RebaseProgress::Stopped(_));
    if action == RebaseAction::Skip || !is_stopped {
        return Ok(());
    }
    let conflicts = worktree.conflicts().map_err(RebaseError::from)?;
    let paths: Vec<_> = conflicts.into_iter().map(|file| file.path).collect();
    match paths.is_empty() {
        true => Ok(()),
        false => Err(RebaseError::Unresolved(paths).into()),
    }
}

fn summary(rebase: &orchestra_core::Rebase, action: RebaseAction) -> String {
    let (at, onto) = (rebase.stopped_at.short(), rebase.base_name());
    match action {
        RebaseAction::Continue => format!("onto {onto}: {at} resolved"),
        RebaseAction::Skip => format!("onto {onto}: {at} left out"),
        RebaseAction::Abort => format!("onto {onto}: given up at {at}"),
    }
}
