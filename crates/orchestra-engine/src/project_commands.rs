//! Commands that the settings name: for certain moments, scripts, and for databases. One that stands in the repository's own
//! settings file was perhaps written by an agent: it runs only after the user allowed this very text.

mod consent;
mod error;
mod moments;

use std::path::Path;

use orchestra_config::{Origin, Value};
use orchestra_core::{EventBody, RepositoryId};
use orchestra_store::Tx;

pub(crate) use consent::Consented;
pub use error::CommandError;
pub(crate) use moments::{run_name, told};

use crate::{Engine, EngineError};

/// Makes a new worktree ready.
pub const SETUP: &str = "commands.setup";
/// Runs in a worktree before it is cleaned up.
pub const TEARDOWN: &str = "commands.teardown";
/// Runs in the main checkout after a merge.
pub const AFTER_MERGE: &str = "commands.after_merge";
/// Opens a pull request.
pub const PULL_REQUEST: &str = "commands.pr";

/// A command that is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectCommand {
    /// The setting that names it.
    pub setting: String,
    /// The command line.
    pub command: String,
    /// Whether it may run.
    pub permission: Permission,
}

/// Whether a command may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// The user set it.
    Own,
    /// The repository's own file has it, and the user allowed it.
    Allowed,
    /// The repository's own file has it, and nobody allowed it.
    NotAllowed,
    /// The user allowed it, and nothing names it now. It could run again once something does.
    Unset,
}

impl Permission {
    /// Its word in `--json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Allowed => "allowed",
            Self::NotAllowed => "not_allowed",
            Self::Unset => "not_set",
        }
    }
}

impl ProjectCommand {
    /// Whether the user need not be asked first.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.permission != Permission::NotAllowed
    }

    /// The command line, if it may run.
    pub(crate) fn require_allowed(&self, engine: &Engine) -> Result<&str, CommandError> {
        if !self.is_allowed() {
            return Err(CommandError::NotAllowed {
                setting: self.setting.clone(),
                command: engine.redact(&self.command),
            });
        }
        Ok(&self.command)
    }

    /// The command line for whoever runs it now: what the user agreed to in this process is recorded.
    pub(crate) fn about_to_run(&self, engine: &Engine) -> Result<&str, EngineError> {
        let command = self.require_allowed(engine)?;
        engine.record_consent(self)?;
        Ok(command)
    }
}

impl Engine {
    /// Every command that is set. A repository that is not recorded has none that was allowed.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn project_commands(
        &self,
        repository: Option<RepositoryId>,
    ) -> Result<Vec<ProjectCommand>, EngineError> {
        let set = self.resolved.command_lines();
        let found: Result<Vec<_>, _> = set.map(|value| self.judged(repository, value)).collect();
        Ok(found?.into_iter().flatten().collect())
    }

    /// The command that a setting names, if it is set.
    ///
    /// # Errors
    /// If there is no such setting, or the store cannot be read.
    pub fn project_command(
        &self,
        repository: Option<RepositoryId>,
        setting: &str,
    ) -> Result<Option<ProjectCommand>, EngineError> {
        // A name that nothing has is told.
        self.resolved.require(setting)?;
        let mut set = self.resolved.command_lines();
        match set.find(|value| value.key == setting) {
            Some(value) => self.judged(repository, value),
            None => Ok(None),
        }
    }

    /// Records that the user allowed these very texts in a repository.
    ///
    /// # Errors
    /// If one contains a secret, which could not be kept, or the store refuses; nothing is recorded then.
    pub fn allow_commands(
        &self,
        root: &Path,
        commands: &[ProjectCommand],
    ) -> Result<(), EngineError> {
        let not_allowed = commands.iter().filter(|it| !it.is_allowed());
        let not_allowed: Vec<&ProjectCommand> = not_allowed.collect();
        if not_allowed.is_empty() {
            return Ok(());
        }
        self.require_no_secrets(&not_allowed)?;
        let opened = self.open_recorded(root)?;
        self.require_not_moved(opened.root())?;
        self.write(|tx| {
            let repository = tx.ensure_repository(opened.root(), opened.common_dir())?;
            for ProjectCommand {
                setting, command, ..
            } in not_allowed
            {
                if tx.allow_command(repository.id, setting, command)? {
                    let setting = setting.clone();
                    tx.append_event(None, &EventBody::CommandAllowed { setting })?;
                }
            }
            Ok(())
        })
    }

    /// Takes back what the user allowed under these settings. Answers those that had been allowed.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn forget_commands(
        &self,
        repository: RepositoryId,
        settings: &[String],
    ) -> Result<Vec<String>, EngineError> {
        self.write(|tx| forget(tx, repository, settings))
    }

    /// Takes back all that the user allowed in a repository, whatever its settings name by now. Answers the settings.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn forget_every_command(
        &self,
        repository: RepositoryId,
    ) -> Result<Vec<String>, EngineError> {
        self.write(|tx| {
            let allowed = tx.allowed_commands(repository)?.into_iter();
            let mut settings: Vec<String> = allowed.map(|(setting, _)| setting).collect();
            settings.dedup();
            forget(tx, repository, &settings)
        })
    }

    /// What the user allowed in a repository and none of these commands is: its setting is gone, or has another text.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn unset_commands(
        &self,
        repository: RepositoryId,
        set: &[ProjectCommand],
    ) -> Result<Vec<ProjectCommand>, EngineError> {
        let allowed = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.allowed_commands(repository)?))?;
        let is_set = |setting: &str, command: &str| {
            let is_it = |it: &ProjectCommand| it.setting == setting && it.command == command;
            set.iter()
                .any(|it| it.permission == Permission::Allowed && is_it(it))
        };
        let unset = allowed
            .into_iter()
            .filter(|(setting, command)| !is_set(setting, command));
        Ok(unset
            .map(|(setting, command)| ProjectCommand {
                setting,
                command,
                permission: Permission::Unset,
            })
            .collect())
    }

    /// Whether a command that a repository brings may run there.
    pub(crate) fn permission_of(
        &self,
        repository: Option<RepositoryId>,
        setting: &str,
        command: &str,
    ) -> Result<Permission, EngineError> {
        let Some(repository) = repository else {
            return Ok(Permission::NotAllowed);
        };
        let is_allowed = self.store.read(|tx| {
            Ok::<_, EngineError>(tx.is_command_allowed(repository, setting, command)?)
        })?;
        Ok(
            match is_allowed || self.has_consent(repository, setting, command) {
                true => Permission::Allowed,
                false => Permission::NotAllowed,
            },
        )
    }

    fn judged(
        &self,
        repository: Option<RepositoryId>,
        value: &Value,
    ) -> Result<Option<ProjectCommand>, EngineError> {
        let Some(command) = value.value.clone() else {
            return Ok(None);
        };
        let setting = value.key.clone();
        let permission = match &value.origin {
            Origin::Repository(_) => self.permission_of(repository, &setting, &command)?,
            Origin::Default | Origin::User(_) | Origin::Environment(_) | Origin::Flag => {
                Permission::Own
            }
        };
        Ok(Some(ProjectCommand {
            setting,
            command,
            permission,
        }))
    }
}

fn forget(
    tx: &Tx<'_>,
    repository: RepositoryId,
    settings: &[String],
) -> Result<Vec<String>, EngineError> {
    let mut forgotten = Vec::new();
    for setting in settings {
        if tx.forget_command(repository, setting)? {
            let setting = setting.clone();
            forgotten.push(setting.clone());
            tx.append_event(None, &EventBody::CommandForgotten { setting })?;
        }
    }
    Ok(forgotten)
}
