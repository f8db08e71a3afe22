//! The set-up of a session: what makes its worktree ready, in a runner of its own while the user already sees the session. It is
//! a run of a script called `setup`, written down together with the session, so that one that was cut off is never taken for one
//! that is not needed.

mod error;
mod steps;

use std::path::Path;

use orchestra_core::{
    RepositoryId, SETUP_SCRIPT, ScriptResult, ScriptRun, Session, SessionId, SessionStatus,
};
use orchestra_store::{NewScriptRun, Tx};

pub use error::SetupError;

use crate::iterate::{StartIteration, require_startable};
use crate::project_commands::{ProjectCommand, SETUP};
use crate::runner::this_process;
use crate::view::{SessionView, tell_status};
use crate::{Engine, EngineError, chain};

/// Whether work may begin in a session that is not set up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SetupNeed {
    /// It may not.
    #[default]
    Required,
    /// It may: a person wants that.
    Waived,
}

impl SetupNeed {
    /// Waived if somebody asked for it.
    #[must_use]
    pub const fn waived_if(asked: bool) -> Self {
        match asked {
            true => Self::Waived,
            false => Self::Required,
        }
    }
}

impl Engine {
    /// The commands that a set-up runs, in their order.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn setup_commands(
        &self,
        repository: Option<RepositoryId>,
    ) -> Result<Vec<ProjectCommand>, EngineError> {
        let databases = self.config().databases.keys();
        let settings = databases.map(|name| format!("databases.{name}.create"));
        let mut commands = Vec::new();
        for setting in settings.chain([SETUP.to_owned()]) {
            commands.extend(self.project_command(repository, &setting)?);
        }
        Ok(commands)
    }

    /// Starts the set-up again, in the background. Answers once its runner has taken over.
    ///
    /// # Errors
    /// If there is nothing to set up, a command is not allowed, or something works on the session.
    pub fn start_setup(&self, id: &SessionId) -> Result<ScriptRun, EngineError> {
        self.recover_session(id)?;
        let repository = self.session(id)?.session.repository;
        for command in self.setup_commands(Some(repository))? {
            command.require_allowed(self)?;
        }
        let _start = self.take_start(id)?;
        let view = self.session(id)?;
        require_startable(&view)?;
        let notes = self.make_room(id)?;
        let run = self.write_stream(|tx| {
            let run = self.record_setup(tx, id, &view.repository.root)?;
            if run.is_some() {
                tell_status(tx, id, view.status, SessionStatus::Initializing)?;
            }
            Ok(run)
        })?;
        let session = id.clone();
        let run = run.ok_or(SetupError::Nothing { session })?;
        self.say_all_in_log(&run, &notes);
        self.hand_over_script(&run)
    }

    /// Starts the first iteration of a new session, at once or by the runner of its set-up once that came to a good end.
    ///
    /// # Errors
    /// If an iteration that could begin at once cannot be started.
    pub fn start_first_iteration(&self, id: &SessionId) -> Result<(), EngineError> {
        if let Some(run) = self.session(id)?.running_setup() {
            let key = run.key;
            if self.write_stream(|tx| Ok(tx.iterate_after(key)?))? {
                return Ok(());
            }
        }
        self.start_iteration(id, &StartIteration::default())?;
        Ok(())
    }

    /// Starts the iteration that waited for a set-up. One that failed has no agent to work in it.
    pub(crate) fn iterate_after_setup(&self, run: &ScriptRun, result: ScriptResult) {
        let begun = self
            .write_stream(|tx| Ok(tx.take_iteration_after(run.key)?))
            .and_then(|is_wanted| match is_wanted && result.passed() {
                true => self
                    .start_iteration(&run.session, &StartIteration::default())
                    .map(drop),
                false => Ok(()),
            });
        if let Err(error) = begun {
            let why = chain::text(&error);
            self.say_in_log(run, &format!("the agent was not started: {why}"));
        }
    }

    /// Writes down that a session will be set up, if there is anything to do.
    pub(crate) fn record_setup(
        &self,
        tx: &Tx<'_>,
        id: &SessionId,
        root: &Path,
    ) -> Result<Option<ScriptRun>, EngineError> {
        let steps = self.setup_steps(root);
        if steps.is_empty() {
            return Ok(None);
        }
        let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
        let run = self.record_run(
            tx,
            &NewScriptRun {
                session: id,
                iteration: None,
                script: SETUP_SCRIPT,
                command: &self.redact(&steps.join("; ")),
                started_at: self.now(),
                runner: Some(this_process()),
                commit: None,
                server: None,
            },
        )?;
        Ok(Some(run))
    }

    /// Lets the set-up of a new session begin. One that cannot is a state of the session, not a reason not to have it: answers
    /// what the user should know.
    pub(crate) fn begin_setup(&self, session: &Session, run: &ScriptRun) -> Option<String> {
        let begun =
            self.setup_commands(Some(session.repository))
                .and_then(
                    |commands| match commands.iter().all(ProjectCommand::is_allowed) {
                        true => self.hand_over_script(run).map(drop),
                        false => self.close_script(run, ScriptResult::NotAllowed).map(drop),
                    },
                );
        let problem = begun.err()?;
        Some(format!(
            "the set-up did not begin: {}",
            chain::text(&problem)
        ))
    }
}

/// Refuses to begin work in a session whose set-up did not come to a good end, unless somebody wants that.
pub(crate) fn require_set_up(
    engine: &Engine,
    view: &SessionView,
    need: SetupNeed,
) -> Result<(), SetupError> {
    let wanting = view.setup.is_wanting() && need == SetupNeed::Required;
    match &view.setup_run {
        Some(run) if wanting => Err(SetupError::NotReady {
            session: view.session.id.clone(),
            state: view.setup,
            log: engine.script_log(run),
        }),
        _ => Ok(()),
    }
}
