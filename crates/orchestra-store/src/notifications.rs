//! One notification per event: whoever claims the event's row shows it.

use rusqlite::params;

use crate::columns::millis;
use crate::{StoreError, Tx};

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
}
