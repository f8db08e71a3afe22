//! Asking a runner to stop, and the runner's side of it.

use std::time::Duration;

use orchestra_core::{EventBody, Iteration, Progress, SessionId};
use orchestra_process::ProcessIdentity;
use orchestra_store::{Control, ControlTarget};

use crate::{Engine, EngineError};

impl Engine {
    /// Asks the running iteration to stop. Its work is kept. Answers the iteration that was asked.
    ///
    /// # Errors
    /// If no iteration runs.
    pub fn stop(&self, id: &SessionId, control: Control) -> Result<Iteration, EngineError> {
        self.recover_session(id)?;
        self.write_stream(|tx| {
            let view = self.view_in(tx, id)?;
            let Some(iteration) = view
                .iteration
                .clone()
                .filter(|iteration| !iteration.progress.is_finished())
            else {
                return Err(EngineError::WrongState {
                    session: id.clone(),
                    status: view.status,
                    why: "nothing runs",
                    way_out: format!("`orchestra session status {id}` shows the last iteration"),
                });
            };
            tx.insert_control(id, ControlTarget::Iteration(iteration.key), control)?;
            tx.append_event(
                Some(id),
                &EventBody::ControlRequested {
                    control: control.name().to_owned(),
                },
            )?;
            Ok(iteration)
        })
    }

    /// Waits until nothing works on the session any more, or the time is over. Answers whether it came to rest.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn wait_until_at_rest(
        &self,
        id: &SessionId,
        longest: Option<Duration>,
    ) -> Result<bool, EngineError> {
        let started = std::time::Instant::now();
        loop {
            let version = self.data_version()?;
            self.recover_session(id)?;
            if !self.session(id)?.status.is_active() {
                return Ok(true);
            }
            if longest.is_some_and(|longest| started.elapsed() >= longest) {
                return Ok(false);
            }
            self.wait_for_change(version, Duration::from_millis(250))?;
        }
    }

    /// Iterations that wait or run, the one that waits longest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn queue(&self) -> Result<Vec<Iteration>, EngineError> {
        let unfinished = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.unfinished_iterations()?))?;
        Ok(unfinished
            .into_iter()
            .filter(|iteration| self.is_alive(iteration))
            .collect())
    }

    fn is_alive(&self, iteration: &Iteration) -> bool {
        match iteration.runner {
            Some(runner) => ProcessIdentity {
                pid: runner.pid,
                started: runner.started,
            }
            .is_alive(),
            None => iteration.progress == Progress::Queued,
        }
    }
}

/// The runner's side: looks for controls when the store changed.
pub(crate) struct ControlWatch<'a> {
    engine: &'a Engine,
    target: ControlTarget,
    seen: Option<i64>,
}

impl<'a> ControlWatch<'a> {
    pub(crate) fn new(engine: &'a Engine, target: ControlTarget) -> Self {
        Self {
            engine,
            target,
            seen: None,
        }
    }

    /// The strongest control that was asked for since the last look.
    pub(crate) fn next(&mut self) -> Option<Control> {
        let version = self.engine.data_version().ok()?;
        if self.seen == Some(version) {
            return None;
        }
        let pending = self
            .engine
            .store
            .read(|tx| Ok::<_, EngineError>(tx.pending_controls(self.target)?))
            .ok()?;
        self.seen = Some(version);
        if pending.is_empty() {
            return None;
        }
        let taken = self.engine.write_stream(|tx| {
            for control in &pending {
                tx.take_control(control.key)?;
            }
            Ok(())
        });
        if let Err(error) = taken {
            tracing::warn!(%error, "cannot mark a control as taken");
        }
        let kill = pending
            .iter()
            .any(|pending| pending.control == Control::Kill);
        Some(if kill { Control::Kill } else { Control::Stop })
    }
}
