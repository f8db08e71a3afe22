//! Running a command that is set for a certain moment, in this process and until it is over.

use std::path::Path;

use orchestra_config::variables;
use orchestra_core::{BranchName, ScriptRun, Session, SessionId};

use super::{AFTER_MERGE, ProjectCommand};
use crate::script::{ScriptOrder, ScriptPlace};
use crate::{Engine, EngineError};

impl Engine {
    /// Runs what is set for after a merge, in the main checkout, until it is over.
    ///
    /// # Errors
    /// If it is not allowed, something works on the session, or it cannot be started. That it fails is part of the answer.
    pub(crate) fn run_after_merge(
        &self,
        id: &SessionId,
        command: &ProjectCommand,
    ) -> Result<ScriptRun, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        let (session, root) = (&view.session, &view.repository.root);
        let landed = session.landed.as_ref().map(|landed| &landed.into);
        let told = told(session, landed.unwrap_or(&session.base_branch), root);
        self.run_command(session, command, root, &told)
    }

    /// The last run of what is set for after a merge, if it began after a session landed.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn after_merge_run(&self, session: &Session) -> Result<Option<ScriptRun>, EngineError> {
        let Some(landed) = &session.landed else {
            return Ok(None);
        };
        let mut runs = self.script_runs(&session.id)?.into_iter();
        let is_it =
            |run: &ScriptRun| run.script == run_name(AFTER_MERGE) && run.started_at >= landed.at;
        Ok(runs.rfind(is_it))
    }

    /// Runs a command under a guardian, with its output in a log of the session. Only for whoever holds its lease.
    pub(crate) fn run_command(
        &self,
        session: &Session,
        command: &ProjectCommand,
        directory: &Path,
        told: &[(&'static str, String)],
    ) -> Result<ScriptRun, EngineError> {
        self.run_script_here(&ScriptOrder {
            session,
            iteration: None,
            name: run_name(&command.setting),
            command: command.about_to_run(self)?,
            place: ScriptPlace::Directory(directory, told),
            limit: self.command_limit(),
        })
    }
}

/// What the run of a command is called among the runs of scripts: the last part of its setting.
/// How the run of a command is called.
pub(crate) fn run_name(setting: &str) -> &str {
    setting.rsplit('.').next().unwrap_or(setting)
}

/// What such a command is told about the session.
pub(crate) fn told(
    session: &Session,
    base: &BranchName,
    root: &Path,
) -> Vec<(&'static str, String)> {
    vec![
        (variables::ORCHESTRA_BRANCH, session.branch.to_string()),
        (variables::ORCHESTRA_BASE, base.to_string()),
        (
            variables::ORCHESTRA_REPOSITORY,
            root.to_string_lossy().into_owned(),
        ),
    ]
}
