//! What the engine did, or let do, from a moment on.

use std::collections::BTreeSet;

use orchestra_core::{Operation, RepositoryId, SessionId, Timestamp};
use rusqlite::params;

use crate::columns::{millis, parsed};
use crate::operations::operation;
use crate::{StoreError, Tx};

/// What went on in a repository from a moment on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activity {
    /// Sessions in which an agent, a script or the engine was at work.
    pub sessions: BTreeSet<SessionId>,
    /// Operations, the oldest first.
    pub operations: Vec<Operation>,
    /// The names of scripts that ran.
    pub scripts: BTreeSet<String>,
}

impl Tx<'_> {
    /// Everything in a repository that had not ended at a moment, or began later.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn activity_since(
        &self,
        repository: RepositoryId,
        since: Timestamp,
    ) -> Result<Activity, StoreError> {
        Ok(Activity {
            sessions: self.sessions_at_work_since(repository, since)?,
            operations: self.operations_since(repository, since)?,
            scripts: self.scripts_since(repository, since)?,
        })
    }

    fn sessions_at_work_since(
        &self,
        repository: RepositoryId,
        since: Timestamp,
    ) -> Result<BTreeSet<SessionId>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT id FROM sessions WHERE repository = ?1 AND (created_at >= ?2 OR id IN (
                 SELECT session FROM iterations
                     WHERE started_at IS NOT NULL AND (finished_at IS NULL OR finished_at >= ?2)
                 UNION SELECT session FROM script_runs WHERE result IS NULL OR finished_at >= ?2
                 UNION SELECT session FROM operations WHERE finished_at IS NULL OR finished_at >= ?2
                 UNION SELECT session FROM intents WHERE closed_at IS NULL OR closed_at >= ?2))",
        )?;
        let rows = statement.query_map(params![repository.0, millis(since)], |row| {
            Ok(parsed(row, "id"))
        })?;
        rows.map(|row| row?).collect()
    }

    fn operations_since(
        &self,
        repository: RepositoryId,
        since: Timestamp,
    ) -> Result<Vec<Operation>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT operations.* FROM operations JOIN sessions ON sessions.id = operations.session
             WHERE sessions.repository = ?1
                 AND (operations.finished_at IS NULL OR operations.finished_at >= ?2)
             ORDER BY operations.key",
        )?;
        let rows = statement.query_map(params![repository.0, millis(since)], |row| {
            Ok(operation(row))
        })?;
        rows.map(|row| row?).collect()
    }

    fn scripts_since(
        &self,
        repository: RepositoryId,
        since: Timestamp,
    ) -> Result<BTreeSet<String>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT DISTINCT script_runs.script FROM script_runs JOIN sessions ON sessions.id = script_runs.session
             WHERE sessions.repository = ?1
                 AND (script_runs.result IS NULL OR script_runs.finished_at >= ?2)",
        )?;
        let rows = statement.query_map(params![repository.0, millis(since)], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
