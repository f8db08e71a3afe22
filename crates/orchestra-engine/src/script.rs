//! Scripts: named commands of the repository, run in a session's worktree, with live output and a kept log.

mod follow;

use std::path::PathBuf;
use std::time::Instant;

use orchestra_config::{child_env, variables};
use orchestra_core::{
    EventBody, IterationNumber, ScriptEnd, ScriptResult, ScriptRun, Session, SessionId,
};
use orchestra_process::{
    CommandSpec, ProcessIdentity, ResourceLimits, Stop, StopSignal, supervise,
};
use orchestra_store::{Control, ControlTarget, NewScriptRun};

use crate::controls::ControlWatch;
use crate::engine::RUN_SCRIPT;
use crate::notify::Notice;
use crate::output::{self, OutputTap};
use crate::runner::this_process;
use crate::{Engine, EngineError};
use follow::FollowedScript;

const TAIL_BYTES: u64 = 16 * 1024;
/// How a session's own script is called.
pub(crate) const SESSION_SCRIPT: &str = "script";

/// A script to run.
pub(crate) struct ScriptOrder<'a> {
    pub(crate) session: &'a Session,
    /// The iteration it belongs to, with the key whose controls also stop the script.
    pub(crate) iteration: Option<(&'a IterationNumber, i64)>,
    pub(crate) name: &'a str,
    pub(crate) command: &'a str,
}

/// A script that failed, as the agent is told about it.
pub(crate) struct FailedRun {
    pub(crate) command: String,
    pub(crate) result: String,
    pub(crate) output: String,
}

impl Engine {
    /// Starts a script in the background: the session's own, or a named one of the repository.
    ///
    /// # Errors
    /// If there is no such script or the directory is missing.
    pub fn start_script(
        &self,
        id: &SessionId,
        name: Option<&str>,
    ) -> Result<ScriptRun, EngineError> {
        self.recover_session(id)?;
        let session = self.session(id)?.session;
        let (name, command) = self.script_of(&session, name)?;
        if !session.worktree.is_dir() {
            return Err(EngineError::WorktreeMissing {
                session: id.clone(),
                worktree: session.worktree,
            });
        }
        let order = ScriptOrder {
            session: &session,
            iteration: None,
            name: &name,
            command: &command,
        };
        let run = self.insert_run(&order)?;
        let arguments = [RUN_SCRIPT.to_owned(), id.to_string(), run.key.to_string()];
        let started = self.start_runner(id, &arguments, || {
            let current = self.script_run(run.key)?;
            Ok(current.runner != run.runner || current.finished.is_some())
        });
        if let Err(error) = started {
            self.close_script(&session, &run, ScriptResult::Interrupted)?;
            return Err(error);
        }
        self.script_run(run.key)
    }

    /// Runs a script that was started in the background. Called in a process of its own.
    ///
    /// # Errors
    /// If it cannot be run or recorded.
    pub fn run_script(&self, id: &SessionId, key: i64) -> Result<(), EngineError> {
        let session = self.session(id)?.session;
        let Some(run) = self.take_over_script(key)? else {
            // Whoever started it was ended first, and somebody else closed it since.
            return Ok(());
        };
        // The record may have lost a secret that the command needs.
        let (name, command) = self.script_of(&session, Some(&run.script))?;
        let order = ScriptOrder {
            session: &session,
            iteration: None,
            name: &name,
            command: &command,
        };
        self.run_script_here(&order, Some(&run))?;
        Ok(())
    }

    /// Asks one script run to stop.
    ///
    /// # Errors
    /// If the store fails.
    pub fn stop_script(&self, run: &ScriptRun, control: Control) -> Result<(), EngineError> {
        self.write_stream(|tx| {
            tx.insert_control(&run.session, ControlTarget::ScriptRun(run.key), control)?;
            Ok(())
        })
    }

    /// Asks the session's running scripts to stop. Answers how many were asked.
    ///
    /// # Errors
    /// If the store fails.
    pub fn stop_scripts(&self, id: &SessionId, control: Control) -> Result<usize, EngineError> {
        self.recover_session(id)?;
        self.write_stream(|tx| {
            let running = tx.unfinished_script_runs()?.into_iter();
            let running: Vec<_> = running
                .filter(|run| &run.session == id && run.iteration.is_none())
                .collect();
            for run in &running {
                tx.insert_control(id, ControlTarget::ScriptRun(run.key), control)?;
            }
            Ok(running.len())
        })
    }

