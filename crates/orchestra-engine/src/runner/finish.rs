//! The end of an iteration: one transaction that says everything.

use std::time::{Duration, Instant};

use orchestra_core::status::Outcome;
use orchestra_core::{EventBody, Iteration, Progress, SessionStatus};
use orchestra_store::StoreError;

use super::{IterationRun, joined};
use crate::guard;
use crate::notify::Notice;
use crate::view::tell_status;
use crate::{Engine, EngineError};

/// A full disk or a busy store may pass; the work is safe in the worktree meanwhile.
const PATIENCE: Duration = Duration::from_secs(60);

/// An iteration that is over: the event that tells of it, and what the user is told.
pub(super) struct EndedIteration {
    pub(super) event: u64,
    pub(super) notice: Option<Notice>,
}

/// Writes again and again while the store has no room or no time for it.
pub(super) fn patiently<T>(
    mut write: impl FnMut() -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match write() {
            Err(EngineError::Store(StoreError::Full(_) | StoreError::Busy(_)))
                if Instant::now() < deadline =>
            {
                std::thread::sleep(Duration::from_millis(500));
            }
            result => return result,
        }
    }
}

impl IterationRun<'_> {
    pub(super) fn finish(
        mut self,
        outcome: Outcome,
        message: Option<String>,
    ) -> Result<EndedIteration, EngineError> {
        // Before the end is told, so that who waits for it finds what git says now.
        if let Err(error) = self.engine.refresh(&self.session.id) {
            tracing::warn!(code = error.code(), %error, "cannot ask git how the session stands");
        }
        let before = status_before(&self.iteration);
        if let Err(error) = self.conclude_guard() {
            tracing::warn!(code = error.code(), %error, "cannot tell what changed outside of the worktree");
        }
        let guard_note = guard::note(&self.session.id, self.iteration.isolation.as_ref());
        self.iteration.message = joined([message, guard_note, self.port_note.take()]);
        self.iteration.finished_at = Some(self.engine.now());
        self.iteration.progress = Progress::Finished(outcome);
        self.failpoints("runner.finishing");
        let event = patiently(|| self.engine.close_iteration(&self.iteration, before))?;
        self.failpoints("runner.finished");
        let notice = Notice::of_iteration(&self.session, &self.iteration, outcome);
        Ok(EndedIteration { event, notice })
    }
}

impl Engine {
    /// Writes the end of an iteration. Answers the number of the event that tells of it.
    pub(crate) fn close_iteration(
        &self,
        iteration: &Iteration,
        before: SessionStatus,
    ) -> Result<u64, EngineError> {
        let Progress::Finished(outcome) = iteration.progress else {
            return Err(EngineError::Records {
                problem: "an iteration that is not over has no end".to_owned(),
            });
        };
        let id = Some(&iteration.session);
        self.write(|tx| {
            tx.put_iteration(iteration)?;
            if outcome == Outcome::AwaitingInput {
                let question = iteration.summary.clone().unwrap_or_default();
                tx.append_event(
                    id,
                    &EventBody::InputRequested {
                        iteration: iteration.number,
                        question,
                    },
                )?;
            }
            let finished = EventBody::IterationFinished {
                iteration: iteration.number,
                outcome,
                script_passed: iteration.script_passed,
            };
            let event = tx.append_event(id, &finished)?;
            let after = self.view_in(tx, &iteration.session)?.status;
            tell_status(tx, &iteration.session, before, after)?;
            Ok(event)
        })
    }
}

pub(crate) fn status_before(iteration: &Iteration) -> SessionStatus {
    match iteration.progress {
        Progress::Queued => SessionStatus::Queued,
        Progress::Agent | Progress::Commit => SessionStatus::Running,
        Progress::Parked(_) => SessionStatus::Blocked,
        Progress::Script => SessionStatus::Evaluating,
        Progress::Finished(_) => SessionStatus::Idle,
    }
}
