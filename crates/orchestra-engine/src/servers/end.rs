//! Ending servers: one that somebody names, or all of a session that goes away.

use std::time::{Duration, Instant};

use orchestra_core::{ScriptRun, SessionId};
use orchestra_store::Control;

use super::recover::NotTakenOver;
use crate::environment::EnvironmentError;
use crate::lease::Held;
use crate::work::Work;
use crate::{Engine, EngineError};

/// How long a server may take to end after its grace is over.
const AFTER_GRACE: Duration = Duration::from_secs(30);

impl Engine {
    /// Ends a server and waits until it has. Answers its run; `None` if it does not run.
    ///
    /// # Errors
    /// If it does not end in time.
    pub fn stop_server(
        &self,
        id: &SessionId,
        name: &str,
    ) -> Result<Option<ScriptRun>, EngineError> {
        self.recover_session(id)?;
        let view = self.session(id)?;
        match view.running_server(name) {
            Some(run) => {
                self.ask_to_end(run)?;
                self.wait_until_ended(run, None).map(Some)
            }
            None => Ok(None),
        }
    }

    /// Ends every server of a session; none begins while the answer is kept. They are asked at once, so it takes as long as
    /// the slowest one.
    pub(crate) fn end_servers(&self, id: &SessionId) -> Result<Held, EngineError> {
        let servers = self.take_servers(id)?;
        self.settle_servers(id, NotTakenOver::Ended)?;
        let running = self.unfinished_servers_of(id)?;
        for run in &running {
            self.ask_to_end(run)?;
        }
        for run in &running {
            self.wait_until_ended(run, Some(&servers))?;
        }
        self.failpoints.pass("servers.ended");
        Ok(servers)
    }

    fn ask_to_end(&self, run: &ScriptRun) -> Result<(), EngineError> {
        self.stop_work(&Work::Script(run.clone()), Control::Stop)
    }

    /// Its runner may die meanwhile; then another one ends it, or what is left of it is ended here. Whoever has the right to
    /// end servers of the session hands it in.
    fn wait_until_ended(
        &self,
        run: &ScriptRun,
        right: Option<&Held>,
    ) -> Result<ScriptRun, EngineError> {
        let deadline = Instant::now() + self.config().core.stop_grace + AFTER_GRACE;
        loop {
            let version = self.data_version()?;
            let current = self.script_run(run.key)?;
            if current.finished.is_some() {
                return Ok(current);
            }
            if Instant::now() > deadline {
                return Err(EnvironmentError::ServerStillRuns {
                    session: run.session.clone(),
                    server: run.script.clone(),
                }
                .into());
            }
            self.settle_to_end(&current, right)?;
            self.wait_for_change(version, Duration::from_millis(50))?;
        }
    }
}
