//! Writes that came with a key: what was answered, so that the same request again is answered the same and done once.

use rusqlite::{OptionalExtension, params};

use crate::columns::millis;
use crate::{StoreError, Tx};

/// How long an answer is kept.
const KEPT_MILLIS: i64 = 24 * 60 * 60 * 1_000;

/// What is known of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownRequest {
    /// Stands for method, address and body.
    pub print: String,
    /// The server that works on it, or did.
    pub server: String,
    /// Status and body of the answer, once there is one.
    pub answer: Option<(u16, String)>,
}

impl Tx<'_> {
    /// The request with a key, unless it is too long ago.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn find_request(&self, key: &str) -> Result<Option<KnownRequest>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT print, server, status, answer FROM requests WHERE key = ?1 AND at > ?2",
        )?;
        let oldest = millis(self.now) - KEPT_MILLIS;
        let found = statement.query_row(params![key, oldest], |row| {
            let status: Option<u16> = row.get(2)?;
            let answer: Option<String> = row.get(3)?;
            Ok(KnownRequest {
                print: row.get(0)?,
                server: row.get(1)?,
                answer: status.zip(answer),
            })
        });
        Ok(found.optional()?)
    }

    /// Notes that a request is worked on. What is too old goes.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn put_request(&self, key: &str, print: &str, server: &str) -> Result<(), StoreError> {
        let now = millis(self.now);
        self.inner.execute(
            "DELETE FROM requests WHERE at <= ?1 OR key = ?2",
            params![now - KEPT_MILLIS, key],
        )?;
        self.inner.execute(
            "INSERT INTO requests (key, print, server, at) VALUES (?1, ?2, ?3, ?4)",
            params![key, print, server, now],
        )?;
        Ok(())
    }

    /// Keeps the answer of a request, or forgets the request if there is none to keep.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn end_request(&self, key: &str, answer: Option<(u16, &str)>) -> Result<(), StoreError> {
        match answer {
            Some((status, body)) => self.inner.execute(
                "UPDATE requests SET status = ?2, answer = ?3 WHERE key = ?1",
                params![key, status, body],
            )?,
            None => self
                .inner
                .execute("DELETE FROM requests WHERE key = ?1", params![key])?,
        };
        Ok(())
    }
}
