//! A rebase, or a step of one, that was cut off. git's record tells how far it came.

use orchestra_core::{Operation, Rebase, Session};
use orchestra_git::{
    RebaseError, RebaseOutcome, RebaseProgress, Snapshot, StoppedRebase, Worktree,
};

use super::step::{RebaseAction, finished, landing_after, rebase_in_git, stopped};
use crate::landing::HistoryError;
use crate::operations::kept_apart;
use crate::recover::{End, Settled};
use crate::{Engine, EngineError, chain};

impl Engine {
    /// Finishes a step of a rebase or puts everything back. What it means for the session is written into the operation.
    pub(crate) fn settle_rebase(&self, session: &Session, operation: &mut Operation) -> Settled {
        let kept = match self.kept_for(operation) {
            Ok(kept) => kept,
            Err(error) => return Settled::unknown(chain::text(&error)),
        };
        let settled = self.try_to_settle_rebase(session, operation, &kept);
        settled.unwrap_or_else(|error| kept_apart(&kept, &error))
    }

    fn try_to_settle_rebase(
        &self,
        session: &Session,
        operation: &mut Operation,
        kept: &Snapshot,
    ) -> Result<Settled, EngineError> {
        let worktree = self.worktree_of(session)?;
        worktree.clear_stale_locks()?;
        worktree.clear_rebase_leftovers()?;
        let (before, after) = (operation.before.rebase.clone(), &operation.after.rebase);
        let settled = match (&before, after) {
            (None, None) => return Ok(Settled::gone("nothing had been changed".to_owned())),
            (None, Some(begun)) => self.settle_beginning(session, &worktree, begun)?,
            (Some(rebase), None) => match worktree.abort_rebase(&rebase_in_git(session, rebase)) {
                Err(RebaseError::Finished) => done(rebase),
                aborted => {
                    aborted.map_err(HistoryError::from)?;
                    Settled::lasts("everything is as before the rebase".to_owned())
                }
            },
            (Some(rebase), Some(_)) => {
                self.settle_step(session, &worktree, operation, rebase, kept)?
            }
        };
        if settled.end == End::Lasts {
            worktree.record_left(kept)?;
        }
        Ok(settled)
    }

    fn settle_beginning(
        &self,
        session: &Session,
        worktree: &Worktree,
        rebase: &Rebase,
    ) -> Result<Settled, EngineError> {
        let wanted = rebase_in_git(session, rebase);
        let progress = worktree.rebase_progress(&wanted);
        if let Ok(RebaseProgress::Stopped(StoppedRebase { is_whole: true, .. })) = progress {
            worktree.complete_stop()?;
            return Ok(waits(rebase));
        }
        worktree.abort_rebase(&wanted).map_err(HistoryError::from)?;
        Ok(Settled::gone(
            "everything is as before the rebase".to_owned(),
        ))
    }

    fn settle_step(
        &self,
        session: &Session,
        worktree: &Worktree,
        operation: &mut Operation,
        rebase: &Rebase,
        kept: &Snapshot,
    ) -> Result<Settled, EngineError> {
        let wanted = rebase_in_git(session, rebase);
        let progress = worktree.rebase_progress(&wanted);
        let stop = match progress.map_err(HistoryError::from)? {
            RebaseProgress::Finished(_) => {
                operation.after = finished(session, rebase);
                return Ok(done(rebase));
            }
            RebaseProgress::Aborted => {
                operation.after.rebase = None;
                return Ok(Settled::lasts("it was given up with git".to_owned()));
            }
            RebaseProgress::Stopped(stop) => stop,
        };
        let is_next = stop.is_whole && stop.at.as_ref() != Some(&rebase.stopped_at);
        if let Some(at) = stop.at.as_ref().filter(|_| is_next) {
            worktree.complete_stop()?;
            operation.after = stopped(session, rebase, at, &stop.rest);
            return Ok(waits(rebase));
        }
        if stop.is_whole && worktree.head()?.commit() == Some(&kept.commit()?) {
            return Ok(self.settle_restoring(session, operation, None));
        }
        let outcome = self.step_in_git(worktree, &wanted, RebaseAction::Continue)?;
        operation.after = landing_after(session, rebase, &outcome);
        Ok(match outcome {
            RebaseOutcome::Stopped(_) => waits(rebase),
            RebaseOutcome::Finished { .. } | RebaseOutcome::Aborted => done(rebase),
        })
    }
}

fn waits(rebase: &Rebase) -> Settled {
    let onto = rebase.base_name();
    Settled::lasts(format!("the rebase onto {onto} waits at a conflict"))
}

fn done(rebase: &Rebase) -> Settled {
    Settled::lasts(format!(
        "the rebase onto {} is finished",
        rebase.base_name()
    ))
}
