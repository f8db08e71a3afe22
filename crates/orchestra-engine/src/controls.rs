//! Asking a runner to stop, and the runner's side of it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use orchestra_core::{EventBody, Iteration, SessionId, SessionStatus};
use orchestra_store::{Control, ControlTarget};

use crate::change::busy;
use crate::work::Work;
use crate::{Engine, EngineError};

impl Engine {
    /// Asks what runs in a session to stop: the iteration, whose work is kept, or the script. Answers what was asked.
    ///
    /// # Errors
    /// If nothing runs.
    pub fn stop(&self, id: &SessionId, control: Control) -> Result<Work, EngineError> {
        self.recover_session(id)?;
        let view = self.session(id)?;
        let Some(work) = view.work() else {
            return Err(EngineError::WrongState {
                session: id.clone(),
                status: view.status,
                why: "nothing runs",
                way_out: match view.running_servers().next() {
                    Some(run) => format!(
                        "its server goes on; `orchestra session run {id} {} --stop` ends it",
                        run.script
                    ),
                    None => format!("`orchestra session status {id}` shows the last iteration"),
                },
            });
        };
        self.stop_work(&work, control)?;
        Ok(work)
    }

    /// Asks one piece of work to stop; one that is over takes no notice.
    ///
    /// # Errors
    /// If the store fails.
    pub fn stop_work(&self, work: &Work, control: Control) -> Result<(), EngineError> {
        self.write_stream(|tx| {
            tx.insert_control(work.session(), work.target(), control)?;
            tx.append_event(
                Some(work.session()),
                &EventBody::ControlRequested {
                    control: control.name().to_owned(),
                },
            )?;
            Ok(())
        })
    }

    /// Lets an iteration that waits for its agent's provider try now. `None` if it does not wait.
    pub(crate) fn end_wait(&self, id: &SessionId) -> Result<Option<Iteration>, EngineError> {
        self.write_stream(|tx| {
            let view = self.view_in(tx, id)?;
            let is_parked = view.parked().is_some();
            let Some(iteration) = view.iteration.filter(|_| is_parked) else {
                return Ok(None);
            };
            tx.insert_control(id, ControlTarget::Wait(iteration.key), Control::Stop)?;
            let control = "resume".to_owned();
            tx.append_event(Some(id), &EventBody::ControlRequested { control })?;
            Ok(Some(iteration))
        })
    }

    /// Waits until nothing works on the session any more, or the time is over. Answers whether it came to rest.
    ///
    /// # Errors
    /// If the store cannot be read, or it cannot be told whether something works on the session.
    pub fn wait_until_at_rest(
        &self,
        id: &SessionId,
        longest: Option<Duration>,
    ) -> Result<bool, EngineError> {
        let started = std::time::Instant::now();
        loop {
            let version = self.data_version()?;
            self.recover_session(id)?;
            let view = self.session(id)?;
            if view.status == SessionStatus::Unknown {
                return Err(busy(&view));
            }
            if !view.is_active() {
                return Ok(true);
            }
            if longest.is_some_and(|longest| started.elapsed() >= longest) {
                return Ok(false);
            }
            self.wait_for_change(version, Duration::from_millis(250))?;
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

/// The same for work on several threads that only has to know whether it is to end.
pub(crate) struct StopWatch<'a> {
    controls: Mutex<ControlWatch<'a>>,
    is_stopped: AtomicBool,
}

impl<'a> StopWatch<'a> {
    pub(crate) fn new(engine: &'a Engine, target: ControlTarget) -> Self {
        Self {
            controls: Mutex::new(ControlWatch::new(engine, target)),
            is_stopped: AtomicBool::new(false),
        }
    }

    /// Whether it is to end, from now on for good.
    pub(crate) fn is_stopped(&self) -> bool {
        // Somebody else looks if it is locked, and need not be waited for.
        if let Ok(mut controls) = self.controls.try_lock()
            && controls.next().is_some()
        {
            self.is_stopped.store(true, Ordering::Relaxed);
        }
        self.is_stopped.load(Ordering::Relaxed)
    }
}
