//! Why the agent of a session cannot be run as it should.

use std::path::PathBuf;

use orchestra_core::{SecretSource, SessionId};

use crate::toolbox::ToolError;

/// The agent of a session cannot be run as it should.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// No environment has this name.
    #[error("there is no environment `{name}`")]
    UnknownEnvironment {
        /// The name.
        name: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// The environment does not allow this mode.
    #[error("the mode `{mode}` is not allowed in the environment `{environment}`")]
    ModeNotAllowed {
        /// The mode.
        mode: String,
        /// The environment.
        environment: String,
        /// The modes that are.
        allowed: Vec<String>,
    },
    /// The agent has no modes.
    #[error("the agent `{agent}` has no modes")]
    NoModes {
        /// The agent.
        agent: String,
    },
    /// Nobody knows how to tell this agent its server or its token.
    #[error(
        "the environment `{environment}` has an address or a token, which the agent `{agent}` cannot be told"
    )]
    NoServer {
        /// The environment.
        environment: String,
        /// The agent.
        agent: String,
    },
    /// A secret is not where it should be.
    #[error("the secret at {place} cannot be used: {problem}")]
    NoSecret {
        /// Where it should be.
        place: SecretSource,
        /// What is wrong.
        problem: String,
    },
    /// This system cannot show an agent another git directory in its worktree.
    #[error("sessions cannot run in a sandbox on this system")]
    NoSandbox,
    /// The sandbox was tried, and does not hold.
    #[error("the sandbox of session {session} does not hold: {problem}")]
    NotHeld {
        /// The session.
        session: SessionId,
        /// What was possible.
        problem: String,
    },
    /// What an agent committed in its sandbox could not be fetched yet.
    #[error(
        "what the agent of session {session} committed is still in its workspace, {}",
        workspace.display()
    )]
    Unfetched {
        /// The session.
        session: SessionId,
        /// The git directory that has it.
        workspace: PathBuf,
    },
    /// Everything that the session may use is used.
    #[error("the budget of session {session} is spent: {problem}")]
    BudgetSpent {
        /// Which session.
        session: SessionId,
        /// What was used, and what was allowed.
        problem: String,
    },
    /// No toolbox has this name.
    #[error("there is no toolbox `{name}`")]
    UnknownToolbox {
        /// The name.
        name: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// No MCP server has this name.
    #[error("there is no MCP server `{name}`")]
    UnknownMcp {
        /// The name.
        name: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// The settings do not say where the server is.
    #[error("the MCP server `{name}` has neither a program nor an address")]
    NowhereToReach {
        /// The server.
        name: String,
    },
    /// The agent cannot be told of toolboxes and servers.
    #[error("the agent `{agent}` cannot be told of toolboxes and MCP servers")]
    NoEquipment {
        /// The agent.
        agent: String,
    },
    /// Nobody ever knows what the agent uses.
    #[error("the agent `{agent}` tells neither tokens nor costs, so it can have no budget")]
    NoBudget {
        /// The agent.
        agent: String,
    },
    /// No tool has this name.
    #[error("there is no tool `{name}`")]
    UnknownTool {
        /// The name.
        name: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// A tool gave no answer.
    #[error("the tool `{name}` gave no answer")]
    ToolFailed {
        /// The tool.
        name: String,
        /// Why.
        #[source]
        problem: ToolError,
    },
    /// What the session uses cannot be held against its budget.
    #[error("the budget of session {session} cannot be held: {problem}")]
    Uncountable {
        /// Which session.
        session: SessionId,
        /// Why.
        problem: String,
    },
}

impl RuntimeError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownEnvironment { .. } => "environment.unknown",
            Self::ModeNotAllowed { .. } => "mode.not_allowed",
            Self::NoModes { .. } => "mode.none",
            Self::NoServer { .. } => "environment.no_server",
            Self::NoSecret { .. } => "secret.missing",
            Self::UnknownToolbox { .. } => "toolbox.unknown",
            Self::UnknownMcp { .. } => "mcp.unknown",
            Self::NowhereToReach { .. } => "mcp.unreachable",
            Self::NoEquipment { .. } => "agent.no_equipment",
            Self::NoBudget { .. } => "agent.no_budget",
            Self::UnknownTool { .. } => "tool.unknown",
            Self::ToolFailed { .. } => "tool.failed",
            Self::BudgetSpent { .. } => "budget.spent",
            Self::Uncountable { .. } => "budget.uncountable",
            Self::NoSandbox => "sandbox.not_here",
            Self::NotHeld { .. } => "sandbox.not_held",
            Self::Unfetched { .. } => "sandbox.unfetched",
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownEnvironment { known, .. } => {
                format!("there are {}; or describe it in your settings", known.join(", "))
            }
            Self::ModeNotAllowed {
                allowed,
                environment,
                ..
            } => format!(
                "choose one of {}, or add it to environments.{environment}.modes",
                allowed.join(", ")
            ),
            Self::NoModes { .. } => "clear the mode, or choose another agent".to_owned(),
            Self::NoServer { agent, .. } => format!(
                "pass it on by name in agents.{agent}.env, or name another agent in the environment"
            ),
            Self::NoSecret { place, .. } => match place {
                SecretSource::Environment(name) => format!("set {name}, or change the setting"),
                SecretSource::File(_) => {
                    "put it in the first line of that file, and let only yourself read it (chmod 600)"
                        .to_owned()
                }
                SecretSource::Keyring { service, account } => format!(
                    "store it there, on Linux with `secret-tool store --label {service} service {service} account {account}`"
                ),
            },
            Self::UnknownToolbox { known, .. } => format!(
                "{}; or describe it with `orchestra config set toolboxes.<name> <directory>`",
                there_are(known)
            ),
            Self::UnknownMcp { known, .. } => format!(
                "{}; or describe it with `orchestra config set mcp.<name>.command <program>`",
                there_are(known)
            ),
            Self::NowhereToReach { name } => {
                format!("set mcp.{name}.command or mcp.{name}.url")
            }
            Self::NoEquipment { .. } => {
                "clear the wish, or choose an agent that speaks a protocol".to_owned()
            }
            Self::NoBudget { .. } => {
                "leave the budget out (also limits.budget in the settings), or choose another agent"
                    .to_owned()
            }
            Self::UnknownTool { known, .. } => {
                format!("{}; see `orchestra toolbox list`", there_are(known))
            }
            Self::ToolFailed { name, .. } => {
                format!("see what `{name}` takes with `orchestra toolbox list --json`")
            }
            Self::Uncountable { session, .. } => format!(
                "tell a price in agents.price_file, or clear the budget with `orchestra session set {session} budget \"\"`"
            ),
            Self::NoSandbox => "they do on Linux; choose another isolation, such as `guard`".to_owned(),
            Self::NotHeld { session, .. } => format!(
                "nothing was run; choose another isolation with `orchestra session set {session} isolation guard`"
            ),
            Self::Unfetched { session, .. } => format!(
                "`orchestra session status {session}` tries again and tells what keeps it"
            ),
            Self::BudgetSpent { session, .. } => {
                format!("allow more with `orchestra session set {session} budget <amount>`")
            }
        }
    }
}

fn there_are(known: &[String]) -> String {
    match known.is_empty() {
        true => "there is none yet".to_owned(),
        false => format!("there are {}", known.join(", ")),
    }
}
