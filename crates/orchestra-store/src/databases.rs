//! Databases that sessions have for themselves.

use orchestra_core::{DatabaseState, SessionDatabase, SessionId};
use rusqlite::{Row, params};

use crate::columns::{column, millis, parsed, timestamp};
use crate::{StoreError, Tx};

impl Tx<'_> {
    /// Reserves the place of a database for a session.
    ///
    /// # Errors
    /// If another session has this place, or the store refuses.
    pub fn reserve_database(&self, database: &SessionDatabase) -> Result<(), StoreError> {
        self.inner.execute(
            "INSERT INTO databases (session, name, kind, location, state, changed_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                database.session.as_str(),
                database.name,
                database.kind.name(),
                database.location,
                database.state.name(),
                millis(database.changed_at),
            ],
        )?;
        Ok(())
    }

    /// Records what became of a database.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn set_database_state(
        &self,
        session: &SessionId,
        name: &str,
        state: DatabaseState,
    ) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE databases SET state = ?3, changed_at = ?4 WHERE session = ?1 AND name = ?2",
            params![session.as_str(), name, state.name(), millis(self.now)],
        )?;
        Ok(())
    }

    /// Forgets a database that is not there any more.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn forget_database(&self, session: &SessionId, name: &str) -> Result<(), StoreError> {
        self.inner.execute(
            "DELETE FROM databases WHERE session = ?1 AND name = ?2",
            params![session.as_str(), name],
        )?;
        Ok(())
    }

    /// All databases, or those of one session, by session and name.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn databases(
        &self,
        session: Option<&SessionId>,
    ) -> Result<Vec<SessionDatabase>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT * FROM databases WHERE ?1 IS NULL OR session = ?1 ORDER BY session, name",
        )?;
        let session = session.map(SessionId::as_str);
        let rows = statement.query_map([session], |row| Ok(database(row)))?;
        rows.map(|row| row?).collect()
    }
}

fn database(row: &Row<'_>) -> Result<SessionDatabase, StoreError> {
    Ok(SessionDatabase {
        session: parsed(row, "session")?,
        name: column(row, "name")?,
        kind: parsed(row, "kind")?,
        location: column(row, "location")?,
        state: parsed(row, "state")?,
        changed_at: timestamp(row, "changed_at")?,
    })
}
