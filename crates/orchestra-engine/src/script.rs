//! Scripts: named commands of the repository, run in a session's worktree, with live output and a kept log. One that
//! somebody starts by hand holds the session's lease like an iteration does; a server has one of its own.

mod follow;
mod named;
mod output;
mod problem;
mod supervise;

use std::io::Write;
use std::path::{Path, PathBuf};

use orchestra_core::{
    CommitId, EventBody, IterationNumber, SETUP_SCRIPT, ScriptEnd, ScriptResult, ScriptRun,
    Session, SessionId, SessionStatus,
};
use orchestra_store::{NewScriptRun, Tx};

pub use output::ScriptOutput;
use problem::TimeLimit;

use crate::engine::RUN_SCRIPT;
use crate::environment::EnvironmentError;
use crate::iterate::require_startable;
use crate::lease::Held;
use crate::notify::Notice;
use crate::places::open_append_only;
use crate::runner::{LEASE_PATIENCE, this_process};
use crate::setup::{SetupNeed, require_set_up};
use crate::view::{SessionView, tell_status};
use crate::{Engine, EngineError, chain};

/// Begins what we say in the log of a server, whose own words tell that it is ready.
pub(crate) const OWN_WORDS: &str = "orchestra: ";

/// A script to run.
pub(crate) struct ScriptOrder<'a> {
    pub(crate) session: &'a Session,
    /// The iteration it belongs to, with the key whose controls also stop the script.
    pub(crate) iteration: Option<(&'a IterationNumber, i64)>,
    pub(crate) name: &'a str,
    pub(crate) command: &'a str,
    pub(crate) place: ScriptPlace<'a>,
    /// How long it may take.
    pub(crate) limit: Option<TimeLimit>,
}

