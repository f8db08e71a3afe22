//! The disk space of worktrees, as it was counted last.

use orchestra_core::{DiskFacts, SessionId};
use rusqlite::{OptionalExtension, Row, params};

use crate::columns::{bound, column, millis, parsed, timestamp};
use crate::{StoreError, Tx};

impl Tx<'_> {
    /// Remembers what was counted, unless the session is gone.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn put_disk_use(&self, session: &SessionId, facts: &DiskFacts) -> Result<(), StoreError> {
        self.inner.execute(
            "INSERT INTO disk_use (session, own_bytes, shared_bytes, is_sharing_known, checked_at)
                 SELECT id, ?2, ?3, ?4, ?5 FROM sessions WHERE id = ?1
             ON CONFLICT (session) DO UPDATE SET own_bytes = excluded.own_bytes,
                 shared_bytes = excluded.shared_bytes, is_sharing_known = excluded.is_sharing_known,
                 checked_at = excluded.checked_at",
            params![
                session.as_str(),
                bound(facts.own_bytes),
                bound(facts.shared_bytes),
                facts.is_sharing_known,
                millis(facts.checked_at),
            ],
        )?;
        Ok(())
    }

    /// Forgets what was counted: there is nothing to count any more.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn forget_disk_use(&self, session: &SessionId) -> Result<(), StoreError> {
        self.inner.execute(
            "DELETE FROM disk_use WHERE session = ?1",
            [session.as_str()],
        )?;
        Ok(())
    }

    /// What was counted last for one session.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn disk_use_of(&self, session: &SessionId) -> Result<Option<DiskFacts>, StoreError> {
        let found = self
            .inner
            .prepare_cached("SELECT * FROM disk_use WHERE session = ?1")?
            .query_row([session.as_str()], |row| Ok(counted(row)))
            .optional()?
            .transpose()?;
        Ok(found.map(|(_, facts)| facts))
    }

    /// What was counted last, by session.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn disk_use(&self) -> Result<Vec<(SessionId, DiskFacts)>, StoreError> {
        let mut statement = self.inner.prepare_cached("SELECT * FROM disk_use")?;
        let rows = statement.query_map([], |row| Ok(counted(row)))?;
        rows.map(|row| row?).collect()
    }
}

fn counted(row: &Row<'_>) -> Result<(SessionId, DiskFacts), StoreError> {
    let facts = DiskFacts {
        own_bytes: column(row, "own_bytes")?,
        shared_bytes: column(row, "shared_bytes")?,
        is_sharing_known: column(row, "is_sharing_known")?,
        checked_at: timestamp(row, "checked_at")?,
    };
    Ok((parsed(row, "session")?, facts))
}
