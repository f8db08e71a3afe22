//! Operations on the wire.

use orchestra_core::{Caller, OperationId, OperationKind, OperationState, PassedOver, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use crate::Session;

/// One thing that was done to a session.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Operation {
    /// Its number.
    pub id: OperationId,
    /// What was done.
    pub kind: OperationKind,
    /// What became of it.
    pub state: OperationState,
    /// What happened, for people.
    pub summary: String,
    /// The operation it undid or did again.
    pub undoes: Option<OperationId>,
    /// What a person chose to pass over.
    pub overridden: Vec<PassedOver>,
    /// Who asked for it, such as `mcp:claude`; absent if it was the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<Caller>,
    /// Whether what it needs to be undone is still there.
    pub has_snapshot: bool,
    /// When it began.
    pub started_at: Timestamp,
    /// When it was over.
    pub finished_at: Option<Timestamp>,
}

impl From<&orchestra_core::Operation> for Operation {
    fn from(operation: &orchestra_core::Operation) -> Self {
        Self {
            id: operation.key,
            kind: operation.kind,
            state: operation.state,
            summary: operation.summary.clone(),
            undoes: operation.undoes,
            overridden: operation.overridden.clone(),
            caller: operation.caller.clone(),
            has_snapshot: operation.can_be_undone() && !operation.is_too_old(),
            started_at: operation.started_at,
            finished_at: operation.finished_at,
        }
    }
}

/// What was done to a session, and the number of the event log it is true at.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct OperationList {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// Oldest first.
    pub operations: Vec<Operation>,
    /// The one that `undo` takes back; `null` if there is none, or a remote has it.
    pub next_undo: Option<OperationId>,
    /// The one that `redo` does again.
    pub next_redo: Option<OperationId>,
}

/// An operation that was done, undone or done again.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct OperationAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// The operation.
    pub operation: Operation,
}
