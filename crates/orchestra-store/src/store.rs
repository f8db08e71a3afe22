//! Opening the file, and the two ways to use it: a read snapshot and a write transaction.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use orchestra_core::Timestamp;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::backup::backup;
use crate::new_file::make_private;
use crate::{StoreError, schema};

/// Fixes of write-ahead-log corruption end with this version.
const NEEDED_SQLITE: (&str, i32) = ("3.51.3", 3_051_003);
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// A store that no file holds.
const NOWHERE: &str = ":memory:";

/// An open store. One per process; methods take turns.
#[derive(Debug)]
pub struct Store {
    connection: Mutex<Connection>,
    path: PathBuf,
}

/// A transaction. Reads see one moment; writes become visible together.
#[derive(Debug)]
pub struct Tx<'a> {
    pub(crate) inner: Transaction<'a>,
    pub(crate) now: Timestamp,
}

/// How surely a commit survives a power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// On disk before the call returns: whatever would lose work if it were lost.
    State,
    /// Survives the end of the process at once, a power cut a moment later: transcripts and event groups.
    Stream,
}

impl Store {
    /// Opens the file, creating or migrating it. `epoch` names a store that is created now; it tells followers that
    /// sequence numbers started anew.
    ///
    /// # Errors
    /// If the file cannot be opened, is damaged, or belongs to a newer version.
    pub fn open(path: &Path, epoch: &str) -> Result<Self, StoreError> {
        check_sqlite(rusqlite::version_number(), rusqlite::version())?;
        let connection = prepare(path, epoch).map_err(|error| error.about(path))?;
        Ok(Self {
            connection: Mutex::new(connection),
            path: path.to_owned(),
        })
    }

    /// An empty store that no file holds, for somebody who looks where nothing was ever kept.
    ///
    /// # Errors
    /// If SQLite is too old.
    pub fn nowhere(epoch: &str) -> Result<Self, StoreError> {
        Self::open(Path::new(NOWHERE), epoch)
    }

    /// Reads from one consistent moment.
    ///
    /// # Errors
    /// What the reading answers.
    pub fn read<T, E: From<StoreError>>(
        &self,
        reading: impl FnOnce(&Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut connection = self.lock();
        let inner = connection
            .transaction_with_behavior(TransactionBehavior::Deferred)
            .map_err(StoreError::from)?;
        reading(&Tx {
            inner,
            now: Timestamp::UNIX_EPOCH,
        })
    }

    /// Changes rows and appends the events that tell of it, all or nothing. `now` dates the events.
    ///
    /// # Errors
    /// What the writing answers; nothing was changed then.
    pub fn write<T, E: From<StoreError>>(
        &self,
        durability: Durability,
        now: Timestamp,
        writing: impl FnOnce(&Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut connection = self.lock();
        let level = match durability {
            Durability::State => "FULL",
            Durability::Stream => "NORMAL",
        };
        connection
            .pragma_update(None, "synchronous", level)
            .map_err(StoreError::from)?;
        let inner = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(StoreError::from)?;
        let tx = Tx { inner, now };
        let value = writing(&tx)?;
        tx.inner.commit().map_err(StoreError::from)?;
        Ok(value)
    }

    /// A number that changes whenever another process committed. Asking costs microseconds.
    ///
    /// # Errors
    /// If SQLite cannot tell.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        Ok(self
            .lock()
            .query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }

    /// Copies the store to another file while others use it.
    ///
    /// # Errors
    /// If the copy cannot be written.
    pub fn backup_to(&self, target: &Path) -> Result<(), StoreError> {
        backup(&self.lock(), target)
    }

    /// Writes the file anew without what was deleted, and empties its log, so that nothing of that is left in either.
    ///
    /// # Errors
    /// If somebody keeps reading what was there before, or the file cannot be written.
    pub fn vacuum(&self) -> Result<(), StoreError> {
        let connection = self.lock();
        connection.execute_batch("VACUUM")?;
        let is_busy: bool =
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        match is_busy {
            true => Err(StoreError::LogInUse),
            false => Ok(()),
        }
    }

    /// Asks SQLite to look at every page. Answers the problems it names.
    ///
    /// # Errors
    /// If SQLite cannot even look.
    pub fn check_integrity(&self) -> Result<Vec<String>, StoreError> {
        let connection = self.lock();
        let mut statement = connection.prepare("PRAGMA integrity_check")?;
        let lines = statement
            .query_map([], |row| row.get::<_, String>(0))?
            .collect::<Result<Vec<_>, _>>()?;
        Ok(lines.into_iter().filter(|line| line != "ok").collect())
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name this store was given when it was created or restored.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn epoch(&self) -> Result<String, StoreError> {
        Ok(self
            .lock()
            .query_row("SELECT value FROM meta WHERE key = 'epoch'", [], |row| {
                row.get(0)
            })?)
    }

    /// Gives the store another name, so that nobody takes the sequence numbers that follow for those they know. For a copy
    /// that takes the place of a store which had gone further.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin_epoch(&self, epoch: &str) -> Result<(), StoreError> {
        self.lock()
            .execute("UPDATE meta SET value = ?1 WHERE key = 'epoch'", [epoch])?;
        Ok(())
    }

    /// A panic while the lock was held rolled its transaction back, so the connection is still good.
    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Nothing is written before the file is known to be ours.
fn prepare(path: &Path, epoch: &str) -> Result<Connection, StoreError> {
    if path != Path::new(NOWHERE) {
        make_private(path);
    }
    let mut connection = connect(path)?;
    schema::check(&connection, path, schema::MIGRATIONS)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    use_write_ahead_log(&connection)?;
    schema::bring_up_to_date(&mut connection, path, schema::MIGRATIONS)?;
    remember_epoch(&connection, epoch)?;
    Ok(connection)
}

/// Once it is made, the file is only ever opened by SQLite: on Unix, closing a second handle drops the locks of the whole
/// process.
fn connect(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// SQLite does not wait where several turn a new file to the log at once: each would wait for the others.
fn use_write_ahead_log(connection: &Connection) -> Result<(), StoreError> {
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        let turned = connection.pragma_update(None, "journal_mode", "WAL");
        match turned.map_err(StoreError::from) {
            Err(StoreError::Busy(_)) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(2));
            }
            done => return done,
        }
    }
}

