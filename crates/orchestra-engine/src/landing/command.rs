//! Commands that the user or the repository set for certain moments. One that stands in the repository's own settings file was
//! perhaps written by an agent: it runs only after the user allowed this very text.

use std::path::Path;

use orchestra_config::{Origin, variables};
use orchestra_core::{BranchName, Repository, ScriptRun, Session, SessionId};

use super::MergeError;
use crate::script::{ScriptOrder, ScriptPlace};
use crate::{Engine, EngineError};

/// When a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandMoment {
    /// After a merge, in the main checkout.
    AfterMerge,
    /// To open a pull request, in the session's worktree.
    PullRequest,
}

/// A command that is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryCommand {
    /// When it runs.
    pub moment: CommandMoment,
    /// The command line.
    pub command: String,
    /// Whether it may run: it is the user's own, or the user allowed it.
    pub is_allowed: bool,
}

impl CommandMoment {
    /// The setting that names the command.
    #[must_use]
    pub const fn setting(self) -> &'static str {
        match self {
            Self::AfterMerge => "commands.after_merge",
            Self::PullRequest => "commands.pr",
        }
    }

    /// What its run is called among the runs of scripts.
    const fn script(self) -> &'static str {
        match self {
            Self::AfterMerge => "after_merge",
            Self::PullRequest => "pr",
        }
    }
}

impl RepositoryCommand {
    pub(super) fn require_allowed(&self, engine: &Engine) -> Result<(), MergeError> {
        if self.is_allowed {
            return Ok(());
        }
        Err(MergeError::CommandNotAllowed {
            name: self.moment.setting().to_owned(),
            command: engine.redact(&self.command),
        })
    }
}

impl Engine {
    /// The command for a moment, if one is set.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn repository_command(
        &self,
        repository: &Repository,
        moment: CommandMoment,
    ) -> Result<Option<RepositoryCommand>, EngineError> {
        let value = self.resolved.require(moment.setting())?;
        let Some(command) = value.value else {
            return Ok(None);
        };
        let is_allowed = match value.origin {
            Origin::Repository(_) => self
                .store
                .read(|tx| tx.is_command_allowed(repository.id, moment.setting(), &command))?,
            Origin::Default | Origin::User(_) | Origin::Environment(_) | Origin::Flag => true,
        };
        Ok(Some(RepositoryCommand {
            moment,
            command,
            is_allowed,
        }))
    }

    /// Records that the user allowed this very text in this repository.
    ///
    /// # Errors
    /// If it contains a secret, which could not be kept, or the store refuses.
    pub fn allow_command(
        &self,
        repository: &Repository,
        command: &RepositoryCommand,
    ) -> Result<(), EngineError> {
        self.require_plain_script(Some(&command.command))?;
        let name = command.moment.setting();
        self.write(|tx| Ok(tx.allow_command(repository.id, name, &command.command)?))
    }

    /// Runs what is set for after a merge, in the main checkout, until it is over.
    ///
    /// # Errors
    /// If it is not allowed, something works on the session, or it cannot be started. That it fails is part of the answer.
    pub(super) fn run_after_merge(
        &self,
        id: &SessionId,
        command: &RepositoryCommand,
    ) -> Result<ScriptRun, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        let (session, root) = (&view.session, &view.repository.root);
        let landed = session.landed.as_ref().map(|landed| &landed.into);
        let told = told(session, landed.unwrap_or(&session.base_branch), root);
        self.run_command(session, command, root, &told)
    }

    /// Runs a command under a guardian, with its output in a log of the session.
    pub(super) fn run_command(
        &self,
        session: &Session,
        command: &RepositoryCommand,
        directory: &Path,
        told: &[(&'static str, String)],
    ) -> Result<ScriptRun, EngineError> {
        command.require_allowed(self)?;
        self.run_script_here(&ScriptOrder {
            session,
            iteration: None,
            name: command.moment.script(),
            command: &command.command,
            place: ScriptPlace::Directory(directory, told),
        })
    }
}

/// What such a command is told about the session.
pub(super) fn told(
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
