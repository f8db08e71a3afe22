//! What agents that call tools are answered, where that is not what `--json` prints: no answer to them grows without end.

use orchestra_core::{Caller, SessionId, Timestamp, TranscriptItem};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{FileDiff, Session};

/// What changed in a session, as far as there was room for it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DiffExcerpt {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// The files.
    pub files: Vec<FileDiff>,
    /// Whether files or patches were left out because there was no more room.
    pub is_cut: bool,
    /// Files that are not even named.
    pub files_left_out: usize,
}

/// A part of a transcript.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TranscriptPart {
    /// Whose it is.
    pub session_id: SessionId,
    /// Its items, oldest first.
    pub items: Vec<TranscriptItem>,
    /// Positions of items that are too large for an answer.
    pub too_large: Vec<u64>,
    /// Where the next part begins: the position after which to read on.
    pub after: u64,
    /// The position of the newest item.
    pub last: u64,
    /// Whether there is more to read now.
    pub has_more: bool,
}

/// A session after somebody waited for it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Waited {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// Whether nothing runs any more; else the time was over.
    pub at_rest: bool,
}

/// What somebody other than the user asked for.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Call {
    /// Who, such as `mcp:claude`.
    pub caller: Caller,
    /// What for, by the tool's name.
    pub tool: String,
    /// The code of the refusal; `null` if it was granted.
    pub refused: Option<String>,
    /// The code of the failure, if it was granted and came to nothing.
    pub failed: Option<String>,
    /// When.
    pub at: Timestamp,
}