fn remember_epoch(connection: &Connection, epoch: &str) -> Result<(), StoreError> {
    let known: bool = connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM meta WHERE key = 'epoch')",
        [],
        |row| row.get(0),
    )?;
    if !known {
        connection.execute(
            "INSERT OR IGNORE INTO meta (key, value) VALUES ('epoch', ?1)",
            [epoch],
        )?;
    }
    Ok(())
}

fn check_sqlite(number: i32, version: &str) -> Result<(), StoreError> {
    if number < NEEDED_SQLITE.1 {
        return Err(StoreError::OldSqlite {
            found: version.to_owned(),
            needed: NEEDED_SQLITE.0,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use orchestra_core::EventBody;

    use super::*;

    fn open(directory: &tempfile::TempDir) -> Store {
        Store::open(&directory.path().join("orchestra.db"), "first").unwrap()
    }

    fn append(store: &Store, durability: Durability, what: &str) -> Result<u64, StoreError> {
        let what = what.to_owned();
        store.write(durability, Timestamp::UNIX_EPOCH, |tx| {
            tx.append_event(None, &EventBody::Recovered { what })
        })
    }

    fn pragma(store: &Store, name: &str) -> i64 {
        let connection = store.lock();
        connection
            .pragma_query_value(None, name, |row| row.get(0))
            .unwrap()
    }

    #[test]
    fn state_waits_for_the_disk_and_a_stream_does_not() {
        let directory = tempfile::tempdir().unwrap();
        let store = open(&directory);
        for (durability, synchronous) in [
            (Durability::State, 2),
            (Durability::Stream, 1),
            (Durability::State, 2),
        ] {
            append(&store, durability, "x").unwrap();
            assert_eq!(pragma(&store, "synchronous"), synchronous);
        }
    }

    #[test]
    fn a_full_disk_changes_nothing_and_room_is_used_again() {
        let directory = tempfile::tempdir().unwrap();
        let store = open(&directory);
        append(&store, Durability::State, "small").unwrap();
        let limit = |pages: i64| {
            let connection = store.lock();
            connection
                .query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
                .unwrap();
        };
        limit(pragma(&store, "page_count"));
        let big = "x".repeat(100_000);
        let error = append(&store, Durability::State, &big).unwrap_err();
        assert_eq!(error.code(), "store.disk_full");
        assert!(error.hint().is_some());
        assert_eq!(store.read(|tx| tx.last_seq()).unwrap(), 1);
        limit(1_000_000);
        assert_eq!(append(&store, Durability::State, &big).unwrap(), 2);
    }

    #[test]
    fn an_old_sqlite_is_refused() {
        assert!(check_sqlite(3_051_003, "3.51.3").is_ok());
        let error = check_sqlite(3_051_002, "3.51.2").unwrap_err();
        assert_eq!(error.code(), "store.old_sqlite");
        assert_eq!(error.hint(), None);
        assert_eq!(
            error.to_string(),
            "SQLite 3.51.2 is linked, and 3.51.3 or newer is needed"
        );
    }
}
