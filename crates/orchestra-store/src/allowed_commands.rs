//! Commands of repositories' own settings files that the user allowed to run. Another word in one makes it another command.

use orchestra_core::RepositoryId;
use rusqlite::params;

use crate::columns::millis;
use crate::{StoreError, Tx};

impl Tx<'_> {
    /// Records that the user allowed this very text.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn allow_command(
        &self,
        repository: RepositoryId,
        name: &str,
        command: &str,
    ) -> Result<(), StoreError> {
        self.inner.execute(
            "INSERT INTO allowed_commands (repository, name, command, allowed_at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO NOTHING",
            params![repository.0, name, command, millis(self.now)],
        )?;
        Ok(())
    }

    /// Whether the user allowed this very text.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn is_command_allowed(
        &self,
        repository: RepositoryId,
        name: &str,
        command: &str,
    ) -> Result<bool, StoreError> {
        Ok(self
            .inner
            .prepare_cached(
                "SELECT 1 FROM allowed_commands WHERE repository = ?1 AND name = ?2 AND command = ?3",
            )?
            .exists(params![repository.0, name, command])?)
    }
}
