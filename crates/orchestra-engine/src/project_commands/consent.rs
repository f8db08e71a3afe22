//! What the user agreed to for one command of this program. It is recorded when the command of the repository runs: what is
//! refused before that must not have allowed anything.

use std::sync::{MutexGuard, PoisonError};

use orchestra_core::{EventBody, RepositoryId};

use super::{CommandError, ProjectCommand};
use crate::{Engine, EngineError};

/// A command that the user agreed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Consented {
    repository: RepositoryId,
    setting: String,
    command: String,
}

impl Engine {
    /// Lets commands run in a repository that the user agreed to, and records each of them when it does.
    ///
    /// # Errors
    /// If one contains a secret, which could not be recorded.
    pub fn consent_to(
        &self,
        repository: RepositoryId,
        commands: &[ProjectCommand],
    ) -> Result<(), EngineError> {
        let not_allowed = commands.iter().filter(|it| !it.is_allowed());
        let not_allowed: Vec<&ProjectCommand> = not_allowed.collect();
        self.require_no_secrets(&not_allowed)?;
        let consented = not_allowed.into_iter().map(|it| Consented {
            repository,
            setting: it.setting.clone(),
            command: it.command.clone(),
        });
        self.consents().extend(consented);
        Ok(())
    }

    pub(super) fn require_no_secrets(
        &self,
        commands: &[&ProjectCommand],
    ) -> Result<(), CommandError> {
        let mut secrets = commands.iter().filter_map(|it| self.secret_in(it));
        secrets.next().map_or(Ok(()), Err)
    }

    /// Why a command cannot be allowed, if it contains what looks like a secret.
    #[must_use]
    pub fn secret_in(&self, command: &ProjectCommand) -> Option<CommandError> {
        let is_secret = self.redact(&command.command) != command.command;
        is_secret.then(|| CommandError::Secret {
            setting: command.setting.clone(),
        })
    }

    pub(super) fn has_consent(
        &self,
        repository: RepositoryId,
        setting: &str,
        command: &str,
    ) -> bool {
        let is_it = |it: &Consented| {
            it.repository == repository && it.setting == setting && it.command == command
        };
        self.consents().iter().any(is_it)
    }

    pub(super) fn record_consent(&self, command: &ProjectCommand) -> Result<(), EngineError> {
        let is_it =
            |it: &&Consented| it.setting == command.setting && it.command == command.command;
        let given: Vec<Consented> = self.consents().iter().filter(is_it).cloned().collect();
        if given.is_empty() {
            return Ok(());
        }
        self.write(|tx| {
            for it in given {
                if tx.allow_command(it.repository, &it.setting, &it.command)? {
                    let setting = it.setting;
                    tx.append_event(None, &EventBody::CommandAllowed { setting })?;
                }
            }
            Ok(())
        })
    }

    fn consents(&self) -> MutexGuard<'_, Vec<Consented>> {
        // Nothing that could fail happens while it is held.
        self.consented
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
