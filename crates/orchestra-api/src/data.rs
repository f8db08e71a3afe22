//! What is kept, on the wire.

use std::path::PathBuf;

use orchestra_core::{DataKind, SessionId};
use serde::Serialize;
use utoipa::ToSchema;

/// Where data lies, and how much it is.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DataReport {
    /// The newest event it includes.
    pub seq: u64,
    /// The data directory.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub directory: PathBuf,
    /// What is kept.
    pub places: Vec<DataPlace>,
    /// The sum.
    pub bytes: u64,
    /// What is kept for the owner alone only by the directory's own permissions.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub open_to_others: Vec<PathBuf>,
}

/// Something that is kept.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DataPlace {
    /// What it is, such as `database` or `logs`.
    pub what: &'static str,
    /// Where it is.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub path: PathBuf,
    /// How large it is.
    pub bytes: u64,
}

/// What was removed, or would be.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PurgeReport {
    /// The newest event it includes.
    pub seq: u64,
    /// Whether nothing was done.
    pub dry_run: bool,
    /// By session and kind.
    pub removed: Vec<RemovedData>,
    /// The sum.
    pub bytes: u64,
    /// Sessions that were left alone because something works on them.
    pub skipped: Vec<SessionId>,
    /// What could not be done.
    pub problems: Vec<String>,
}

/// What was removed of a session.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RemovedData {
    /// Whose it was.
    pub session_id: SessionId,
    /// What the session is called.
    pub session_name: String,
    /// What it was.
    pub kind: DataKind,
    /// Items of the transcript.
    pub items: u64,
    /// Files.
    pub files: usize,
    /// Bytes of both.
    pub bytes: u64,
}

/// What was written somewhere else.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DataExported {
    /// The newest event it includes.
    pub seq: u64,
    /// Where it is.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub directory: PathBuf,
    /// Whose data it has.
    pub sessions: Vec<SessionId>,
    /// How many files it has.
    pub files: u64,
}

/// The first file of an export: what is in it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExportManifest {
    /// The form of the export; it grows when that changes.
    pub format: u32,
    /// The program's version.
    pub version: &'static str,
    /// The newest event it includes.
    pub seq: u64,
    /// Whose data it has.
    pub sessions: Vec<SessionId>,
    /// What could not be part of it.
    pub left_out: Vec<String>,
}