/// Where a script runs, and what it is told.
#[derive(Clone, Copy)]
pub(crate) enum ScriptPlace<'a> {
    /// In the session's worktree.
    Worktree,
    /// In another directory, with further variables.
    Directory(&'a Path, &'a [(&'static str, String)]),
}

/// A script that failed, as the agent is told about it.
pub(crate) struct FailedRun {
    pub(crate) command: String,
    pub(crate) result: String,
    pub(crate) output: String,
}

/// Whether a run ended, and not well.
pub(crate) fn has_failed(run: &ScriptRun) -> bool {
    run.finished.is_some_and(|end| !end.result.passed())
}

impl Engine {
    /// Starts a script in the background: the session's own, or a named one of the repository. Answers once its runner has
    /// taken over.
    ///
    /// # Errors
    /// If something works on the session already, there is no such script or it is not allowed, or the directory is missing.
    pub fn start_script(
        &self,
        id: &SessionId,
        name: Option<&str>,
        setup: SetupNeed,
    ) -> Result<ScriptRun, EngineError> {
        self.recover_session(id)?;
        let (name, command) = self.script_of(&self.session(id)?.session, name)?;
        let command = command.require_allowed(self)?;
        let _start = self.take_start(id)?;
        let view = self.session(id)?;
        require_startable(&view)?;
        require_set_up(self, &view, setup)?;
        let notes = self.make_room(id)?;
        let session = view.session;
        let order = ScriptOrder {
            session: &session,
            iteration: None,
            name: &name,
            command,
            place: ScriptPlace::Worktree,
            limit: None,
        };
        let run = self.insert_run(&order)?;
        self.say_all_in_log(&run, &notes);
        self.hand_over_script(&run)
    }

    /// Runs a script that was started in the background. Called in a process of its own.
    ///
    /// # Errors
    /// If it cannot be run or recorded.
    pub fn run_script(&self, id: &SessionId, key: i64) -> Result<(), EngineError> {
        let recorded = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.find_script_run(key)?))?;
        let Some(recorded) = recorded else {
            return Ok(());
        };
        let lease = self.take_lease_of(&recorded)?;
        let Some(run) = self.take_over_script(key)? else {
            // Whoever started it was ended first, and somebody else closed it since.
            return Ok(());
        };
        let ended = self.run_taken_over(&run);
        // A desktop that is slow to answer keeps nobody waiting.
        drop(lease);
        let ended = ended?;
        self.iterate_after_setup(&run, ended.result);
        self.notify_end(id, &run, &ended)
    }

    pub(crate) fn notify_end(
        &self,
        id: &SessionId,
        run: &ScriptRun,
        ended: &EndedRun,
    ) -> Result<(), EngineError> {
        let session = self.session(id)?.session;
        let notice = Notice::of_run(&session, run, ended.result);
        if let Some(event) = ended.event {
            self.notify(event, &notice);
        }
        Ok(())
    }

    /// One script run.
    ///
    /// # Errors
    /// If there is none with this key.
    pub fn script_run(&self, key: i64) -> Result<ScriptRun, EngineError> {
        self.store.read(|tx| {
            tx.find_script_run(key)?
                .ok_or_else(|| EngineError::Records {
                    problem: format!("there is no script run {key}"),
                })
        })
    }

    /// The file that has a script run's output.
    #[must_use]
    pub fn script_log(&self, run: &ScriptRun) -> PathBuf {
        self.dirs
            .output()
            .join(run.session.as_str())
            .join(format!("script-{}.log", run.key))
    }

    /// Starts the runner of a script run that is recorded, and waits until it has taken over. Only for whoever holds the
    /// session's start.
    pub(crate) fn hand_over_script(&self, run: &ScriptRun) -> Result<ScriptRun, EngineError> {
        let id = &run.session;
        let arguments = [RUN_SCRIPT.to_owned(), id.to_string(), run.key.to_string()];
        let started = self.start_runner(id, &arguments, &self.flags, || {
            let current = self.script_run(run.key)?;
            Ok(current.runner != run.runner || current.finished.is_some())
        });
        if let Err(error) = started {
            self.close_script(run, ScriptResult::Interrupted)?;
            return Err(error);
        }
        self.script_run(run.key)
    }

    /// Runs a script under a guardian in this process and records how it ended. Only for whoever holds the session's lease.
    pub(crate) fn run_script_here(
        &self,
        order: &ScriptOrder<'_>,
    ) -> Result<ScriptRun, EngineError> {
        let run = self.insert_run(order)?;
        let supervised = || self.supervise_script(order, &run);
        self.run_and_close(&run, supervised)?;
        self.script_run(run.key)
    }

    /// The last run of the session's script as it is now, if it failed. Who started it does not matter.
    pub(crate) fn last_failed_script(
        &self,
        session: &Session,
        tail: u64,
    ) -> Result<Option<FailedRun>, EngineError> {
        let verdict = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.script_verdicts(Some(&session.id))?.pop()))?;
        let Some(run) = verdict.filter(has_failed) else {
            return Ok(None);
        };
        let Some(end) = run.finished else {
            return Ok(None);
        };
        let result = match end.result {
            ScriptResult::Exited(code) => format!("exited with {code}"),
            ScriptResult::Signalled(signal) => format!("was ended by signal {signal}"),
            ScriptResult::TimedOut => "took too long".to_owned(),
            ScriptResult::OutputLimit => "printed too much".to_owned(),
            ScriptResult::Stopped
            | ScriptResult::Interrupted
            | ScriptResult::NotAllowed
            | ScriptResult::Unrunnable => {
                return Ok(None);
            }
        };
        let output = crate::output::tail(&self.script_log(&run), tail).unwrap_or_default();
        Ok(Some(FailedRun {
            command: run.command,
            result,
            output,
        }))
    }

    /// Closes the session's script runs without an end. Only for whoever holds its lease: then nobody runs them.
    pub(crate) fn close_abandoned_scripts(&self, id: &SessionId) -> Result<u32, EngineError> {
        let mut closed = 0;
        for run in self.unfinished_scripts_of(id)? {
            orchestra_process::sweep_marked(&self.marker_of_run(&run)?);
            if self
                .close_script(&run, ScriptResult::Interrupted)?
                .is_some()
            {
                closed += 1;
            }
        }
        Ok(closed)
    }

    /// The session's script runs that have no end recorded, without its servers.
    pub(crate) fn unfinished_scripts_of(
        &self,
        id: &SessionId,
    ) -> Result<Vec<ScriptRun>, EngineError> {
        let unfinished = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.unfinished_script_runs()?))?;
        let scripts = unfinished.into_iter().filter(|run| run.server.is_none());
        Ok(scripts.filter(|run| &run.session == id).collect())
    }

    /// The lease of whoever carries a run: the session's, or the server's own.
    pub(crate) fn take_lease_of(&self, run: &ScriptRun) -> Result<Held, EngineError> {
        let id = &run.session;
        if run.server.is_none() {
            return self.take_run(id);
        }
        let lease = self.leases.server(id, &run.script, LEASE_PATIENCE);
        let lease = lease.map_err(|source| EngineError::io("lock the server", source))?;
        let session = id.clone();
        lease.ok_or_else(|| EnvironmentError::ServersBusy { session }.into())
    }

    /// Writes this process down as the one that runs the script, unless the run was closed meanwhile.
    pub(crate) fn take_over_script(&self, key: i64) -> Result<Option<ScriptRun>, EngineError> {
        let runner = this_process();
        self.write_stream(|tx| {
            let Some(run) = tx
                .find_script_run(key)?
                .filter(|run| run.finished.is_none())
            else {
                return Ok(None);
            };
            tx.set_script_runner(key, runner)?;
            Ok(Some(ScriptRun {
                runner: Some(runner),
                ..run
            }))
        })
    }

    fn run_taken_over(&self, run: &ScriptRun) -> Result<EndedRun, EngineError> {
        self.run_and_close(run, || {
            if run.script == SETUP_SCRIPT {
                return self.take_setup_steps(run);
            }
            let session = self.session(&run.session)?.session;
            // The record may have lost a secret that the command needs.
            let (name, command) = self.script_of(&session, Some(&run.script))?;
            let order = ScriptOrder {
                session: &session,
                iteration: None,
                name: &name,
                command: command.require_allowed(self)?,
                place: ScriptPlace::Worktree,
                limit: None,
            };
            self.supervise_script(&order, run)
        })
    }

    /// Runs and records the end, whatever happens: a run that is left open would look like one that goes on.
    pub(crate) fn run_and_close(
        &self,
        run: &ScriptRun,
        supervised: impl FnOnce() -> Result<ScriptResult, EngineError>,
    ) -> Result<EndedRun, EngineError> {
        self.failpoints.pass("script.recorded");
        let result = match supervised() {
            Ok(result) => result,
            Err(error) => {
                tracing::error!(code = error.code(), %error, "the script could not be run");
                let problem = self.problem_of(&error);
                self.keep_problem(run, "it could not be run", &problem);
                self.close_script(run, ScriptResult::Unrunnable)?;
                return Err(error);
            }
        };
        self.failpoints.pass("script.ended");
        let event = self.close_script(run, result)?;
        Ok(EndedRun { result, event })
    }

    /// The log is where whoever follows a script looks.
    pub(crate) fn say_in_log(&self, run: &ScriptRun, line: &str) {
        let mark = run.server.as_ref().map_or("", |_| OWN_WORDS);
        let line = format!("{mark}{}", self.redact(line));
        let log = self.script_log(run);
        let written = log
            .parent()
            .map_or(Ok(()), |directory| self.create_private_dir(directory))
            .and_then(|()| {
                open_append_only(&log)
                    .and_then(|mut file| writeln!(file, "{line}"))
                    .map_err(|source| EngineError::io("write the script's log", source))
            });
        if let Err(error) = written {
            tracing::warn!(%error, "cannot write the script's log");
        }
    }

    /// What the user should know stands before what the script says.
    pub(crate) fn say_all_in_log(&self, run: &ScriptRun, notes: &[String]) {
        for note in notes {
            self.say_in_log(run, note);
        }
    }

    /// The run is this process's own until a runner takes it over.
    fn insert_run(&self, order: &ScriptOrder<'_>) -> Result<ScriptRun, EngineError> {
        let command = self.redact(order.command);
        let id = &order.session.id;
        let commit = self.commit_under(order);
        self.write_stream(|tx| {
            let before = self.view_in(tx, id)?.status;
            let new = NewScriptRun {
                session: id,
                iteration: order.iteration.map(|(number, _)| *number),
                script: order.name,
                command: &command,
                started_at: self.now(),
                runner: Some(this_process()),
                commit: commit.as_ref(),
                server: None,
            };
            let run = self.record_run(tx, &new)?;
            note_status(tx, &run, before, SessionStatus::Evaluating)?;
            Ok(run)
        })
    }

    /// Writes a run down, with its event.
    pub(crate) fn record_run(
        &self,
        tx: &Tx<'_>,
        new: &NewScriptRun<'_>,
    ) -> Result<ScriptRun, EngineError> {
        let run = tx.insert_script_run(new)?;
        let body = EventBody::ScriptStarted {
            run: run.key,
            script: run.script.clone(),
        };
        tx.append_event(Some(&run.session), &body)?;
        Ok(run)
    }

    /// Writes down what the engine itself is about to remove, so that half of it never looks like the whole.
    pub(crate) fn record_removal(
        &self,
        tx: &Tx<'_>,
        view: &SessionView,
        script: &str,
        what: &str,
    ) -> Result<ScriptRun, EngineError> {
        let new = NewScriptRun {
            session: &view.session.id,
            iteration: None,
            script,
            command: &self.redact(what),
            started_at: self.now(),
            runner: Some(this_process()),
            commit: None,
            server: None,
        };
        let run = self.record_run(tx, &new)?;
        note_status(tx, &run, view.status, SessionStatus::Evaluating)?;
        Ok(run)
    }

    /// Records how a removal ended, with what went wrong in its log.
    pub(crate) fn close_removal(
        &self,
        run: &ScriptRun,
        problem: Option<&EngineError>,
    ) -> Result<(), EngineError> {
        if let Some(problem) = problem {
            self.say_in_log(run, &chain::text(problem));
        }
        let exit_code = i32::from(problem.is_some());
        self.close_script(run, ScriptResult::Exited(exit_code))?;
        Ok(())
    }

    /// The commit a script sees, if it sees nothing else.
    fn commit_under(&self, order: &ScriptOrder<'_>) -> Option<CommitId> {
        let ScriptPlace::Worktree = order.place else {
            return None;
        };
        let worktree = self.worktree_of(order.session).ok()?;
        let is_clean = !worktree.is_dirty().ok()?;
        let head = worktree.head().ok()?;
        head.commit().filter(|_| is_clean).cloned()
    }

    /// Records how a run ended, unless another process took it over or closed it. Answers the event that tells of it.
    pub(crate) fn close_script(
        &self,
        run: &ScriptRun,
        result: ScriptResult,
    ) -> Result<Option<u64>, EngineError> {
        let event = self.record_end(run, result)?;
        if event.is_some() && run.server.is_some() {
            self.forget_meeting(run);
        }
        Ok(event)
    }

    fn record_end(
        &self,
        run: &ScriptRun,
        result: ScriptResult,
    ) -> Result<Option<u64>, EngineError> {
        self.write(|tx| {
            let current = tx.find_script_run(run.key)?;
            if current.is_none_or(|it| it.finished.is_some() || it.runner != run.runner) {
                return Ok(None);
            }
            let at = self.now();
            tx.finish_script_run(run.key, ScriptEnd { at, result })?;
            let body = EventBody::ScriptFinished {
                run: run.key,
                script: run.script.clone(),
                exit_code: result.exit_code(),
            };
            let event = tx.append_event(Some(&run.session), &body)?;
            let after = self.view_in(tx, &run.session)?.status;
            note_status(tx, run, status_during(run), after)?;
            Ok(Some(event))
        })
    }
}

/// A run that is over: how it went, and the event that tells of it.
pub(crate) struct EndedRun {
    result: ScriptResult,
    event: Option<u64>,
}

fn status_during(run: &ScriptRun) -> SessionStatus {
    match run.script.as_str() {
        SETUP_SCRIPT => SessionStatus::Initializing,
        _ => SessionStatus::Evaluating,
    }
}

/// The script of an iteration is part of it: the iteration tells about the status. A server has no part in it.
fn note_status(
    tx: &Tx<'_>,
    run: &ScriptRun,
    from: SessionStatus,
    to: SessionStatus,
) -> Result<(), EngineError> {
    match (run.iteration, &run.server) {
        (None, None) => tell_status(tx, &run.session, from, to),
        (Some(_), _) | (None, Some(_)) => Ok(()),
    }
}
