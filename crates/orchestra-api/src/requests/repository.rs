//! Requests about repositories: worktrees, settings, commands.

use std::path::PathBuf;

use serde::Deserialize;
use utoipa::ToSchema;

/// The repository that is meant.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InRepository {
    /// A directory in the repository, by its whole path.
    #[schema(value_type = String)]
    pub repository: PathBuf,
}

/// A worktree that is to become a session.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AdoptWorktree {
    /// The worktree, by its whole path.
    #[schema(value_type = String)]
    pub path: PathBuf,
    /// The session's name; absent: the folder's name.
    pub name: Option<String>,
    /// What the agent should do; absent: to continue the work.
    pub prompt: Option<String>,
    /// The branch to land on; absent: what the setting `git.default_base_branch` says.
    pub base: Option<String>,
    /// The agent; absent: what the setting `agents.default` says.
    pub agent: Option<String>,
}

/// A new value for a setting.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetSetting {
    /// The value as the command line takes it.
    pub value: String,
    /// A directory in the repository whose file is meant; absent: the user's file.
    #[schema(value_type = Option<String>)]
    pub repository: Option<PathBuf>,
}

/// Commands of a repository that are meant.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChooseCommands {
    /// A directory in the repository, by its whole path.
    #[schema(value_type = String)]
    pub repository: PathBuf,
    /// Settings such as `scripts.test`.
    #[serde(default)]
    pub settings: Vec<String>,
    /// All of the repository's own settings file instead.
    #[serde(default)]
    pub all: bool,
}
