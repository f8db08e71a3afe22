//! Ports that sessions have for themselves.

use orchestra_core::{PortLease, SessionId};
use rusqlite::{Row, params};

use crate::columns::{column, millis, parsed, timestamp};
use crate::{StoreError, Tx};

impl Tx<'_> {
    /// Leases a block of ports to a session.
    ///
    /// # Errors
    /// If somebody has one of them, or the store refuses.
    pub fn lease_ports(&self, lease: &PortLease) -> Result<(), StoreError> {
        let mut insert = self.inner.prepare_cached(
            "INSERT INTO ports (port, session, name, leased_at) VALUES (?1, ?2, ?3, ?4)",
        )?;
        for port in lease.ports() {
            let leased_at = millis(lease.leased_at);
            insert.execute(params![port, lease.session.as_str(), lease.name, leased_at])?;
        }
        Ok(())
    }

    /// Takes one block of a session's ports back.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn free_ports(&self, session: &SessionId, name: &str) -> Result<(), StoreError> {
        self.inner.execute(
            "DELETE FROM ports WHERE session = ?1 AND name = ?2",
            params![session.as_str(), name],
        )?;
        Ok(())
    }

    /// All leases, or those of one session, by their first port.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn port_leases(&self, session: Option<&SessionId>) -> Result<Vec<PortLease>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT session, name, min(port) AS first, count(*) AS ports, min(leased_at) AS leased_at
             FROM ports WHERE ?1 IS NULL OR session = ?1 GROUP BY session, name ORDER BY first",
        )?;
        let session = session.map(SessionId::as_str);
        let rows = statement.query_map([session], |row| Ok(lease(row)))?;
        rows.map(|row| row?).collect()
    }
}

fn lease(row: &Row<'_>) -> Result<PortLease, StoreError> {
    Ok(PortLease {
        session: parsed(row, "session")?,
        name: column(row, "name")?,
        first: column(row, "first")?,
        count: column(row, "ports")?,
        leased_at: timestamp(row, "leased_at")?,
    })
}
