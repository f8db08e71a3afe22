//! Environments in which agents find their servers, and what an agent is started with.

use std::path::PathBuf;

use orchestra_core::{
    EnvironmentKind, EscapeRecord, Isolation, IsolationRecord, SandboxRecord, SessionId,
};
use serde::Serialize;
use utoipa::ToSchema;

/// The environments there are.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EnvironmentList {
    /// By name.
    pub environments: Vec<Environment>,
}

/// One environment.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Environment {
    /// Its name.
    pub name: String,
    /// Whether sessions that name none have it.
    pub is_default: bool,
    /// What kind of place it is.
    pub kind: EnvironmentKind,
    /// The agent that address, program and token are for.
    pub agent: String,
    /// The address of the agent's server; `null`: the agent's own.
    pub url: Option<String>,
    /// The agent's program and arguments; `null`: the agent's own.
    pub command: Option<Vec<String>>,
    /// Where its token is; never the token.
    pub token: Option<String>,
    /// Directories in which programs are looked for first.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub path: Vec<PathBuf>,
    /// The modes that are allowed; `null`: any.
    pub modes: Option<Vec<String>>,
}

/// What the agent of a session would be started with.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AgentCommand {
    /// The environment.
    pub environment: String,
    /// Program and arguments.
    pub command: Vec<String>,
    /// The directory it works in.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub directory: PathBuf,
    /// What is done about an agent that leaves it.
    pub isolation: Isolation,
    /// Every variable it gets, by name.
    pub variables: Vec<AgentVariable>,
    /// The directories of its toolboxes, the first one winning.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub toolboxes: Vec<PathBuf>,
    /// The MCP servers it is told of.
    pub mcp_servers: Vec<AgentServer>,
    /// The sandbox it works in; `null` without one.
    pub sandbox: Option<AgentSandbox>,
}

/// The sandbox that an agent works in.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AgentSandbox {
    /// What holds it.
    pub layers: Vec<String>,
    /// The hosts it can reach; `off` alone for none, `open` alone for all.
    pub network: Vec<String>,
    /// What it may write.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub writable: Vec<PathBuf>,
    /// What the last iteration in it found when it was tried; `null` if there was none.
    pub last: Option<SandboxRecord>,
}

/// What this machine has to hold agents.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SandboxAnswer {
    /// Whether sessions can run in a sandbox.
    pub holds: bool,
    /// Why they cannot.
    pub refusal: Option<String>,
    /// What was tried: each layer alone, then all of them.
    pub tried: Vec<SandboxTrial>,
    /// Layers that this machine does not have.
    pub missing: Vec<MissingLayer>,
}

/// Some layers, and what they stopped.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SandboxTrial {
    /// By name.
    pub layers: Vec<String>,
    /// How many ways out were tried.
    pub tried: usize,
    /// How many of them were stopped.
    pub stopped: usize,
    /// Each of them.
    pub escapes: Vec<EscapeRecord>,
    /// Why nothing could be committed; `null` if it was.
    pub commit_failure: Option<String>,
    /// How long it took.
    pub milliseconds: u64,
}

/// A layer that this machine does not have.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MissingLayer {
    /// Its name.
    pub layer: String,
    /// How to have it.
    pub hint: String,
}

/// One MCP server that an agent is told of.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AgentServer {
    /// Its name.
    pub name: String,
    /// Program and arguments; of one at an address, the address alone.
    pub reach: Vec<String>,
    /// Its variables or headers.
    pub values: Vec<ServerValue>,
    /// The tools that may be used; `null`: all.
    pub tools: Option<Vec<String>>,
}

/// A variable of a server's program, or a header of requests to it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ServerValue {
    /// Its name.
    pub name: String,
    /// Its value; `***` for a secret, or the place of one.
    pub value: String,
}

/// One variable of an agent.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AgentVariable {
    /// Its name.
    pub name: String,
    /// Its value; `***` for a secret.
    pub value: String,
    /// Where it comes from.
    pub source: String,
}

/// What changed outside of a session's worktree while its agent ran.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct GuardAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session_id: SessionId,
    /// The iteration; `null` if no agent was started.
    pub iteration: Option<u32>,
    /// What held, and what changed.
    pub isolation: Option<IsolationRecord>,
    /// The differences as text, without secrets.
    pub diff: Option<String>,
}
