//! What an agent says and does, in one vocabulary for every agent.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Timestamp;
use crate::permission::{Decision, ToolUse};
use crate::usage::{Cost, Usage};

/// One thing decoded from an agent's output.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AgentEvent {
    /// The agent is up and says who it is.
    Started {
        /// The conversation the agent can continue later.
        thread: Option<String>,
        /// The model, where the agent tells.
        model: Option<String>,
        /// The agent mode, where the agent tells.
        mode: Option<String>,
        /// Names of the tools it offers to the model.
        tools: Vec<String>,
    },
    /// Text written by the user, the agent, or one of its subagents.
    Message {
        /// Who wrote it.
        role: Role,
        /// The text.
        text: String,
    },
    /// Reasoning the agent chose to show.
    Thinking {
        /// The text.
        text: String,
    },
    /// The agent calls a tool.
    ToolCall {
        /// Joins the call with its result.
        id: String,
        /// The tool's name.
        name: String,
        /// The tool's arguments as the agent sent them.
        input: serde_json::Value,
    },
    /// A tool answered.
    ToolResult {
        /// The call it answers.
        id: String,
        /// What the tool returned.
        content: String,
        /// Whether the tool reported a failure.
        is_error: bool,
    },
    /// What the agent means to do, or how far it came with that.
    Plan {
        /// The steps, in their order.
        steps: Vec<PlanStep>,
    },
    /// A tool changed a file, as the agent tells it. What really changed is told by git.
    Edit {
        /// The call that did it.
        id: String,
        /// The file.
        path: String,
        /// What was there; `None` for a new file.
        old: Option<String>,
        /// What is there now.
        new: String,
    },
    /// The agent waits until it is told whether it may use a tool.
    PermissionAsked {
        /// Joins the question with the decision.
        id: String,
        /// What it wants to do.
        tool_use: ToolUse,
        /// The agent's own words for it.
        title: Option<String>,
    },
    /// It was told.
    PermissionDecided {
        /// The question.
        id: String,
        /// What it was told.
        decision: Decision,
        /// Who decided, or why.
        reason: String,
    },
    /// It waits no more, and nothing was decided.
    PermissionWithdrawn {
        /// The question.
        id: String,
        /// Why.
        reason: String,
    },
    /// Tokens of one message, and its cost where the agent knows it.
    Usage {
        /// The tokens.
        usage: Usage,
        /// The cost, if reported.
        cost: Option<Cost>,
    },
    /// The turn ended with something only the user can answer.
    AwaitingInput {
        /// What the agent wants to know.
        question: String,
    },
    /// The turn ended well.
    Finished {
        /// The agent's closing words.
        summary: Option<String>,
    },
    /// The turn failed.
    Failed {
        /// What kind of failure.
        cause: FailureCause,
        /// The agent's own words.
        message: String,
    },
    /// A line of standard error.
    Diagnostic {
        /// The line.
        text: String,
    },
    /// A line that could not be read. It is kept and shown.
    Unrecognized {
        /// The line, invalid UTF-8 replaced.
        raw: String,
    },
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct PlanStep {
    /// What is to be done.
    pub text: String,
    /// How far it is.
    pub state: StepState,
}

/// How far a step of a plan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// Not begun.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
}

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The prompt or an answer.
    User,
    /// The agent.
    Agent,
    /// A helper the agent started.
    Subagent,
    /// Orchestra itself, for example what it committed.
    Engine,
}

/// Why an agent run failed, as far as it can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCause {
    /// The agent's program was not found.
    AgentMissing,
    /// The agent asked for a login.
    NotLoggedIn,
    /// The agent's server refused the credentials.
    Unauthorized,
    /// The account has nothing left to pay with.
    OutOfCredit,
    /// The agent's server could not be reached.
    Offline,
    /// The model provider is overloaded or limits the rate.
    Overloaded,
    /// A tool needed an approval nobody could give.
    ApprovalRequired,
    /// The thread to continue is gone, archived or in use.
    ThreadUnavailable,
    /// The agent refused its input or its options.
    BadInput,
    /// It was stopped on request.
    Stopped,
    /// It ran longer than allowed.
    TimedOut,
    /// It said nothing for longer than allowed.
    Silent,
    /// It printed more than allowed.
    OutputLimit,
    /// The session has used what it may use.
    BudgetSpent,
    /// Its processes took more memory than allowed.
    MemoryLimit,
    /// It had more processes than allowed.
    ProcessLimit,
    /// It ended without saying how the turn went.
    NoResult,
    /// It died by a signal or crashed.
    Crashed,
    /// It left another branch than the session's checked out, so its work is not on the session's.
    OffBranch,
    /// The runner or the machine went away in the middle.
    Interrupted,
    /// The engine itself could not do its part, for example because the disk is full.
    Engine,
    /// Anything else; the message tells.
    Other,
}

impl FailureCause {
    /// What the user can do about it before trying again, where that is known.
    #[must_use]
    pub const fn way_out(self) -> Option<&'static str> {
        match self {
            Self::AgentMissing => Some("install the agent, or set agents.<name>.command"),
            Self::NotLoggedIn => Some("log the agent in; `orchestra agents show` says how"),
            Self::Unauthorized => {
                Some("the key was refused: log in again; `orchestra agents show` says how")
            }
            Self::ThreadUnavailable => Some("begin a new conversation with `iterate --new-thread`"),
            Self::OutOfCredit => Some("add credit to the agent's account"),
            Self::Offline => Some("check the network"),
            Self::Overloaded => Some("wait until the provider takes requests again"),
            Self::ApprovalRequired => Some(
                "allow the tool: `orchestra session set <session> permissions`, or agents.rules",
            ),
            Self::TimedOut => Some("give it longer: core.session_timeout"),
            Self::Silent => Some("allow a longer silence: core.idle_timeout"),
            Self::OutputLimit => Some("allow more output: core.max_output"),
            Self::BudgetSpent => Some(
                "if nobody knows its price, tell it in agents.price_file or count tokens; else allow more: `orchestra session set <session> budget`, or limits.budget",
            ),
            Self::MemoryLimit => Some("allow more memory: limits.memory"),
            Self::ProcessLimit => Some("allow more processes: limits.processes"),
            Self::BadInput
            | Self::Stopped
            | Self::NoResult
            | Self::Crashed
            | Self::OffBranch
            | Self::Interrupted
            | Self::Engine
            | Self::Other => None,
        }
    }
}

/// An event with its place in the session's transcript.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema, Deserialize)]
pub struct TranscriptItem {
    /// Position within the session, counted from 1.
    pub position: u64,
    /// The iteration it belongs to.
    pub iteration: crate::ids::IterationNumber,
    /// When it was read.
    pub at: Timestamp,
    /// The line of standard output it was read from, counted from 1, the end of an attempt as a line of its own; `None` for
    /// what was not read from there.
    pub line: Option<u64>,
    /// What was said or done.
    pub event: AgentEvent,
}
