//! Opening the file, and the two ways to use it: a read snapshot and a write transaction.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use orchestra_core::Timestamp;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::StoreError;
use crate::schema::{self, LATEST_VERSION};

/// Fixes of write-ahead-log corruption end with this version.
const NEEDED_SQLITE: (&str, i32) = ("3.51.3", 3_051_003);
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

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
        check_sqlite()?;
        check_header(path)?;
        let mut connection = connect(path)?;
        let found = schema::version(&connection).map_err(|error| name_file(error, path))?;
        if found > LATEST_VERSION {
            return Err(StoreError::Newer {
                path: path.to_owned(),
                found,
                known: LATEST_VERSION,
            });
        }
        if found < LATEST_VERSION {
            if found > 0 {
                backup(
                    &connection,
                    &path.with_extension(format!("v{found}.backup")),
                )?;
            }
            schema::migrate(&mut connection)?;
        }
        let store = Self {
            connection: Mutex::new(connection),
            path: path.to_owned(),
        };
        store.remember_epoch(epoch)?;
        Ok(store)
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

    /// The name this store was given when it was created.
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

    fn remember_epoch(&self, epoch: &str) -> Result<(), StoreError> {
        let connection = self.lock();
        let known: i64 =
            connection.query_row("SELECT count(*) FROM meta WHERE key = 'epoch'", [], |row| {
                row.get(0)
            })?;
        if known == 0 {
            connection.execute(
                "INSERT OR IGNORE INTO meta (key, value) VALUES ('epoch', ?1)",
                [epoch],
            )?;
        }
        Ok(())
    }

    /// A panic while the lock was held rolled its transaction back, so the connection is still good.
    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let open = |source: rusqlite::Error| StoreError::Open {
        path: path.to_owned(),
        source: Box::new(source),
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(open)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(open)?;
    let prepared = connection
        .pragma_update(None, "journal_mode", "WAL")
        .and_then(|()| connection.pragma_update(None, "foreign_keys", "ON"))
        .and_then(|()| connection.pragma_update(None, "temp_store", "MEMORY"));
    prepared.map_err(|error| name_file(StoreError::from(error), path))?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

fn check_sqlite() -> Result<(), StoreError> {
    if rusqlite::version_number() < NEEDED_SQLITE.1 {
        return Err(StoreError::OldSqlite {
            found: rusqlite::version().to_owned(),
            needed: NEEDED_SQLITE.0,
        });
    }
    Ok(())
}

/// SQLite notices a truncated file only when it reads a missing page; the header tells at once how long it must be.
fn check_header(path: &Path) -> Result<(), StoreError> {
    let open = |source: std::io::Error| StoreError::Open {
        path: path.to_owned(),
        source: Box::new(source),
    };
    let damaged = |reason: String| StoreError::Damaged {
        path: path.to_owned(),
        reason,
    };
    let mut file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(open(error)),
    };
    let length = file.metadata().map_err(open)?.len();
    if length == 0 {
        return Ok(());
    }
    let mut header = [0_u8; 100];
    file.read_exact(&mut header)
        .map_err(|_| damaged(format!("it has only {length} bytes")))?;
    if !header.starts_with(b"SQLite format 3\0") {
        return Err(damaged("it does not start like an SQLite file".to_owned()));
    }
    let page_size = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        size => u64::from(size),
    };
    let pages = u64::from(u32::from_be_bytes([
        header[28], header[29], header[30], header[31],
    ]));
    if pages * page_size > length {
        return Err(damaged(format!(
            "it has {length} bytes where its header promises {}",
            pages * page_size
        )));
    }
    Ok(())
}

fn backup(source: &Connection, target: &Path) -> Result<(), StoreError> {
    let partial = target.with_extension("partial");
    let open = |source: std::io::Error| StoreError::Open {
        path: target.to_owned(),
        source: Box::new(source),
    };
    let mut copy = Connection::open(&partial)?;
    rusqlite::backup::Backup::new(source, &mut copy)?.run_to_completion(
        256,
        Duration::ZERO,
        None,
    )?;
    copy.close().map_err(|(_, error)| error)?;
    fs::File::open(&partial)
        .and_then(|file| file.sync_all())
        .map_err(open)?;
    fs::rename(&partial, target).map_err(open)
}

fn name_file(error: StoreError, path: &Path) -> StoreError {
    match error {
        StoreError::Damaged { reason, .. } => StoreError::Damaged {
            path: path.to_owned(),
            reason,
        },
        other => other,
    }
}
