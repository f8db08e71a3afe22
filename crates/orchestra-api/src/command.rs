//! Commands of the settings on the wire.

use serde::Serialize;
use utoipa::ToSchema;

/// Commands that the settings name.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CommandList {
    /// The newest event it includes.
    pub seq: u64,
    /// In the order of the settings.
    pub commands: Vec<ProjectCommand>,
}

/// A command that the settings name.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ProjectCommand {
    /// The setting.
    pub setting: String,
    /// The command line.
    pub command: String,
    /// `own` if the user set it; else it is in the repository's own file: `allowed` or `not_allowed`. `not_set` if it
    /// was allowed and nothing names it now.
    pub permission: &'static str,
}

/// What the user changed about what may run.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CommandChange {
    /// The newest event it includes.
    pub seq: u64,
    /// `allowed` or `forgotten`.
    pub done: &'static str,
    /// The settings that name the commands.
    pub settings: Vec<String>,
    /// What could not be changed, and why.
    pub problems: Vec<String>,
}
