//! What iterations, events and kept answers repeat of a transcript. It goes with it.

use orchestra_core::SessionId;
use rusqlite::params;

use crate::{StoreError, Tx};

/// Events that repeat what an agent said, and which of their words do.
const EVENTS: &str =
    "type IN ('input_requested', 'permission_requested', 'iteration_parked', 'commit_created')";
const WORDS: &str =
    "concat(body ->> 'question', body ->> 'what', body ->> 'why', body ->> 'subject')";

impl Tx<'_> {
    /// How many rows of a session repeat something of its transcript, and the bytes of that.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn repeated_amount(&self, session: &SessionId) -> Result<(u64, u64), StoreError> {
        let query = format!(
            "SELECT count(*), coalesce(sum(octet_length(words)), 0) FROM (
                 SELECT concat(input, summary, message) AS words FROM iterations WHERE session = ?1
                 UNION ALL SELECT {WORDS} FROM events WHERE session = ?1 AND {EVENTS}
                 UNION ALL SELECT answer FROM requests WHERE instr(answer, ?1) > 0
             ) WHERE words <> ''"
        );
        let mut statement = self.inner.prepare_cached(&query)?;
        let amount = statement.query_row([session.as_str()], |row| Ok((row.get(0)?, row.get(1)?)));
        Ok(amount?)
    }

    /// Removes what rows of a session repeat of its transcript. A request whose answer goes is not done again: it counts as one
    /// of which nobody knows what became of it.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn remove_repeated(&self, session: &SessionId) -> Result<(), StoreError> {
        let id = params![session.as_str()];
        self.inner.execute(
            "UPDATE iterations SET input = NULL, summary = NULL, message = NULL WHERE session = ?1",
            id,
        )?;
        let events = format!(
            "UPDATE events SET body = json_replace(body, '$.question', '', '$.what', '', '$.why', '', '$.subject', '')
             WHERE session = ?1 AND {EVENTS}"
        );
        self.inner.execute(&events, id)?;
        self.inner.execute(
            "UPDATE requests SET status = NULL, answer = NULL, server = '' WHERE instr(answer, ?1) > 0",
            id,
        )?;
        Ok(())
    }
}
