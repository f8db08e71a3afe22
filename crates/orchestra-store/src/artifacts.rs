//! Files that were collected from worktrees.

use orchestra_core::{Artifact, RepositoryId, SessionId};
use rusqlite::{OptionalExtension, Row, params};

use crate::columns::{bound, column, millis, parsed, timestamp};
use crate::{StoreError, Tx};

impl Tx<'_> {
    /// Writes an artifact down: its name from now on belongs to its session. A name that the file had before does not any more.
    ///
    /// # Errors
    /// If somebody has the name, or the store refuses.
    pub fn reserve_artifact(
        &self,
        repository: RepositoryId,
        artifact: &Artifact,
    ) -> Result<(), StoreError> {
        self.inner.execute(
            "INSERT INTO artifacts (repository, name, session, source, bytes, collected_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (session, source) DO UPDATE
             SET name = excluded.name, bytes = excluded.bytes, collected_at = excluded.collected_at",
            params![
                repository.0,
                artifact.name,
                artifact.session.as_str(),
                artifact.source,
                artifact.bytes.map(bound),
                millis(artifact.collected_at)
            ],
        )?;
        Ok(())
    }

    /// Records that the file of an artifact was written.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn put_artifact(&self, artifact: &Artifact) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE artifacts SET bytes = ?3, collected_at = ?4 WHERE session = ?1 AND source = ?2",
            params![
                artifact.session.as_str(),
                artifact.source,
                artifact.bytes.map(bound),
                millis(artifact.collected_at)
            ],
        )?;
        Ok(())
    }

    /// The artifacts of a session, by name.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn artifacts(&self, session: &SessionId) -> Result<Vec<Artifact>, StoreError> {
        let mut statement = self
            .inner
            .prepare_cached("SELECT * FROM artifacts WHERE session = ?1 ORDER BY name")?;
        let rows = statement.query_map([session.as_str()], |row| Ok(artifact(row)))?;
        rows.map(|row| row?).collect()
    }

    /// The artifact that a file of a session's worktree became.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn find_artifact(
        &self,
        session: &SessionId,
        source: &str,
    ) -> Result<Option<Artifact>, StoreError> {
        let mut statement = self
            .inner
            .prepare_cached("SELECT * FROM artifacts WHERE session = ?1 AND source = ?2")?;
        statement
            .query_row(params![session.as_str(), source], |row| Ok(artifact(row)))
            .optional()?
            .transpose()
    }

    /// Whether an artifact in a repository has this name.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn is_artifact_name_taken(
        &self,
        repository: RepositoryId,
        name: &str,
    ) -> Result<bool, StoreError> {
        Ok(self
            .inner
            .prepare_cached("SELECT 1 FROM artifacts WHERE repository = ?1 AND name = ?2")?
            .exists(params![repository.0, name])?)
    }
}

fn artifact(row: &Row<'_>) -> Result<Artifact, StoreError> {
    let bytes: Option<i64> = column(row, "bytes")?;
    Ok(Artifact {
        session: parsed(row, "session")?,
        source: column(row, "source")?,
        name: column(row, "name")?,
        bytes: bytes.and_then(|bytes| u64::try_from(bytes).ok()),
        collected_at: timestamp(row, "collected_at")?,
    })
}
