//! Requests about the installation and its data.

use std::path::PathBuf;

use serde::Deserialize;
use utoipa::ToSchema;

/// A repair of what is ours.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Repair {
    /// A directory in a repository that is looked at too, by its whole path. One that was moved there gets its sessions back.
    #[schema(value_type = Option<String>)]
    pub repository: Option<PathBuf>,
}

/// A trial of what this machine has to hold agents.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckSandbox {
    /// A directory in a repository whose settings hold, by its whole path.
    #[schema(value_type = Option<String>)]
    pub repository: Option<PathBuf>,
}

/// A copy of everything that is kept of sessions.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportData {
    /// Sessions by id, unique prefix or name.
    #[serde(default)]
    pub sessions: Vec<String>,
    /// Every session instead.
    #[serde(default)]
    pub all: bool,
    /// The directory, by its whole path; it must not exist.
    #[schema(value_type = String)]
    pub directory: PathBuf,
}

/// Data that is to be removed for good.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PurgeData {
    /// Sessions by id, unique prefix or name; one at work is refused.
    #[serde(default)]
    pub sessions: Vec<String>,
    /// Every session instead; those at work are left alone.
    #[serde(default)]
    pub all: bool,
    /// Every session that was not used for so long instead, such as `90d`; those at work are left alone.
    pub older_than: Option<String>,
    /// What agents said and did, and all they wrote.
    #[serde(default)]
    pub transcripts: bool,
    /// Logs of agents, scripts and runners.
    #[serde(default)]
    pub logs: bool,
}
