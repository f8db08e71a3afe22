//! Agents on the wire.

use std::path::PathBuf;

use orchestra_core::{AgentEvent, CostSource};
use serde::Serialize;
use utoipa::ToSchema;

/// Every agent there is.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AgentList {
    /// The agents, by name.
    pub agents: Vec<Agent>,
}

/// One agent, as it stands on this machine.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Agent {
    /// The name in commands and settings.
    pub name: String,
    /// Whether new sessions get it.
    pub is_default: bool,
    /// `amp`, `codex`, `claude`, `acp` or `command`.
    pub protocol: String,
    /// What it is started with.
    pub command: Vec<String>,
    /// Its program; null if it is not installed.
    #[schema(value_type = Option<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub program: Option<PathBuf>,
    /// The version it tells.
    pub version: Option<String>,
    /// The model that the settings name.
    pub model: Option<String>,
    /// `key`, `stored`, `not_needed`, `unknown` or `missing`.
    pub login: &'static str,
    /// How a user logs in.
    pub login_hint: &'static str,
    /// What can be done with it.
    pub abilities: AgentAbilities,
}

/// What can be done with an agent.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub struct AgentAbilities {
    /// A later turn continues the conversation.
    pub resume: bool,
    /// Uses of tools can be asked about.
    pub approvals: bool,
    /// Where the cost of a turn comes from: the agent tells it, or it is estimated where the model is known.
    pub cost: Option<CostSource>,
    /// It takes more while a turn goes on.
    pub input: bool,
}

/// How a test turn went.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AgentTrial {
    /// The agent.
    pub agent: String,
    /// Whether it answered.
    pub passed: bool,
    /// How long it took.
    pub duration_ms: i64,
    /// How the turn ended.
    pub end: AgentEvent,
}
