//! Worktrees on the wire.

use std::path::PathBuf;

use orchestra_core::SessionId;
use serde::Serialize;
use utoipa::ToSchema;

/// A worktree of a repository.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Worktree {
    /// Its directory.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub path: PathBuf,
    /// The branch it has checked out.
    pub branch: Option<String>,
    /// The commit it has checked out.
    pub head: Option<String>,
    /// The session it belongs to.
    pub session_id: Option<SessionId>,
    /// The session's name.
    pub session_name: Option<String>,
    /// Why git would forget it, if it would.
    pub prunable: Option<String>,
}

/// The worktrees of a repository.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct WorktreeList {
    /// The newest event their sessions include.
    pub seq: u64,
    /// The worktrees, the main checkout first.
    pub worktrees: Vec<Worktree>,
}

/// Worktrees whose registration was forgotten.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Pruned {
    /// The newest event their sessions include.
    pub seq: u64,
    /// Their directories.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub pruned: Vec<PathBuf>,
}
