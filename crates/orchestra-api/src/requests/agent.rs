//! Requests about agents, their tools and templates.

use std::collections::BTreeMap;
use std::path::PathBuf;

use orchestra_core::{Budget, Isolation};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A template that is to be saved. What is absent is what the session says, if one is named.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SaveTemplate {
    /// A session (id, unique prefix or name) to take everything from.
    pub from: Option<String>,
    /// What the agent should do, with variables such as `{{component}}`.
    pub prompt: Option<String>,
    /// What variables of the prompt are when nobody says.
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    /// What the template is for.
    pub description: Option<String>,
    /// A directory in the repository it is for, by its whole path.
    #[schema(value_type = Option<String>)]
    pub repository: Option<PathBuf>,
    /// The branch to start from and land on.
    pub base: Option<String>,
    /// A command to run after each iteration.
    pub script: Option<String>,
    /// The model, as the agent names it.
    pub model: Option<String>,
    /// The agent.
    pub agent: Option<String>,
    /// The environment that the agent runs in.
    pub environment: Option<String>,
    /// The agent's mode.
    pub mode: Option<String>,
    /// What all iterations together may use.
    pub budget: Option<Budget>,
    /// What is done about an agent that leaves its worktree.
    pub isolation: Option<Isolation>,
    /// Toolboxes of the agent, by their names in the settings or as absolute directories.
    #[serde(default)]
    pub toolboxes: Vec<String>,
    /// MCP servers of the agent, by their names in the settings.
    #[serde(default)]
    pub mcp: Vec<String>,
    /// How long one iteration may take, such as `30m`; `0`: no limit.
    pub timeout: Option<String>,
    /// Take the place of a template with this name.
    #[serde(default)]
    pub replace: bool,
}

/// A template that is to be saved as it was written.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportTemplate {
    /// The text of its file.
    pub text: String,
    /// Take the place of a template with this name.
    #[serde(default)]
    pub replace: bool,
    /// Also if it has a script, which its sessions will run without another question.
    #[serde(default)]
    pub allow_script: bool,
}

/// A turn that shows whether an agent works.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TestAgent {
    /// How long it may take, such as `1m`; absent: three minutes.
    pub timeout: Option<String>,
}

/// A directory that is looked at as if it were a toolbox.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckToolbox {
    /// The directory, by its whole path.
    #[schema(value_type = String)]
    pub directory: PathBuf,
}

/// A tool that is to do its work.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunTool {
    /// The tool's name.
    pub tool: String,
    /// What it takes.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub input: Map<String, Value>,
    /// A session whose toolboxes are meant: id, unique prefix or name.
    pub session: Option<String>,
    /// A directory in a repository whose settings name the toolboxes, by its whole path.
    #[schema(value_type = Option<String>)]
    pub repository: Option<PathBuf>,
    /// Toolboxes instead of those: names of the settings, or directories by their whole path.
    #[serde(default)]
    pub toolboxes: Vec<String>,
    /// Where the tool works; absent: the session's worktree, or the repository.
    #[schema(value_type = Option<String>)]
    pub directory: Option<PathBuf>,
}

/// An MCP server that is asked for its tools.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckMcp {
    /// How long it may take, such as `10s`; absent: a minute.
    pub timeout: Option<String>,
    /// A directory in a repository whose settings describe it, by its whole path.
    #[schema(value_type = Option<String>)]
    pub repository: Option<PathBuf>,
}
