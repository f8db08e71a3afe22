//! The steps of a set-up, one after another, each a line in its log. The first that fails ends it.

use std::fmt;

use orchestra_core::{SETUP_SCRIPT, ScriptResult, ScriptRun};

use crate::project_commands::{SETUP, told};
use crate::script::{ScriptOrder, ScriptPlace};
use crate::view::SessionView;
use crate::{CommandError, Engine, EngineError};

/// One step of a set-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SetupStep {
    /// A database is made.
    Database(String),
    /// What the settings name runs.
    Command(String),
}

impl fmt::Display for SetupStep {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Database(name) => write!(formatter, "database {name}"),
            Self::Command(command) => formatter.write_str(command),
        }
    }
}

impl Engine {
    /// What the settings want, in its order.
    pub(super) fn setup_steps(&self) -> Vec<SetupStep> {
        let databases = self.config().databases.keys().cloned();
        let command = self.config().commands.setup.clone();
        let databases = databases.map(SetupStep::Database);
        databases.chain(command.map(SetupStep::Command)).collect()
    }

    /// Takes every step of a set-up. Only for the runner that carries it.
    pub(crate) fn take_setup_steps(&self, run: &ScriptRun) -> Result<ScriptResult, EngineError> {
        let view = self.session(&run.session)?;
        for step in self.setup_steps() {
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
            SetupStep::Database(name) => self.make_database(view, run, name),
            SetupStep::Command(_) => self.run_setup_command(view, run),
        }
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
            limit: self.config().commands.timeout,
        };
        self.supervise_script(&order, run)
    }
}