    /// One script run.
    ///
    /// # Errors
    /// If there is none with this key.
    pub fn script_run(&self, key: i64) -> Result<ScriptRun, EngineError> {
        self.store.read(|tx| {
            tx.find_script_run(key)?
                .ok_or_else(|| EngineError::Invalid {
                    problem: format!("there is no script run {key}"),
                    way_out: None,
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

    /// The last lines of a script run's output, as it was printed.
    #[must_use]
    pub fn script_output_tail(&self, run: &ScriptRun, lines: usize) -> Vec<String> {
        let text = output::tail(&self.script_log(run), TAIL_BYTES).unwrap_or_default();
        let all: Vec<&str> = text.lines().collect();
        let shown = all.iter().skip(all.len().saturating_sub(lines));
        shown.map(|line| (*line).to_owned()).collect()
    }

    /// Runs a script under a guardian in this process and records how it ended.
    pub(crate) fn run_script_here(
        &self,
        order: &ScriptOrder<'_>,
        started: Option<&ScriptRun>,
    ) -> Result<ScriptResult, EngineError> {
        let run = match started {
            Some(run) => run.clone(),
            None => self.insert_run(order)?,
        };
        self.failpoints.pass("script.recorded");
        let result = match self.supervise_script(order, &run) {
            Ok(result) => result,
            Err(error) => {
                tracing::error!(code = error.code(), %error, "the script could not be run");
                self.close_script(order.session, &run, ScriptResult::Interrupted)?;
                return Err(error);
            }
        };
        self.failpoints.pass("script.ended");
        self.close_script(order.session, &run, result)?;
        Ok(result)
    }

    /// The last run of the session's script as it is now, if it failed. Who started it does not matter.
    pub(crate) fn last_failed_script(
        &self,
        session: &Session,
        tail: u64,
    ) -> Result<Option<FailedRun>, EngineError> {
        let is_told = |run: &ScriptRun| {
            let ended = run.finished.as_ref().map(|end| end.result);
            run.script == SESSION_SCRIPT
                && Some(&run.command) == session.script.as_ref()
                && !matches!(
                    ended,
                    None | Some(ScriptResult::Stopped | ScriptResult::Interrupted)
                )
        };
        let Some(run) = self.script_runs(&session.id)?.into_iter().rfind(is_told) else {
            return Ok(None);
        };
        let Some(end) = run.finished.filter(|end| !end.result.passed()) else {
            return Ok(None);
        };
        let result = match end.result {
            ScriptResult::Exited(code) => format!("exited with {code}"),
            ScriptResult::Signalled(signal) => format!("was ended by signal {signal}"),
            ScriptResult::TimedOut => "took too long".to_owned(),
            ScriptResult::OutputLimit => "printed too much".to_owned(),
            ScriptResult::Stopped | ScriptResult::Interrupted => return Ok(None),
        };
        let output = output::tail(&self.script_log(&run), tail).unwrap_or_default();
        Ok(Some(FailedRun {
            command: run.command,
            result,
            output,
        }))
    }

    /// Script runs nobody runs any more are closed.
    pub(crate) fn close_abandoned_scripts(&self, id: &SessionId) -> Result<u32, EngineError> {
        let unfinished = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.unfinished_script_runs()?))?;
        let mut closed = 0;
        for run in unfinished.into_iter().filter(|run| &run.session == id) {
            if !is_abandoned(&run) {
                continue;
            }
            orchestra_process::sweep_marked(&self.marker(id, &format!("script-{}", run.key))?);
            let session = self.session(id)?.session;
            if self.close_script(&session, &run, ScriptResult::Interrupted)? {
                closed += 1;
            }
        }
        Ok(closed)
    }

    /// Writes this process down as the one that runs the script, unless the run was closed meanwhile.
    fn take_over_script(&self, key: i64) -> Result<Option<ScriptRun>, EngineError> {
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

    fn script_of(
        &self,
        session: &Session,
        name: Option<&str>,
    ) -> Result<(String, String), EngineError> {
        let scripts = &self.config().scripts;
        let missing = |name: &str| EngineError::ScriptMissing {
            name: name.to_owned(),
            known: scripts.keys().cloned().collect(),
        };
        match name {
            Some(name) if name != SESSION_SCRIPT => {
                let command = scripts.get(name).ok_or_else(|| missing(name))?;
                Ok((name.to_owned(), command.clone()))
            }
            _ => {
                let own = session
                    .script
                    .clone()
                    .map(|command| (SESSION_SCRIPT.to_owned(), command));
                let test = || {
                    scripts
                        .get("test")
                        .map(|command| ("test".to_owned(), command.clone()))
                };
                own.or_else(test)
                    .ok_or_else(|| missing(name.unwrap_or(SESSION_SCRIPT)))
            }
        }
    }

    /// The run is this process's own until a runner takes it over, so that one nobody runs can be told.
    fn insert_run(&self, order: &ScriptOrder<'_>) -> Result<ScriptRun, EngineError> {
        let command = self.redact(order.command);
        self.write_stream(|tx| {
            let run = tx.insert_script_run(&NewScriptRun {
                session: &order.session.id,
                iteration: order.iteration.map(|(number, _)| *number),
                script: order.name,
                command: &command,
                started_at: self.now(),
                runner: Some(this_process()),
            })?;
            let body = EventBody::ScriptStarted {
                run: run.key,
                script: order.name.to_owned(),
            };
            tx.append_event(Some(&order.session.id), &body)?;
            Ok(run)
        })
    }

    /// Records how a run ended, unless another process took it over or closed it. Answers whether it was recorded.
    fn close_script(
        &self,
        session: &Session,
        run: &ScriptRun,
        result: ScriptResult,
    ) -> Result<bool, EngineError> {
        let event = self.write(|tx| {
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
            Ok(Some(tx.append_event(Some(&run.session), &body)?))
        })?;
        let Some(event) = event else {
            return Ok(false);
        };
        if run.iteration.is_none() {
            self.notify(event, &Notice::of_script(session, &run.script, result));
        }
        Ok(true)
    }

    fn supervise_script(
        &self,
        order: &ScriptOrder<'_>,
        run: &ScriptRun,
    ) -> Result<ScriptResult, EngineError> {
        let _span = tracing::info_span!("script", session = %order.session.id, script = order.name)
            .entered();
        let log = self.script_log(run);
        if let Some(directory) = log.parent() {
            self.create_private_dir(directory)?;
        }
        let open = || {
            OutputTap::open(&log, &self.redactor)
                .map_err(|source| EngineError::io("open the script's log", source))
        };
        let (stdout, stderr) = (open()?, open()?);
        let marker = self.marker(&order.session.id, &format!("script-{}", run.key))?;
        let spec = shell_command(order.command, &order.session.worktree)
            .envs(child_env::script_environment(
                &self.environment,
                self.config(),
            ))
            .env(variables::ORCHESTRA_SESSION, order.session.id.as_str());
        let child = supervise(&self.guardian(), &spec, &ResourceLimits::default(), &marker)?;
        let target = order
            .iteration
            .map_or(ControlTarget::ScriptRun(run.key), |(_, key)| {
                ControlTarget::Iteration(key)
            });
        let followed = FollowedScript {
            engine: self,
            child,
            stdout,
            stderr,
            controls: ControlWatch::new(self, target),
            started: Instant::now(),
            limit: order.iteration.and(self.config().evaluation.timeout),
            ending: None,
        };
        Ok(followed.until_over())
    }

    pub(crate) fn graceful_stop(&self) -> Stop {
        Stop::Graceful {
            signal: StopSignal::Terminate,
            grace: self.config().core.stop_grace,
        }
    }
}

/// Whether whoever ran it is gone.
fn is_abandoned(run: &ScriptRun) -> bool {
    let alive = run.runner.is_some_and(|runner| {
        ProcessIdentity {
            pid: runner.pid,
            started: runner.started,
        }
        .is_alive()
    });
    !alive
}

#[cfg(unix)]
fn shell_command(command: &str, cwd: &std::path::Path) -> CommandSpec {
    CommandSpec::new("/bin/sh", cwd).args(["-c", command])
}

#[cfg(windows)]
fn shell_command(command: &str, cwd: &std::path::Path) -> CommandSpec {
    CommandSpec::new("cmd", cwd).args(["/C", command])
}
