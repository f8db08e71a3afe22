//! Commands of repositories' own settings files that the user allowed to run. Another word in one makes it another command.

use orchestra_core::RepositoryId;
use rusqlite::params;

use crate::columns::millis;
use crate::{StoreError, Tx};

impl Tx<'_> {
    /// Records that the user allowed this very text. Answers whether that is new.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn allow_command(
        &self,
        repository: RepositoryId,
        name: &str,
        command: &str,
    ) -> Result<bool, StoreError> {
        let added = self.inner.execute(
            "INSERT INTO allowed_commands (repository, name, command, allowed_at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO NOTHING",
            params![repository.0, name, command, millis(self.now)],
        )?;
        Ok(added > 0)
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

    /// Every name and text that the user allowed in a repository, by name, the latest text first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn allowed_commands(
        &self,
        repository: RepositoryId,
    ) -> Result<Vec<(String, String)>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT name, command FROM allowed_commands WHERE repository = ?1
             ORDER BY name, allowed_at DESC, command",
        )?;
        let rows = statement.query_map([repository.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Takes back every permission under this name. Answers whether there was one.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn forget_command(&self, repository: RepositoryId, name: &str) -> Result<bool, StoreError> {
        let forgotten = self.inner.execute(
            "DELETE FROM allowed_commands WHERE repository = ?1 AND name = ?2",
            params![repository.0, name],
        )?;
        Ok(forgotten > 0)
    }
}
