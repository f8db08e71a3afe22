//! Servers whose runner died: one that goes on gets another runner; what is left of the others is ended, and their runs are
//! closed.

use std::fs;
use std::time::Duration;

use orchestra_core::status::Lease;
use orchestra_core::{ScriptEnd, ScriptResult, ScriptRun, SessionId, Timestamp};

use super::take_over::taken_over;
use crate::lease::Held;
use crate::{Engine, EngineError, chain};

/// Somebody who only looks at a lease holds it for an instant.
const READER_PATIENCE: Duration = Duration::from_secs(1);

/// What becomes of a server that goes on without a runner and cannot be given another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotTakenOver {
    /// It goes on, and is tried again.
    Left,
    /// It is wanted gone.
    Ended,
}

/// What is said of a server that could not be given another runner.
fn left_alone(run: &ScriptRun, error: &EngineError) -> String {
    let (name, why) = (&run.script, chain::text(error));
    format!("the server `{name}` goes on without a runner: {why}")
}

impl Engine {
    /// Takes servers over that go on without a runner, and closes the runs of those that nothing carries any more, unless
    /// somebody starts or ends servers just now. Answers what was done, and what could not be.
    pub(crate) fn recover_servers(&self, id: &SessionId) -> Result<Vec<String>, EngineError> {
        let unfinished = self.unfinished_servers_of(id)?;
        if !unfinished
            .iter()
            .any(|run| self.lease_of(run) == Lease::Free)
        {
            return Ok(Vec::new());
        }
        match self.try_servers(id)? {
            Some(_servers) => self.settle_servers(id, NotTakenOver::Left),
            None => Ok(Vec::new()),
        }
    }

    /// Settles one server that is wanted gone, and no other, unless somebody else starts or ends servers just now.
    pub(super) fn settle_to_end(
        &self,
        run: &ScriptRun,
        right: Option<&Held>,
    ) -> Result<(), EngineError> {
        if self.lease_of(run) != Lease::Free {
            return Ok(());
        }
        let taken = match right {
            Some(_) => None,
            None => self.try_servers(&run.session)?,
        };
        if right.is_none() && taken.is_none() {
            return Ok(());
        }
        // Somebody may have settled it before the right was ours.
        let current = self.script_run(run.key)?;
        if current.finished.is_none() && self.lease_of(&current) == Lease::Free {
            self.settle_server(&current, NotTakenOver::Ended)?;
        }
        Ok(())
    }

    pub(super) fn try_servers(&self, id: &SessionId) -> Result<Option<Held>, EngineError> {
        let servers = self.leases.try_servers(id);
        servers.map_err(|source| EngineError::io("lock the session's servers", source))
    }

    /// Only for whoever has the right to start and end servers of the session: then a runner that was just started is not
    /// mistaken for a dead one.
    pub(super) fn settle_servers(
        &self,
        id: &SessionId,
        otherwise: NotTakenOver,
    ) -> Result<Vec<String>, EngineError> {
        let mut done = Vec::new();
        for run in self.unfinished_servers_of(id)? {
            if self.lease_of(&run) == Lease::Free {
                done.extend(self.settle_server(&run, otherwise)?);
            }
        }
        Ok(done)
    }

    fn settle_server(
        &self,
        run: &ScriptRun,
        otherwise: NotTakenOver,
    ) -> Result<Option<String>, EngineError> {
        if self.has_guardian(run) {
            match self.start_next_runner(run) {
                Ok(()) => return Ok(Some(taken_over(run))),
                Err(error) if otherwise == NotTakenOver::Left && self.goes_on_alone(run) => {
                    return Ok(Some(left_alone(run, &error)));
                }
                Err(error) => {
                    tracing::warn!(code = error.code(), %error, "a server cannot be taken over");
                }
            }
        }
        // A runner whose starter died may be about to begin: it waits, and then finds its run closed.
        let held = self
            .leases
            .server(&run.session, &run.script, READER_PATIENCE)
            .map_err(|source| EngineError::io("lock the server", source))?;
        match held {
            Some(_held) => self.close_abandoned_server(run),
            None => Ok(None),
        }
    }

    fn close_abandoned_server(&self, run: &ScriptRun) -> Result<Option<String>, EngineError> {
        let marker = self.marker_of_run(run)?;
        let swept = orchestra_process::sweep_marked(&marker);
        self.failpoints.pass("server.swept");
        // It may have been closed, or begun and ended, before its lease was taken.
        let current = self.script_run(run.key)?;
        let closed = self.close_script(&current, ScriptResult::Interrupted)?;
        let ended = match swept.killed {
            0 => String::new(),
            killed => format!("; {killed} process(es) it had left were ended"),
        };
        let name = &run.script;
        let what = format!("the server `{name}` is interrupted: its runner died{ended}");
        Ok(closed.map(|_| what))
    }

    /// The servers of a session that have no end recorded.
    pub(crate) fn unfinished_servers_of(
        &self,
        id: &SessionId,
    ) -> Result<Vec<ScriptRun>, EngineError> {
        let runs = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.unfinished_script_runs()?))?;
        let servers = runs.into_iter().filter(|run| run.server.is_some());
        Ok(servers.filter(|run| &run.session == id).collect())
    }

    /// A run that has no end recorded and that nothing carries is as good as over.
    pub(crate) fn as_it_stands(&self, run: ScriptRun) -> ScriptRun {
        if run.finished.is_some() || self.is_carried(&run) {
            return run;
        }
        let end = ScriptEnd {
            at: self.last_sign_of(&run),
            result: ScriptResult::Interrupted,
        };
        ScriptRun {
            finished: Some(end),
            ..run
        }
    }

    /// When a run that nothing carries was last known to live. Nobody saw when it ended: it wrote to its log until then.
    fn last_sign_of(&self, run: &ScriptRun) -> Timestamp {
        let log = fs::metadata(self.script_log(run)).and_then(|log| log.modified());
        let written = log.ok().and_then(|at| Timestamp::try_from(at).ok());
        let server = run.server.as_deref();
        let known = [
            written,
            server.and_then(|facts| facts.ready_at),
            server.and_then(|facts| facts.late_at),
        ];
        let latest = known.into_iter().flatten().max();
        latest.map_or(run.started_at, |at| at.max(run.started_at))
    }
}
