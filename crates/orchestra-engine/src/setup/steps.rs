//! The steps of a set-up, one after another, each a line in its log. The first that fails ends it.

use std::fmt;
use std::path::Path;

use orchestra_core::{SETUP_SCRIPT, ScriptResult, ScriptRun};
use orchestra_store::ControlTarget;

use crate::controls::StopWatch;
use crate::project_commands::{SETUP, told};
use crate::script::{ScriptOrder, ScriptPlace};
use crate::view::SessionView;
use crate::{CommandError, Engine, EngineError};

/// One step of a set-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SetupStep {
    /// Ignored files come from the main checkout.
    Files,
    /// A database is made.
    Database(String),
    /// What the settings name runs.
    Command(String),
}

impl fmt::Display for SetupStep {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Files => formatter.write_str("files of the main checkout"),
            Self::Database(name) => write!(formatter, "database {name}"),
            Self::Command(command) => formatter.write_str(command),
        }
    }
}

impl Engine {
    /// What is wanted for the worktrees of a repository, in its order.
    pub(super) fn setup_steps(&self, root: &Path) -> Vec<SetupStep> {
        let files = self.wants_files(root).then_some(SetupStep::Files);
        let databases = self.config().databases.keys().cloned();
        let command = self.config().commands.setup.clone();
        let databases = databases.map(SetupStep::Database);
        let command = command.map(SetupStep::Command);
        files.into_iter().chain(databases).chain(command).collect()
    }

    /// Takes every step of a set-up. Only for the runner that carries it.
    pub(crate) fn take_setup_steps(&self, run: &ScriptRun) -> Result<ScriptResult, EngineError> {
        let view = self.session(&run.session)?;
        for step in self.setup_steps(&view.repository.root) {
            self.say_in_log(run, &format!("set-up: {step}"));
            let result = match self.take_step(&view, run, &step) {
                Err(EngineError::Command(error @ CommandError::NotAllowed { .. })) => {
                    self.say_in_log(run, &format!("set-up: not run: {error}"));
                    ScriptResult::NotAllowed
                }
                taken => taken?,
            };
            if !result.passed() {
                return Ok(result);
            }
        }
        // Before the end is told, so that who waits for it finds what git says now.
        if let Err(error) = self.refresh(&run.session) {
            tracing::warn!(code = error.code(), %error, "cannot ask git how the session stands");
        }
        Ok(ScriptResult::Exited(0))
    }

    fn take_step(
        &self,
        view: &SessionView,
        run: &ScriptRun,
        step: &SetupStep,
    ) -> Result<ScriptResult, EngineError> {
        match step {
            SetupStep::Files => self.bring_files(run),
            SetupStep::Database(name) => self.make_database(view, run, name),
            SetupStep::Command(_) => self.run_setup_command(view, run),
        }
    }

    /// What cannot be copied is said in the log and does not keep the rest from being set up.
    fn bring_files(&self, run: &ScriptRun) -> Result<ScriptResult, EngineError> {
        let controls = StopWatch::new(self, ControlTarget::ScriptRun(run.key));
        for line in self.copy_into_worktree_until(&run.session, &|| controls.is_stopped())? {
            self.say_in_log(run, &format!("set-up: {line}"));
        }
        Ok(match controls.is_stopped() {
            true => ScriptResult::Stopped,
            false => ScriptResult::Exited(0),
        })
    }

    fn run_setup_command(
        &self,
        view: &SessionView,
        run: &ScriptRun,
    ) -> Result<ScriptResult, EngineError> {
        let session = &view.session;
        let Some(command) = self.project_command(Some(session.repository), SETUP)? else {
            return Ok(ScriptResult::Exited(0));
        };
        let told = told(session, &session.base_branch, &view.repository.root);
        let order = ScriptOrder {
            session,
            iteration: None,
            name: SETUP_SCRIPT,
            command: command.require_allowed(self)?,
            place: ScriptPlace::Directory(&session.worktree, &told),
            limit: self.command_limit(),
        };
        self.supervise_script(&order, run)
    }
}
