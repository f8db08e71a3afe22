//! One notification per event: whoever claims the event's row shows it.

use orchestra_core::{Event, SessionId};
use rusqlite::{Row, params};

use crate::columns::{bound, column, millis};
use crate::events::event;
use crate::{StoreError, Tx};

/// Types of events that can deserve a notification.
const NOTABLE: &str =
    "'iteration_finished', 'permission_requested', 'script_finished', 'operation_finished'";

impl Tx<'_> {
    /// Claims the notification of an event. `false` means somebody else shows it.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn claim_notification(&self, event: u64) -> Result<bool, StoreError> {
        let inserted = self.inner.execute(
            "INSERT OR IGNORE INTO notifications (event, claimed_at) VALUES (?1, ?2)",
            params![event, millis(self.now)],
        )?;
        Ok(inserted == 1)
    }

    /// Events after a number whose types can deserve a notification, each with whether somebody claimed it.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn notable_events(&self, after: u64, limit: u32) -> Result<Vec<(Event, bool)>, StoreError> {
        let query = format!(
            "SELECT events.*, notifications.event IS NOT NULL AS is_claimed
             FROM events LEFT JOIN notifications ON notifications.event = events.seq
             WHERE events.seq > ?1 AND events.type IN ({NOTABLE}) ORDER BY events.seq LIMIT ?2"
        );
        let mut statement = self.inner.prepare_cached(&query)?;
        let rows = statement.query_map(params![bound(after), limit], |row| Ok(notable(row)))?;
        rows.map(|row| row?).collect()
    }

    /// One of them, by its number.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn find_notable_event(&self, event: u64) -> Result<Option<(Event, bool)>, StoreError> {
        let Some(before) = event.checked_sub(1) else {
            return Ok(None);
        };
        let next = self.notable_events(before, 1)?.into_iter().next();
        Ok(next.filter(|(found, _)| found.seq == event))
    }

    /// The newest of them that is of a session.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn newest_notable_event(
        &self,
        session: &SessionId,
    ) -> Result<Option<(Event, bool)>, StoreError> {
        let query =
            format!("SELECT max(seq) FROM events WHERE session = ?1 AND type IN ({NOTABLE})");
        let mut statement = self.inner.prepare_cached(&query)?;
        let newest: Option<u64> = statement.query_row([session.as_str()], |row| row.get(0))?;
        match newest {
            Some(seq) => self.find_notable_event(seq),
            None => Ok(None),
        }
    }
}

fn notable(row: &Row<'_>) -> Result<(Event, bool), StoreError> {
    Ok((event(row)?, column(row, "is_claimed")?))
}
