//! Repositories.

use std::path::Path;

use orchestra_core::{Repository, RepositoryId, Timestamp};
use rusqlite::{OptionalExtension, Row, params};

use crate::columns::{column, path, path_text, timestamp_option};
use crate::{StoreError, Tx};

/// A repository and its sessions in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedRepository {
    /// The repository.
    pub repository: Repository,
    /// All its sessions.
    pub sessions: u64,
    /// Those that were put away.
    pub archived: u64,
    /// When an agent ran in one of them last.
    pub last_run: Option<Timestamp>,
}

impl Tx<'_> {
    /// The repository with this git directory; added if it is new. A moved main checkout updates its root.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn ensure_repository(
        &self,
        root: &Path,
        common_dir: &Path,
    ) -> Result<Repository, StoreError> {
        self.inner.execute(
            "INSERT INTO repositories (root, common_dir) VALUES (?1, ?2)
             ON CONFLICT (common_dir) DO UPDATE SET root = excluded.root
             ON CONFLICT (root) DO UPDATE SET common_dir = excluded.common_dir",
            params![path_text(root)?, path_text(common_dir)?],
        )?;
        self.inner.query_row(
            "SELECT * FROM repositories WHERE common_dir = ?1",
            [path_text(common_dir)?],
            |row| Ok(repository(row)),
        )?
    }

    /// Records where a repository was moved.
    ///
    /// # Errors
    /// If the store refuses, or another repository is recorded there.
    pub fn move_repository(
        &self,
        id: RepositoryId,
        root: &Path,
        common_dir: &Path,
    ) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE repositories SET root = ?2, common_dir = ?3 WHERE id = ?1",
            params![id.0, path_text(root)?, path_text(common_dir)?],
        )?;
        Ok(())
    }

    /// Removes a repository that has no sessions; one that has some stays.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn forget_repository_without_sessions(&self, id: RepositoryId) -> Result<(), StoreError> {
        self.inner.execute(
            "DELETE FROM repositories
             WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM sessions WHERE repository = ?1)",
            [id.0],
        )?;
        Ok(())
    }

    /// Removes a repository of which nothing is recorded: neither sessions nor commands that the user allowed.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn forget_unused_repository(&self, id: RepositoryId) -> Result<(), StoreError> {
        self.inner.execute(
            "DELETE FROM repositories
             WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM sessions WHERE repository = ?1)
                 AND NOT EXISTS (SELECT 1 FROM allowed_commands WHERE repository = ?1)",
            [id.0],
        )?;
        Ok(())
    }

    /// The repository with this git directory.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn find_repository(&self, common_dir: &Path) -> Result<Option<Repository>, StoreError> {
        self.inner
            .query_row(
                "SELECT * FROM repositories WHERE common_dir = ?1",
                [path_text(common_dir)?],
                |row| Ok(repository(row)),
            )
            .optional()?
            .transpose()
    }

    /// The repository with this key.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn repository(&self, id: RepositoryId) -> Result<Repository, StoreError> {
        self.inner
            .query_row("SELECT * FROM repositories WHERE id = ?1", [id.0], |row| {
                Ok(repository(row))
            })?
    }

    /// All repositories with the number of their sessions, and how many of these were put away.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn counted_repositories(&self) -> Result<Vec<CountedRepository>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT repositories.*, count(sessions.id) AS sessions,
                 count(sessions.archived_at) AS archived, max(sessions.last_run) AS last_run
             FROM repositories LEFT JOIN sessions ON sessions.repository = repositories.id
             GROUP BY repositories.id ORDER BY repositories.root",
        )?;
        let rows = statement.query_map([], |row| Ok(counted(row)))?;
        rows.map(|row| row?).collect()
    }

    /// All repositories.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn repositories(&self) -> Result<Vec<Repository>, StoreError> {
        let mut statement = self
            .inner
            .prepare_cached("SELECT * FROM repositories ORDER BY id")?;
        let rows = statement.query_map([], |row| Ok(repository(row)))?;
        rows.map(|row| row?).collect()
    }
}

fn counted(row: &Row<'_>) -> Result<CountedRepository, StoreError> {
    Ok(CountedRepository {
        repository: repository(row)?,
        sessions: column(row, "sessions")?,
        archived: column(row, "archived")?,
        last_run: timestamp_option(row, "last_run")?,
    })
}

fn repository(row: &Row<'_>) -> Result<Repository, StoreError> {
    Ok(Repository {
        id: RepositoryId(column(row, "id")?),
        root: path(row, "root")?,
        common_dir: path(row, "common_dir")?,
    })
}
