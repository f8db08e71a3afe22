//! Requests about sessions and their iterations.

use std::path::PathBuf;

use orchestra_core::{Budget, Decision, Isolation, PermissionPolicy};
use serde::Deserialize;
use utoipa::ToSchema;

/// A session that is to be made.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateSession {
    /// A directory in the repository, by its whole path.
    #[schema(value_type = String)]
    pub repository: PathBuf,
    /// Its name, unique within the repository.
    pub name: String,
    /// What the agent is asked to do, or a slash command of your own; the template's if absent.
    pub prompt: Option<String>,
    /// The branch to start from and land on; absent: what the setting `git.default_base_branch` says.
    pub base: Option<String>,
    /// A branch that exists and is to be worked on.
    pub branch: Option<String>,
    /// What you want to remember; the agent is told too.
    pub notes: Option<String>,
    /// What the agent must keep to.
    pub constraints: Option<String>,
    /// The issue it belongs to.
    pub issue: Option<String>,
    /// The command that runs after each iteration.
    pub script: Option<String>,
    /// The model, as the agent names it.
    pub model: Option<String>,
    /// The agent; absent: what the setting `agents.default` says.
    pub agent: Option<String>,
    /// How long one iteration may take, such as `30m`; `0`: no limit.
    pub timeout: Option<String>,
    /// What happens when the agent wants to use a tool.
    pub permissions: Option<PermissionPolicy>,
    /// The environment that its agent runs in.
    pub environment: Option<String>,
    /// The agent mode.
    pub mode: Option<String>,
    /// What it may use, such as `2.50` or `500000tokens`.
    pub budget: Option<Budget>,
    /// What is done about an agent that leaves its worktree.
    pub isolation: Option<Isolation>,
    /// Toolboxes: names of the settings, or directories.
    #[serde(default)]
    pub toolboxes: Vec<String>,
    /// MCP servers of the settings, by name.
    #[serde(default)]
    pub mcp: Vec<String>,
    /// A template to begin with; what is given here comes before what it says.
    pub template: Option<String>,
    /// Values for the template's variables.
    #[serde(default)]
    pub variables: std::collections::BTreeMap<String, String>,
    /// Allow the commands of its set-up and the script of its template if they come from the repository's own files.
    #[serde(default)]
    pub allow_commands: bool,
    /// Start the first iteration.
    #[serde(default)]
    pub run: bool,
}

/// A new value for a field of a session.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetField {
    /// The value as the command line takes it; empty clears the field.
    pub value: String,
}

/// An iteration that is to be started.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StartIteration {
    /// What the agent should know or do now.
    pub text: Option<String>,
    /// Leave the changes uncommitted.
    #[serde(default)]
    pub no_commit: bool,
    /// Begin a new conversation with the agent, which is told what happened before.
    #[serde(default)]
    pub new_thread: bool,
    /// Also in a session whose set-up did not come to a good end.
    #[serde(default)]
    pub without_setup: bool,
}

/// Work that is to be stopped.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StopWork {
    /// End it at once instead of asking it to stop.
    #[serde(default)]
    pub now: bool,
}

/// The answer to the agent's question.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerQuestion {
    /// The answer.
    pub text: String,
}

/// A decision about what the agent may do.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DecidePermission {
    /// Whether it may.
    pub decision: Decision,
    /// One of several questions; absent: all of them.
    pub question: Option<u32>,
    /// What the agent is told about a refusal.
    pub reason: Option<String>,
    /// The same use again, too, as a rule of the session.
    #[serde(default)]
    pub always: bool,
}

/// Changes that are to be committed by hand.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CommitChanges {
    /// The commit message.
    pub message: String,
    /// Only these files or directories, from the top of the worktree.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    pub paths: Vec<PathBuf>,
}
