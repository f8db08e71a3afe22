//! Intents: an effect outside the database is written down before it is done and closed after, so that recovery can ask
//! the world what happened to the open ones.

use std::path::PathBuf;

use orchestra_core::{BranchName, CommitId, SessionId};
use rusqlite::params;
use serde::{Deserialize, Serialize};

use crate::columns::{column, json, millis, parsed};
use crate::{StoreError, Tx};

/// The result of an intent whose effect took place and lasts.
pub const DONE: &str = "done";

/// An effect outside the database, with what identifies it in the world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Effect {
    /// Register a worktree and fill it with files. The session row holds path and branch.
    MakeWorktree,
    /// Remove a worktree that could not be made completely, and its branch. The session row goes last.
    TakeBackWorktree,
    /// Move a branch to a commit that exists already.
    PublishCommit {
        /// The branch.
        branch: BranchName,
        /// Where it was.
        parent: CommitId,
        /// Where it goes.
        commit: CommitId,
    },
    /// Throw away uncommitted changes after keeping them. Only in old records: it is an operation now.
    DiscardChanges {
        /// A patch of them.
        patch: String,
    },
    /// Let git link a worktree and its repository again, one of which was moved.
    RelinkWorktree {
        /// Where the git directory was that all worktrees share.
        common_dir: PathBuf,
        /// Where the worktree was.
        worktree: PathBuf,
    },
}

/// An intent nobody closed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenIntent {
    /// Its key.
    pub key: i64,
    /// Its session.
    pub session: SessionId,
    /// What was to be done.
    pub effect: Effect,
}

impl Tx<'_> {
    /// Writes down what is about to be done.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn open_intent(&self, session: &SessionId, effect: &Effect) -> Result<i64, StoreError> {
        self.inner.execute(
            "INSERT INTO intents (session, effect, created_at) VALUES (?1, ?2, ?3)",
            params![
                session.as_str(),
                crate::columns::to_json(effect)?,
                millis(self.now)
            ],
        )?;
        Ok(self.inner.last_insert_rowid())
    }

    /// Writes down that it was done ([`DONE`]), or what became of it.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn close_intent(&self, key: i64, result: &str) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE intents SET closed_at = ?2, result = ?3 WHERE key = ?1",
            params![key, millis(self.now), result],
        )?;
        Ok(())
    }

    /// The same for everything a session has open.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn close_intents_of(&self, session: &SessionId, result: &str) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE intents SET closed_at = ?2, result = ?3 WHERE session = ?1 AND closed_at IS NULL",
            params![session.as_str(), millis(self.now), result],
        )?;
        Ok(())
    }

    /// Everything begun and not closed, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn open_intents(&self) -> Result<Vec<OpenIntent>, StoreError> {
        let mut statement = self
            .inner
            .prepare_cached("SELECT * FROM intents WHERE closed_at IS NULL ORDER BY key")?;
        let rows = statement.query_map([], |row| {
            Ok((|| {
                Ok(OpenIntent {
                    key: column(row, "key")?,
                    session: parsed(row, "session")?,
                    effect: json(row, "effect")?,
                })
            })())
        })?;
        rows.map(|row| row?).collect()
    }
}
