//! Versioned, append-only migrations.

use rusqlite::Connection;

use crate::StoreError;

const MIGRATIONS: &[&str] = &[include_str!("../migrations/0001_sessions.sql")];

/// The schema version this program writes.
pub const LATEST_VERSION: u32 = MIGRATIONS.len() as u32;

pub(crate) fn version(connection: &Connection) -> Result<u32, StoreError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Brings the schema to the latest version. Each migration and its version number are one transaction, so a crash leaves
/// the file at a whole version; two processes that start together take turns.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let current = version(&transaction)?;
    for (index, migration) in MIGRATIONS.iter().enumerate().skip(current as usize) {
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", index + 1)?;
    }
    transaction.commit()?;
    Ok(())
}
