//! The event log.

use std::collections::BTreeSet;

use orchestra_core::{Event, EventBody, IterationNumber, SessionId};
use rusqlite::{Row, params};

use crate::columns::{bound, column, json, millis, parsed_option, timestamp, to_json};
use crate::{StoreError, Tx};

/// Which events to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EventFilter<'a> {
    /// Only those of one session.
    pub session: Option<&'a SessionId>,
    /// Only those after this sequence number.
    pub after: u64,
    /// At most this many; 0 means 1,000.
    pub limit: u32,
}

impl Tx<'_> {
    /// Appends an event and answers its sequence number.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn append_event(
        &self,
        session: Option<&SessionId>,
        body: &EventBody,
    ) -> Result<u64, StoreError> {
        self.inner
            .prepare_cached("INSERT INTO events (at, session, type, body) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![
                millis(self.now),
                session.map(SessionId::as_str),
                body.name(),
                to_json(body)?
            ])?;
        Ok(u64::try_from(self.inner.last_insert_rowid()).unwrap_or_default())
    }

    /// Events in order.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn events(&self, filter: EventFilter<'_>) -> Result<Vec<Event>, StoreError> {
        let limit = if filter.limit == 0 {
            1_000
        } else {
            filter.limit
        };
        let mut statement = self.inner.prepare_cached(
            "SELECT * FROM events WHERE seq > ?1 AND (?2 IS NULL OR session = ?2) ORDER BY seq LIMIT ?3",
        )?;
        let rows = statement.query_map(
            params![
                bound(filter.after),
                filter.session.map(SessionId::as_str),
                limit
            ],
            |row| Ok(event(row)),
        )?;
        rows.map(|row| row?).collect()
    }

    /// Fields of a session that a person changed after an iteration was started.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn fields_changed_since(
        &self,
        session: &SessionId,
        iteration: IterationNumber,
    ) -> Result<BTreeSet<String>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT DISTINCT body ->> 'field' AS field FROM events WHERE session = ?1 AND type = 'session_changed' AND seq >
                 (SELECT coalesce(max(seq), 0) FROM events
                  WHERE session = ?1 AND type = 'iteration_started' AND body ->> 'iteration' = ?2)",
        )?;
        let rows = statement.query_map(params![session.as_str(), iteration.0], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Who asked for what in a session, and which of it failed, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn calls(&self, session: &SessionId) -> Result<Vec<Event>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT * FROM events WHERE session = ?1 AND type IN ('tool_called', 'tool_failed') ORDER BY seq",
        )?;
        let rows = statement.query_map([session.as_str()], |row| Ok(event(row)))?;
        rows.map(|row| row?).collect()
    }

    /// The newest sequence number, 0 if the log is empty.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last_seq(&self) -> Result<u64, StoreError> {
        Ok(self
            .inner
            .prepare_cached("SELECT coalesce(max(seq), 0) FROM events")?
            .query_row([], |row| row.get(0))?)
    }
}

pub(crate) fn event(row: &Row<'_>) -> Result<Event, StoreError> {
    Ok(Event {
        seq: column(row, "seq")?,
        at: timestamp(row, "at")?,
        session: parsed_option(row, "session")?,
        body: json(row, "body")?,
    })
}
