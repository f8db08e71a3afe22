//! Operations on the wire.

use orchestra_api::{OperationAnswer, OperationList, SessionAnswer};
use orchestra_core::{Operation, SessionId, next_redo, next_undo};
use orchestra_engine::{Engine, EngineError};

use crate::wire;

/// Whether the operation that would be taken back next stays, because a remote has it.
#[must_use]
pub fn is_next_undo_kept(engine: &Engine, operations: &[Operation]) -> bool {
    // Where git cannot be asked now, undo itself tells.
    let is_pushed = |operation: &Operation| engine.is_pushed(operation).unwrap_or(false);
    next_undo(operations).is_some_and(is_pushed)
}

/// What was done to a session; the newest of it, if it is much.
///
/// # Errors
/// If the store cannot be read.
pub fn operation_list(
    engine: &Engine,
    id: &SessionId,
    operations: &[Operation],
    most: usize,
) -> Result<OperationList, EngineError> {
    let is_kept = is_next_undo_kept(engine, operations);
    let SessionAnswer { seq, session } = wire::answer(engine, id)?;
    let first = operations.len().saturating_sub(most);
    Ok(OperationList {
        seq,
        session,
        next_undo: next_undo(operations)
            .filter(|_| !is_kept)
            .map(|operation| operation.key),
        next_redo: next_redo(operations).and_then(|operation| operation.undoes),
        operations: operations.iter().skip(first).map(Into::into).collect(),
    })
}

/// An operation that was done, undone or done again.
///
/// # Errors
/// If the store cannot be read.
pub fn operation_answer(
    engine: &Engine,
    operation: &Operation,
) -> Result<OperationAnswer, EngineError> {
    let SessionAnswer { seq, session } = wire::answer(engine, &operation.session)?;
    Ok(OperationAnswer {
        seq,
        session,
        operation: operation.into(),
    })
}
