//! Transcripts: what agents said and did, by position within the session.

use orchestra_core::data::REMOVED_TRANSCRIPT;
use orchestra_core::{AgentEvent, IterationNumber, SessionId, Timestamp, TranscriptItem};
use rusqlite::{OptionalExtension, Row, Rows, params};

use crate::columns::{bound, column, json, millis, timestamp, to_json};
use crate::{StoreError, Tx};

/// No item is read after as many bytes: a line of an agent has up to 8 MiB, and items are read by the hundred.
const ENOUGH_BYTES: usize = 4 * 1024 * 1024;

/// An item that gets its position when it is appended.
#[derive(Debug, Clone, PartialEq)]
pub struct NewItem {
    /// When it was read.
    pub at: Timestamp,
    /// The line of the iteration's output it was read from, counted from 1, the end of an attempt as a line of its own; `None`
    /// for what the engine says.
    pub line: Option<u64>,
    /// What was said or done.
    pub event: AgentEvent,
}

impl Tx<'_> {
    /// Appends items and answers the first and last position they got; `None` if there were none.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn append_transcript(
        &self,
        session: &SessionId,
        iteration: IterationNumber,
        items: &[NewItem],
    ) -> Result<Option<(u64, u64)>, StoreError> {
        if items.is_empty() {
            return Ok(None);
        }
        let first = self.last_position(session)? + 1;
        let mut statement = self.inner.prepare_cached(
            "INSERT INTO transcript (session, position, iteration, at, line, event) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        let mut position = first;
        for item in items {
            let event = to_json(&item.event)?;
            statement.execute(params![
                session.as_str(),
                position,
                iteration.0,
                millis(item.at),
                item.line,
                event
            ])?;
            position += 1;
        }
        Ok(Some((first, position - 1)))
    }

    /// How many items of a session were not removed yet, and their bytes.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn transcript_amount(&self, session: &SessionId) -> Result<(u64, u64), StoreError> {
        Ok(self
            .inner
            .prepare_cached(
                "SELECT count(*), coalesce(sum(octet_length(event)), 0) FROM transcript
                 WHERE session = ?1 AND NOT coalesce(event ->> 'role' = 'engine' AND event ->> 'text' LIKE ?2 || '%', 0)",
            )?
            .query_row(params![session.as_str(), REMOVED_TRANSCRIPT], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?)
    }

    /// Puts a note in the place of all items of each iteration of a session. Positions that were given stay given.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn remove_transcript(
        &self,
        session: &SessionId,
        note: &AgentEvent,
    ) -> Result<(), StoreError> {
        const LAST: &str =
            "SELECT max(position) FROM transcript WHERE session = ?1 GROUP BY iteration";
        let delete =
            format!("DELETE FROM transcript WHERE session = ?1 AND position NOT IN ({LAST})");
        self.inner.execute(&delete, [session.as_str()])?;
        self.inner.execute(
            "UPDATE transcript SET event = ?2
             WHERE session = ?1 AND NOT coalesce(event ->> 'role' = 'engine' AND event ->> 'text' LIKE ?3 || '%', 0)",
            params![session.as_str(), to_json(note)?, REMOVED_TRANSCRIPT],
        )?;
        Ok(())
    }

    /// The last line of an iteration's output that has an item, 0 if none has.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last_line(
        &self,
        session: &SessionId,
        iteration: IterationNumber,
    ) -> Result<u64, StoreError> {
        Ok(self
            .inner
            .prepare_cached("SELECT coalesce(max(line), 0) FROM transcript WHERE session = ?1 AND iteration = ?2")?
            .query_row(params![session.as_str(), iteration.0], |row| row.get(0))?)
    }

    /// The position of the newest item, 0 if there is none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last_position(&self, session: &SessionId) -> Result<u64, StoreError> {
        Ok(self
            .inner
            .prepare_cached("SELECT coalesce(max(position), 0) FROM transcript WHERE session = ?1")?
            .query_row([session.as_str()], |row| row.get(0))?)
    }

    /// The position of the last item of earlier iterations, 0 if there is none: what follows belongs to this one.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn position_before(
        &self,
        session: &SessionId,
        iteration: IterationNumber,
    ) -> Result<u64, StoreError> {
        // Positions grow with iterations, so the search goes backwards from the end and stops at the first hit.
        Ok(self
            .inner
            .prepare_cached(
                "SELECT position FROM transcript WHERE session = ?1 AND iteration < ?2 ORDER BY position DESC LIMIT 1",
            )?
            .query_row(params![session.as_str(), iteration.0], |row| row.get(0))
            .optional()?
            .unwrap_or(0))
    }

    /// The newest iteration before another one whose agent came up, so that it got its prompt.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last_heard_iteration(
        &self,
        session: &SessionId,
        before: IterationNumber,
    ) -> Result<Option<IterationNumber>, StoreError> {
        let found = self
            .inner
            .prepare_cached(
                "SELECT iteration FROM transcript
                 WHERE session = ?1 AND iteration < ?2 AND event ->> 'kind' = 'started'
                 ORDER BY position DESC LIMIT 1",
            )?
            .query_row(params![session.as_str(), before.0], |row| row.get(0))
            .optional()?;
        Ok(found.map(IterationNumber))
    }

    /// At most `limit` items after a position, in order; fewer if they are large, but none only if there is none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn transcript_after(
        &self,
        session: &SessionId,
        position: u64,
        limit: u32,
    ) -> Result<Vec<TranscriptItem>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT * FROM transcript WHERE session = ?1 AND position > ?2 ORDER BY position LIMIT ?3",
        )?;
        let rows = statement.query(params![session.as_str(), bound(position), limit])?;
        until_enough(rows)
    }

    /// At most `limit` items before a position, in order; fewer if they are large, but none only if there is none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn transcript_before(
        &self,
        session: &SessionId,
        position: u64,
        limit: u32,
    ) -> Result<Vec<TranscriptItem>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT * FROM transcript WHERE session = ?1 AND position < ?2 ORDER BY position DESC LIMIT ?3",
        )?;
        let rows = statement.query(params![session.as_str(), bound(position), limit])?;
        let mut items = until_enough(rows)?;
        items.reverse();
        Ok(items)
    }
}

fn until_enough(mut rows: Rows<'_>) -> Result<Vec<TranscriptItem>, StoreError> {
    let (mut items, mut bytes) = (Vec::new(), 0);
    while bytes < ENOUGH_BYTES
        && let Some(row) = rows.next()?
    {
        bytes += row.get_ref("event")?.as_bytes().map_or(0, <[u8]>::len);
        items.push(item(row)?);
    }
    Ok(items)
}

fn item(row: &Row<'_>) -> Result<TranscriptItem, StoreError> {
    Ok(TranscriptItem {
        position: column(row, "position")?,
        iteration: IterationNumber(column(row, "iteration")?),
        at: timestamp(row, "at")?,
        line: column(row, "line")?,
        event: json(row, "event")?,
    })
}
