//! Starts a script under a guardian, with its output into a log.

use std::time::Instant;

use orchestra_config::{child_env, variables};
use orchestra_core::{ScriptResult, ScriptRun};
use orchestra_process::{CommandSpec, ResourceLimits, Stop, StopSignal, Supervised, supervise};
use orchestra_store::ControlTarget;

use super::follow::FollowedScript;
use super::{ScriptOrder, ScriptPlace};
use crate::controls::ControlWatch;
use crate::output::OutputTap;
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
        let [stdout, stderr] = self.open_log(run)?;
        let marker = self.marker_of_run(run)?;
        let (directory, told) = match order.place {
            ScriptPlace::Worktree => (order.session.worktree.as_path(), &[][..]),
            ScriptPlace::Directory(directory, variables) => (directory, variables),
        };
        let spec = shell_command(order.command, directory)
            .envs(child_env::script_environment(
                &self.environment,
                self.config(),
            ))
            .envs(self.session_environment(&order.session.id)?.variables)
            .env(variables::ORCHESTRA_SESSION, order.session.id.as_str());
        let spec = spec.envs(told.iter().map(|(name, value)| (*name, value)));
        let readiness = Readiness::of(self, run)?;
        let port = run.server.as_ref().and_then(|server| server.port);
        let spec = spec.envs(port.map(|port| ("PORT", port.to_string())));
        let child = supervise(
            &self.guardian(),
            &spec,
            &ResourceLimits::default(),
            &marker,
            self.on_loss(run),
        )?;
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
            limit: order.limit.map(|limit| limit.time),
            readiness,
            ending: None,
        };
        let result = followed.until_over();
        if let (ScriptResult::TimedOut, Some(limit)) = (result, order.limit) {
            self.keep_problem(run, "it was ended", &limit.passed());
        }
        Ok(result)
    }

    /// Takes up a server whose runner died where it was left. A stop that was asked of that runner still counts.
    pub(crate) fn follow_adopted(
        &self,
        run: &ScriptRun,
        child: Supervised,
    ) -> Result<ScriptResult, EngineError> {
        let _span =
            tracing::info_span!("server", session = %run.session, script = run.script).entered();
        let [stdout, stderr] = self.open_log(run)?.map(OutputTap::after_gap);
        let mut readiness = Readiness::of(self, run)?;
        let log = self.script_log(run);
        readiness.iter_mut().for_each(|it| it.recall(&log));
        let target = ControlTarget::ScriptRun(run.key);
        let is_to_end = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.was_asked(target)?))?;
        if is_to_end {
            child.stop(self.graceful_stop());
        }
        let followed = FollowedScript {
            engine: self,
            child,
            stdout,
            stderr,
            controls: ControlWatch::new(self, target),
            started: Instant::now(),
            limit: None,
            readiness,
            ending: is_to_end.then_some(ScriptResult::Stopped),
        };
        Ok(followed.until_over())
    }

    /// A run's log, for each of its streams.
    fn open_log(&self, run: &ScriptRun) -> Result<[OutputTap; 2], EngineError> {
        let log = self.script_log(run);
        if let Some(directory) = log.parent() {
            self.create_private_dir(directory)?;
        }
        let open = || {
            OutputTap::open(&log, &self.redactor)
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

#[cfg(unix)]
fn shell_command(command: &str, cwd: &std::path::Path) -> CommandSpec {
    CommandSpec::new("/bin/sh", cwd).args(["-c", command])
}

#[cfg(windows)]
fn shell_command(command: &str, cwd: &std::path::Path) -> CommandSpec {
    CommandSpec::new("cmd", cwd).args(["/C", command])
}
