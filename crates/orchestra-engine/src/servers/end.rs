//! Ending servers: one that somebody names, or all of a session that goes away.

use std::time::{Duration, Instant};

use orchestra_core::{ScriptRun, SessionId};
use orchestra_store::Control;

use crate::environment::EnvironmentError;
use crate::lease::Held;
use crate::work::Work;
use crate::{Engine, EngineError};

/// How long a server may take to end after its grace is over.
const AFTER_GRACE: Duration = Duration::from_secs(30);

/// What is done about servers whose runner died: depends on who has the right to.
type Recover = fn(&Engine, &SessionId) -> Result<Vec<String>, EngineError>;

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
                self.wait_until_ended(run, Self::recover_to_end).map(Some)
            }
            None => Ok(None),
        }
    }

    /// Ends every server of a session; none begins while the answer is kept. They are asked at once, so it takes as long as
    /// the slowest one.
    pub(crate) fn end_servers(&self, id: &SessionId) -> Result<Held, EngineError> {
        let servers = self.take_servers(id)?;
        self.settle_to_end(id)?;
        let running = self.unfinished_servers_of(id)?;
        for run in &running {
            self.ask_to_end(run)?;
        }
        for run in &running {
            self.wait_until_ended(run, Self::settle_to_end)?;
        }
        self.failpoints.pass("servers.ended");
        Ok(servers)
    }

    fn ask_to_end(&self, run: &ScriptRun) -> Result<(), EngineError> {
        self.stop_work(&Work::Script(run.clone()), Control::Stop)
    }

    /// Its runner may die meanwhile; then another one ends it, or what is left of it is ended here.
    fn wait_until_ended(
        &self,
        run: &ScriptRun,
        recover: Recover,
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
            recover(self, &run.session)?;
            self.wait_for_change(version, Duration::from_millis(50))?;
        }
    }
}
