//! Starts a script under a guardian, with its output into a log.

use std::fs::File;

use orchestra_config::{child_env, variables};
use orchestra_core::redact::Redactor;
use orchestra_core::{ScriptResult, ScriptRun};
use orchestra_process::{CommandSpec, ResourceLimits, Stop, StopSignal, Supervised, supervise};
use orchestra_store::{ControlTarget, Tx};

use super::follow::FollowedScript;
use super::{ScriptOrder, ScriptPlace};
use crate::output::OutputTap;
use crate::places::open_append_only;
use crate::servers::Readiness;
use crate::{Engine, EngineError};

impl Engine {
    pub(crate) fn supervise_script(
        &self,
        order: &ScriptOrder<'_>,
        run: &ScriptRun,
    ) -> Result<ScriptResult, EngineError> {
        let _span = tracing::info_span!("script", session = %order.session.id, script = order.name)
            .entered();
        let taps = self
            .open_logs(run)?
            .map(|log| OutputTap::into_file(log, &self.redactor));
        let readiness = Readiness::of(self, run)?;
        let child = supervise(
            &self.guardian(),
            &self.spec_of_script(order, run)?,
            &ResourceLimits::default(),
            &self.marker_of_run(run)?,
            self.on_loss(run),
        )?;
        let target = order
            .iteration
            .map_or(ControlTarget::ScriptRun(run.key), |(_, key)| {
                ControlTarget::Iteration(key)
            });
        let mut followed = FollowedScript::new(self, child, taps, target, readiness);
        followed.limit = order.limit.as_ref().map(|limit| limit.time);
        let result = followed.until_over();
        if let (ScriptResult::TimedOut, Some(limit)) = (result, &order.limit) {
            self.keep_problem(run, "it was ended", &limit.passed());
        }
        Ok(result)
    }

    /// What is started for a script, with its whole environment.
    fn spec_of_script(
        &self,
        order: &ScriptOrder<'_>,
        run: &ScriptRun,
    ) -> Result<CommandSpec, EngineError> {
        let (directory, told) = match order.place {
            ScriptPlace::Worktree => (order.session.worktree.as_path(), &[][..]),
            ScriptPlace::Directory(directory, variables) => (directory, variables),
        };
        let inherited = child_env::script_environment(&self.environment, self.config());
        let port = run.server.as_ref().and_then(|server| server.port);
        Ok(shell_command(order.command, directory)
            .envs(inherited)
            .envs(self.session_environment(&order.session.id)?.variables)
            .env(variables::ORCHESTRA_SESSION, order.session.id.as_str())
            .envs(told.iter().map(|(name, value)| (*name, value)))
            .envs(port.map(|port| ("PORT", port.to_string()))))
    }

    /// Gets ready to take up a server whose runner died where it was left. A stop that was asked of that runner still counts.
    pub(crate) fn prepare_to_follow<'a>(
        &'a self,
        run: &'a ScriptRun,
    ) -> Result<ReadyToFollow<'a>, EngineError> {
        let mut readiness = Readiness::of(self, run)?;
        let log = self.script_log(run);
        readiness.iter_mut().for_each(|it| it.recall(&log));
        let target = ControlTarget::ScriptRun(run.key);
        let was_asked = |tx: &Tx<'_>| Ok::<_, EngineError>(tx.was_asked(target)?);
        Ok(ReadyToFollow {
            engine: self,
            logs: self.open_logs(run)?,
            readiness,
            target,
            is_to_end: self.store.read(was_asked)?,
        })
    }

    /// A run's log, for each of its streams.
    fn open_logs(&self, run: &ScriptRun) -> Result<[File; 2], EngineError> {
        let log = self.script_log(run);
        if let Some(directory) = log.parent() {
            self.create_private_dir(directory)?;
        }
        let open = || {
            open_append_only(&log)
                .map_err(|source| EngineError::io("open the script's log", source))
        };
        Ok([open()?, open()?])
    }

    pub(crate) fn graceful_stop(&self) -> Stop {
        Stop::Graceful {
            signal: StopSignal::Terminate,
            grace: self.config().core.stop_grace,
        }
    }
}

/// All that could fail is done, so that nothing keeps a server from being followed once its guardian was met.
pub(crate) struct ReadyToFollow<'a> {
    engine: &'a Engine,
    logs: [File; 2],
    readiness: Option<Readiness<'a>>,
    target: ControlTarget,
    is_to_end: bool,
}

impl ReadyToFollow<'_> {
    pub(crate) fn follow(self, child: Supervised, redactor: &Redactor) -> ScriptResult {
        if self.is_to_end {
            child.stop(self.engine.graceful_stop());
        }
        let taps = self
            .logs
            .map(|log| OutputTap::into_file(log, redactor).after_gap());
        let mut followed =
            FollowedScript::new(self.engine, child, taps, self.target, self.readiness);
        followed.ending = self.is_to_end.then_some(ScriptResult::Stopped);
        followed.until_over()
    }
}

#[cfg(unix)]
fn shell_command(command: &str, cwd: &std::path::Path) -> CommandSpec {
    CommandSpec::new("/bin/sh", cwd).args(["-c", command])
}

#[cfg(windows)]
fn shell_command(command: &str, cwd: &std::path::Path) -> CommandSpec {
    CommandSpec::new("cmd", cwd).args(["/C", command])
}
