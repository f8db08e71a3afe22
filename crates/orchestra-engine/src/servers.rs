//! Servers: scripts that stay, such as a dev server. One runs beside everything else in its session, so it has a lease of its
//! own instead of the session's; otherwise it is a script run like any other, with its runner, guardian and log. It outlives
//! its runner: the guardian keeps it until another one takes it over.
//!
//! Whoever starts servers of a session, or ends all of them, holds a right of its own meanwhile: none begins while the
//! session is cleaned up or put away.

mod end;
mod readiness;
mod recover;
mod take_over;

use std::time::{Duration, Instant};

use orchestra_core::status::Lease;
use orchestra_core::{ScriptRun, ServerFacts, ServerState, SessionId};
use orchestra_store::NewScriptRun;

pub(crate) use readiness::Readiness;
use recover::NotTakenOver;

use crate::change::busy;
use crate::environment::EnvironmentError;
use crate::iterate::require_usable;
use crate::lease::Held;
use crate::runner::this_process;
use crate::setup::{SetupNeed, require_set_up};
use crate::view::SessionView;
use crate::{Engine, EngineError};

/// Longer than a runner may take to report for work, and than a server takes that is asked to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that runs.
#[derive(Debug, Clone)]
pub struct StartedServer {
    /// Its run.
    pub run: ScriptRun,
    /// Whether it did already.
    pub was_running: bool,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl SessionView {
    /// The servers that run, as far as can be told.
    pub fn running_servers(&self) -> impl Iterator<Item = &ScriptRun> {
        self.servers.iter().filter(|run| is_running(run))
    }

    /// The server of this name, if it runs.
    #[must_use]
    pub fn running_server(&self, name: &str) -> Option<&ScriptRun> {
        self.running_servers().find(|run| run.script == name)
    }
}

impl Engine {
    /// Whether the settings make a script a server.
    #[must_use]
    pub fn is_server(&self, script: &str) -> bool {
        self.config().servers.contains_key(script)
    }

    /// Starts a server in the background, or finds that it runs. Answers once its runner has taken over; it may not be ready
    /// then.
    ///
    /// # Errors
    /// If there is no such script or it is not allowed, the directory is missing, or its port is in use.
    pub fn start_server(
        &self,
        id: &SessionId,
        name: &str,
        setup: SetupNeed,
    ) -> Result<StartedServer, EngineError> {
        self.recover_session(id)?;
        let (name, command) = self.script_of(&self.session(id)?.session, Some(name))?;
        let command = self.redact(command.require_allowed(self)?);
        let _servers = self.take_servers(id)?;
        self.settle_servers(id, NotTakenOver::Left)?;
        let view = self.session(id)?;
        if let Some(run) = view.running_server(&name) {
            return Ok(StartedServer {
                run: run.clone(),
                was_running: true,
                notes: Vec::new(),
            });
        }
        require_usable(&view)?;
        if view.running_setup().is_some() {
            return Err(busy(&view));
        }
        require_set_up(self, &view, setup)?;
        let (facts, note) = self.place_server(&view, &name)?;
        let run = self.record_server(id, &name, &command, &facts)?;
        self.failpoints.pass("server.recorded");
        let notes: Vec<String> = note.into_iter().collect();
        self.say_all_in_log(&run, &notes);
        Ok(StartedServer {
            run: self.hand_over_script(&run)?,
            was_running: false,
            notes,
        })
    }

    /// Whether a server could begin now if it did not run: what would refuse it is found before one that runs is ended.
    ///
    /// # Errors
    /// If there is no such script or it is not allowed, the directory is missing or not set up, or what its settings name
    /// does not exist.
    pub fn require_startable(
        &self,
        id: &SessionId,
        name: &str,
        setup: SetupNeed,
    ) -> Result<(), EngineError> {
        let view = self.session(id)?;
        let (name, command) = self.script_of(&view.session, Some(name))?;
        command.require_allowed(self)?;
        require_usable(&view)?;
        if view.running_setup().is_some() {
            return Err(busy(&view));
        }
        require_set_up(self, &view, setup)?;
        self.require_server_place(&view, &name)
    }

    /// The servers that run, of one session or of all.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn running_servers(
        &self,
        session: Option<&SessionId>,
    ) -> Result<Vec<ScriptRun>, EngineError> {
        let runs = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.server_runs(session)?))?;
        let known = runs.into_iter().map(|run| self.as_it_stands(run));
        Ok(known.filter(is_running).collect())
    }

    /// The right to start and end servers of a session. Whoever has it is waited for.
    pub(crate) fn take_servers(&self, id: &SessionId) -> Result<Held, EngineError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.try_servers(id)? {
                Some(held) => return Ok(held),
                None if Instant::now() > deadline => {
                    let session = id.clone();
                    return Err(EnvironmentError::ServersBusy { session }.into());
                }
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// The run is this process's own until a runner takes it over.
    fn record_server(
        &self,
        id: &SessionId,
        name: &str,
        command: &str,
        facts: &ServerFacts,
    ) -> Result<ScriptRun, EngineError> {
        let new = NewScriptRun {
            session: id,
            iteration: None,
            script: name,
            command,
            started_at: self.now(),
            runner: Some(this_process()),
            commit: None,
            server: Some(facts),
        };
        self.write_stream(|tx| self.record_run(tx, &new))
    }

    /// Whether a run's runner lives, or its guardian keeps it for another one. One that cannot be asked may.
    pub(crate) fn is_carried(&self, run: &ScriptRun) -> bool {
        self.lease_of(run) != Lease::Free || self.goes_on_alone(run)
    }

    /// Whether what carries a run is alive.
    pub(crate) fn lease_of(&self, run: &ScriptRun) -> Lease {
        match run.server {
            Some(_) => self.leases.server_state(&run.session, &run.script),
            None => self.leases.state(&run.session),
        }
    }
}

fn is_running(run: &ScriptRun) -> bool {
    ServerState::of(run).is_some_and(ServerState::is_running)
}
