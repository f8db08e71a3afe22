//! What can go wrong with the store, told apart by what the user can do about it.

use std::fmt;
use std::path::{Path, PathBuf};

use rusqlite::{ErrorCode, ffi};

/// The store could not do what it was asked. What SQLite says of a full, read-only or locked database is the same in other
/// words, so it is not given as the cause.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file could not be opened or created.
    #[error("cannot open the database {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The file was written by a newer version.
    #[error("the database {} has schema version {found}; this program knows {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// The file is not a whole SQLite database.
    #[error("the database{} is damaged: {reason}", named(path))]
    Damaged {
        /// The file; empty where it was noticed only while reading rows.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The linked SQLite is too old to be trusted.
    #[error("SQLite {found} is linked, and {needed} or newer is needed")]
    OldSqlite {
        /// What is linked.
        found: String,
        /// What is needed.
        needed: &'static str,
    },
    /// The disk has no room.
    #[error("the disk that holds the database is full")]
    Full(rusqlite::Error),
    /// The database cannot be written.
    #[error("the database is read-only")]
    ReadOnly(rusqlite::Error),
    /// Another process kept it locked too long.
    #[error("the database stayed locked by another process")]
    Busy(rusqlite::Error),
    /// The write-ahead log cannot be emptied.
    #[error("another program reads what was in the log of the database")]
    LogInUse,
    /// A unique value was taken.
    #[error("{0} is taken already")]
    Taken(Unique),
    /// A row holds something this version cannot read.
    #[error("cannot read the column {column}: {reason}")]
    Unreadable {
        /// Table and column.
        column: &'static str,
        /// Why.
        reason: String,
    },
    /// Any other answer of SQLite.
    #[error("the database refused the statement")]
    Sqlite(#[source] rusqlite::Error),
}

/// What only one row may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unique {
    /// A session's id.
    SessionId,
    /// A session's name within its repository.
    SessionName,
    /// A session's branch within its repository.
    SessionBranch,
    /// A session's directory.
    SessionWorktree,
    /// Something else, by its columns.
    Columns(String),
}

impl StoreError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Open { .. } => "store.cannot_open",
            Self::Newer { .. } => "store.newer",
            Self::Damaged { .. } | Self::Unreadable { .. } => "store.damaged",
            Self::OldSqlite { .. } => "store.old_sqlite",
            Self::Full(_) => "store.disk_full",
            Self::ReadOnly(_) => "store.read_only",
            Self::Busy(_) | Self::LogInUse => "store.busy",
            Self::Taken(_) => "store.taken",
            Self::Sqlite(_) => "store.failed",
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Open { .. } => {
                "check that the directory exists and is yours, or set ORCHESTRA_HOME to another one"
            }
            Self::Newer { .. } => {
                "update Amp Orchestra, or set ORCHESTRA_HOME to a directory of its own for this version"
            }
            Self::Damaged { .. } | Self::Unreadable { .. } => {
                "run `orchestra doctor --fix`: it keeps the damaged file and restores the newest backup; your worktrees and branches are not touched"
            }
            Self::Full(_) => "free some space and run the command again; nothing was changed",
            Self::ReadOnly(_) => {
                "make the data directory writable, or set ORCHESTRA_HOME to another one"
            }
            Self::Busy(_) | Self::LogInUse => {
                "try again in a moment; `orchestra doctor` shows who uses the database"
            }
            Self::Sqlite(error) if is_of_the_disk(error) => {
                "check the disk that holds the database: it may be full, over a quota or failing; nothing was changed"
            }
            Self::OldSqlite { .. } | Self::Taken(_) | Self::Sqlite(_) => return None,
        };
        Some(hint.to_owned())
    }
}

impl StoreError {
    /// Names the file in an error that came up while it was opened.
    pub(crate) fn about(self, path: &Path) -> Self {
        let path = path.to_owned();
        match self {
            Self::Damaged { reason, .. } => Self::Damaged { path, reason },
            Self::Sqlite(error) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) => {
                Self::Open {
                    path,
                    source: Box::new(error),
                }
            }
            other => other,
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let (failure, message) = match &error {
            rusqlite::Error::SqliteFailure(failure, message) => {
                (*failure, message.clone().unwrap_or_default())
            }
            _ => return Self::Sqlite(error),
        };
        match (failure.code, failure.extended_code) {
            // The index of the log grows before the log does, so a full disk shows here first.
            (ErrorCode::DiskFull, _) | (_, ffi::SQLITE_IOERR_SHMSIZE) => Self::Full(error),
            (ErrorCode::ReadOnly, _) => Self::ReadOnly(error),
            (ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked, _) => Self::Busy(error),
            (ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase, _) => Self::Damaged {
                path: PathBuf::new(),
                reason: message,
            },
            (_, ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY) => {
                Self::Taken(Unique::named_in(&message))
            }
            _ => Self::Sqlite(error),
        }
    }
}

impl Unique {
    /// SQLite tells only in its message which columns refused.
    fn named_in(message: &str) -> Self {
        match message.trim_start_matches("UNIQUE constraint failed: ") {
            "sessions.id" => Self::SessionId,
            "sessions.repository, sessions.name" => Self::SessionName,
            "sessions.repository, sessions.branch" => Self::SessionBranch,
            "sessions.worktree" => Self::SessionWorktree,
            columns => Self::Columns(columns.to_owned()),
        }
    }
}

impl fmt::Display for Unique {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::SessionId => "the id",
            Self::SessionName => "the name",
            Self::SessionBranch => "the branch",
            Self::SessionWorktree => "the directory",
            Self::Columns(columns) => columns,
        })
    }
}

fn is_of_the_disk(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen)
    )
}

fn named(path: &Path) -> String {
    if path.as_os_str().is_empty() {
        String::new()
    } else {
        format!(" {}", path.display())
    }
}
