//! Operations: what was done to sessions and can be undone. An open row is an intent.

use orchestra_core::{
    Caller, Change, IterationNumber, Landing, Operation, OperationId, OperationKind,
    OperationState, PassedOver, SessionId, SnapshotName,
};
use rusqlite::{OptionalExtension, Row, params};

use crate::columns::{
    column, json, millis, parsed, parsed_option, timestamp, timestamp_option, to_json,
};
use crate::{StoreError, Tx};

/// An operation that is about to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOperation<'a> {
    /// Whose it is.
    pub session: &'a SessionId,
    /// What is done.
    pub kind: OperationKind,
    /// What it changes outside of the store.
    pub change: &'a Change,
    /// What is recorded of the session now.
    pub before: &'a Landing,
    /// What is recorded of it once the operation is done.
    pub after: &'a Landing,
    /// The snapshot of the state before.
    pub snapshot: Option<&'a SnapshotName>,
    /// The operation it undoes or does again.
    pub undoes: Option<OperationId>,
    /// The iteration whose uncommitted changes it throws away.
    pub iteration: Option<IterationNumber>,
    /// Checks that a person chose to pass over.
    pub overridden: &'a [PassedOver],
    /// What happens, for people.
    pub summary: &'a str,
    /// Who asked for it; `None` if it was the user.
    pub caller: Option<&'a Caller>,
}

impl Tx<'_> {
    /// Writes down what is about to be done.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn insert_operation(&self, new: &NewOperation<'_>) -> Result<OperationId, StoreError> {
        self.inner.execute(
            "INSERT INTO operations (session, kind, state, change, before, after, snapshot, undoes, iteration, overridden,
                 summary, started_at, caller)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            params![
                new.session.as_str(),
                new.kind.name(),
                OperationState::Open.name(),
                to_json(new.change)?,
                to_json(new.before)?,
                to_json(new.after)?,
                new.snapshot.map(SnapshotName::as_str),
                new.undoes.map(|key| key.0),
                new.iteration.map(|number| number.0),
                to_json(&new.overridden)?,
                new.summary,
                millis(self.now),
                new.caller.map(ToString::to_string),
            ],
        )?;
        Ok(OperationId(self.inner.last_insert_rowid()))
    }

    /// Records what became of an operation.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn set_operation_state(
        &self,
        key: OperationId,
        state: OperationState,
    ) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE operations SET state = ?2, finished_at = coalesce(finished_at, ?3) WHERE key = ?1",
            params![key.0, state.name(), millis(self.now)],
        )?;
        Ok(())
    }

    /// Records that an operation cannot be taken back any more.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn set_operation_lasting(&self, key: OperationId) -> Result<(), StoreError> {
        self.set_operation_change(key, &Change::Lasting)
    }

    /// Records that what an operation changed is called something else now, or cannot be changed back.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn set_operation_change(
        &self,
        key: OperationId,
        change: &Change,
    ) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE operations SET change = ?2 WHERE key = ?1",
            params![key.0, to_json(change)?],
        )?;
        Ok(())
    }

    /// Records what it means for the session, where that is known only afterwards.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn set_operation_after(&self, key: OperationId, after: &Landing) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE operations SET after = ?2 WHERE key = ?1",
            params![key.0, to_json(after)?],
        )?;
        Ok(())
    }

    /// Records whether somebody who asked for an operation has yet to hear of its end.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn set_operation_unheard(
        &self,
        key: OperationId,
        is_unheard: bool,
    ) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE operations SET unheard = ?2 WHERE key = ?1",
            params![key.0, is_unheard],
        )?;
        Ok(())
    }

    /// The newest operation of a session, if nobody has heard of its end.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn unheard_operation(&self, session: &SessionId) -> Result<Option<Operation>, StoreError> {
        self.inner
            .prepare_cached(
                "SELECT * FROM operations
                 WHERE key = (SELECT max(key) FROM operations WHERE session = ?1) AND unheard",
            )?
            .query_row([session.as_str()], |row| Ok(operation(row)))
            .optional()?
            .transpose()
    }

    /// Forgets the snapshot of an operation, so that it cannot be undone any more.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn forget_snapshot(&self, key: OperationId) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE operations SET snapshot = NULL WHERE key = ?1",
            params![key.0],
        )?;
        Ok(())
    }

    /// One operation.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn find_operation(&self, key: OperationId) -> Result<Option<Operation>, StoreError> {
        self.inner
            .prepare_cached("SELECT * FROM operations WHERE key = ?1")?
            .query_row([key.0], |row| Ok(operation(row)))
            .optional()?
            .transpose()
    }

    /// The operations of a session, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn operations(&self, session: &SessionId) -> Result<Vec<Operation>, StoreError> {
        let mut statement = self
            .inner
            .prepare_cached("SELECT * FROM operations WHERE session = ?1 ORDER BY key")?;
        let rows = statement.query_map([session.as_str()], |row| Ok(operation(row)))?;
        rows.map(|row| row?).collect()
    }

    /// The sessions with an operation whose end is not recorded.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn sessions_with_open_operations(&self) -> Result<Vec<SessionId>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT DISTINCT session FROM operations WHERE state = 'open' ORDER BY session",
        )?;
        let rows = statement.query_map([], |row| Ok(parsed(row, "session")))?;
        rows.map(|row| row?).collect()
    }

    /// The operations of a session whose end is not recorded, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn open_operations(&self, session: &SessionId) -> Result<Vec<Operation>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT * FROM operations WHERE session = ?1 AND state = 'open' ORDER BY key",
        )?;
        let rows = statement.query_map([session.as_str()], |row| Ok(operation(row)))?;
        rows.map(|row| row?).collect()
    }
}

pub(crate) fn operation(row: &Row<'_>) -> Result<Operation, StoreError> {
    Ok(Operation {
        key: OperationId(column(row, "key")?),
        session: parsed(row, "session")?,
        kind: parsed(row, "kind")?,
        state: parsed(row, "state")?,
        change: json(row, "change")?,
        before: json(row, "before")?,
        after: json(row, "after")?,
        snapshot: parsed_option(row, "snapshot")?,
        undoes: column::<Option<i64>>(row, "undoes")?.map(OperationId),
        iteration: column::<Option<u32>>(row, "iteration")?.map(IterationNumber),
        overridden: json(row, "overridden")?,
        summary: column(row, "summary")?,
        caller: parsed_option(row, "caller")?,
        started_at: timestamp(row, "started_at")?,
        finished_at: timestamp_option(row, "finished_at")?,
    })
}
