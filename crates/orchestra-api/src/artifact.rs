//! Artifacts on the wire.

use std::path::PathBuf;

use orchestra_core::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::Session;

/// What was collected from a session's worktree.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ArtifactsAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// How many files were collected now; `null` if they were only listed.
    pub collected: Option<usize>,
    /// Everything that was ever collected, by name.
    pub artifacts: Vec<Artifact>,
    /// What was wanted and not collected.
    pub left_out: Vec<LeftOut>,
}

/// A file that was collected.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Artifact {
    /// Its name in the folder.
    pub name: String,
    /// Where it is now.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub path: PathBuf,
    /// Where it was in the worktree.
    pub source: String,
    /// How long it is.
    pub bytes: Option<u64>,
    /// When it was collected.
    pub collected_at: Timestamp,
}

/// A file that was wanted and not collected.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LeftOut {
    /// Where it is in the worktree.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

impl Artifact {
    /// Puts an artifact together with the folder it is in.
    #[must_use]
    pub fn new(artifact: orchestra_core::Artifact, folder: &std::path::Path) -> Self {
        Self {
            path: folder.join(&artifact.name),
            name: artifact.name,
            source: artifact.source,
            bytes: artifact.bytes,
            collected_at: artifact.collected_at,
        }
    }
}
