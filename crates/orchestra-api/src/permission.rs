//! What a user is asked before an agent may use a tool, on the wire.

use orchestra_core::{PermissionQuestion, Timestamp, ToolKind};
use serde::Serialize;
use utoipa::ToSchema;

/// One use of a tool that the user decides about.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Question {
    /// Its number within the iteration; `answer --question` takes it.
    pub number: u32,
    /// The iteration in which it was asked.
    pub iteration: u32,
    /// What the agent wants to do, to follow "wants to".
    pub what: String,
    /// The tool's name.
    pub tool: String,
    /// What the tool does.
    pub kind: ToolKind,
    /// The tool's arguments, without secrets.
    pub input: serde_json::Value,
    /// The agent's own words for it.
    pub title: Option<String>,
    /// When it was asked.
    pub asked_at: Timestamp,
}

impl From<&PermissionQuestion> for Question {
    fn from(question: &PermissionQuestion) -> Self {
        Self {
            number: question.number,
            iteration: question.iteration.0,
            what: question.in_words(),
            tool: question.tool_use.tool.clone(),
            kind: question.tool_use.kind,
            input: question.tool_use.input.clone(),
            title: question.title.clone(),
            asked_at: question.asked_at,
        }
    }
}
