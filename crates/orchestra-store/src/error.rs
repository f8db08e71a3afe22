//! What can go wrong with the store, told apart by what the user can do about it.

use std::path::PathBuf;

use rusqlite::ErrorCode;

/// The store could not do what it was asked.
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
    #[error("the database {} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
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
    Full(#[source] rusqlite::Error),
    /// The database cannot be written.
    #[error("the database is read-only")]
    ReadOnly(#[source] rusqlite::Error),
    /// Another process kept it locked too long.
    #[error("the database stayed locked by another process")]
    Busy(#[source] rusqlite::Error),
    /// A unique value was taken.
    #[error("the value is taken already: {what}")]
    Taken {
        /// The constraint that refused it, such as `sessions.name`.
        what: String,
    },
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
            Self::Busy(_) => "store.busy",
            Self::Taken { .. } => "store.taken",
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
            Self::Busy(_) => {
                "try again in a moment; `orchestra doctor` shows who uses the database"
            }
            Self::OldSqlite { .. } | Self::Taken { .. } | Self::Sqlite(_) => return None,
        };
        Some(hint.to_owned())
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let (code, message) = match &error {
            rusqlite::Error::SqliteFailure(failure, message) => {
                (failure.code, message.clone().unwrap_or_default())
            }
            _ => return Self::Sqlite(error),
        };
        match code {
            ErrorCode::DiskFull => Self::Full(error),
            ErrorCode::ReadOnly => Self::ReadOnly(error),
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Busy(error),
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Self::Damaged {
                path: PathBuf::from("orchestra.db"),
                reason: message,
            },
            ErrorCode::ConstraintViolation => Self::Taken {
                what: message
                    .trim_start_matches("UNIQUE constraint failed: ")
                    .to_owned(),
            },
            _ => Self::Sqlite(error),
        }
    }
}
