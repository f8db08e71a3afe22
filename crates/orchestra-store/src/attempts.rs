//! Further attempts at the turn of an iteration: where they begin in its output.

use rusqlite::params;

use crate::{StoreError, Tx};

impl Tx<'_> {
    /// Records that an attempt begins after this line of the iteration's output.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn begin_attempt(&self, iteration: i64, after_line: u64) -> Result<(), StoreError> {
        self.inner.execute(
            "INSERT INTO attempts (iteration, after_line) VALUES (?1, ?2)",
            params![iteration, after_line],
        )?;
        Ok(())
    }

    /// The lines after which attempts begin, except the first one, in order.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn attempts(&self, iteration: i64) -> Result<Vec<u64>, StoreError> {
        let mut statement = self
            .inner
            .prepare_cached("SELECT after_line FROM attempts WHERE iteration = ?1 ORDER BY key")?;
        let lines = statement.query_map([iteration], |row| row.get(0))?;
        Ok(lines.collect::<Result<_, _>>()?)
    }
}
