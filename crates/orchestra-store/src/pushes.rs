//! Where sessions were pushed.

use orchestra_core::{Push, SessionId};
use rusqlite::{Row, params};

use crate::columns::{millis, parsed, timestamp};
use crate::{StoreError, Tx};

impl Tx<'_> {
    /// Remembers a push in the place of an earlier one to the same branch.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn put_push(&self, session: &SessionId, push: &Push) -> Result<(), StoreError> {
        self.inner.execute(
            "INSERT INTO pushes (session, remote, branch, commit_id, pushed_at) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (session, remote, branch) DO UPDATE SET commit_id = excluded.commit_id,
                 pushed_at = excluded.pushed_at",
            params![
                session.as_str(),
                push.remote.as_str(),
                push.branch.as_str(),
                push.commit.as_str(),
                millis(push.at),
            ],
        )?;
        Ok(())
    }

    /// The last push of a session to each branch, newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn pushes(&self, session: &SessionId) -> Result<Vec<Push>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT * FROM pushes WHERE session = ?1 ORDER BY pushed_at DESC, remote, branch",
        )?;
        let rows = statement.query_map([session.as_str()], |row| Ok(push(row)))?;
        rows.map(|row| row?).collect()
    }
}

fn push(row: &Row<'_>) -> Result<Push, StoreError> {
    Ok(Push {
        remote: parsed(row, "remote")?,
        branch: parsed(row, "branch")?,
        commit: parsed(row, "commit_id")?,
        at: timestamp(row, "pushed_at")?,
    })
}
