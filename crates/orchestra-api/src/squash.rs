//! Squashed and exported sessions on the wire.

use std::path::PathBuf;

use serde::Serialize;
use utoipa::ToSchema;

use crate::Session;

/// A session whose commits became one, or fewer.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Squashed {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// Where its branch is now.
    pub head: String,
    /// How many commits were squashed.
    pub squashed: usize,
    /// What took their place, oldest first.
    pub commits: Vec<String>,
}

/// A session that was written as a patch.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Exported {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// The file it was written to.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub patch: PathBuf,
    /// The commit it was made of; no branch has it if several were squashed.
    pub commit: String,
    /// How many commits it stands for.
    pub commits: usize,
    /// The first line of its message.
    pub subject: String,
    /// Whether uncommitted changes are not part of it; `null` if that cannot be told.
    pub leaves_out_changes: Option<bool>,
    /// How many lines of the message are indented, because `git am` would take them for the beginning of the patch.
    pub indented_lines: usize,
}

/// A session's work as a patch.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PatchAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// The patch; `null` if it is not UTF-8.
    pub patch: Option<String>,
    /// The patch, if it is not UTF-8.
    pub base64: Option<String>,
    /// The commit it was made of; no branch has it if several were squashed.
    pub commit: String,
    /// How many commits it stands for.
    pub commits: usize,
    /// The first line of its message.
    pub subject: String,
    /// Whether uncommitted changes are not part of it; `null` if that cannot be told.
    pub leaves_out_changes: Option<bool>,
    /// How many lines of the message are indented, because `git am` would take them for the beginning of the patch.
    pub indented_lines: usize,
}
