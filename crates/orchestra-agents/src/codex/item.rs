//! The things a thread of Codex is made of.

use orchestra_core::{AgentEvent, PlanStep, Role, StepState};
use serde_json::{Value, json};

use crate::seen::Seen;

/// How far an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Started,
    Updated,
    Completed,
}

/// An item whose kind is known.
pub(super) enum Item {
    Message(String),
    Reasoning(String),
    Error(String),
    Plan(Vec<PlanStep>),
    Tool(Tool),
}

/// A call of a tool, and what came of it.
pub(super) struct Tool {
    id: String,
    name: String,
    input: Value,
    answer: String,
    is_error: bool,
}

impl Item {
    /// `None` for kinds that nobody knows and for items that lack what makes them.
    pub(super) fn read(item: &Value) -> Option<Self> {
        Some(match item.get("type")?.as_str()? {
            "agent_message" => Self::Message(text(item, "text")?),
            "reasoning" => Self::Reasoning(text(item, "text")?),
            "error" => Self::Error(text(item, "message")?),
            "todo_list" => Self::Plan(steps(item)?),
            "command_execution" => Self::Tool(command(item)?),
            "file_change" => Self::Tool(file_change(item)?),
            "mcp_tool_call" => Self::Tool(mcp(item)?),
            "web_search" => Self::Tool(web_search(item)?),
            _ => return None,
        })
    }

    /// What is not whole yet says nothing: the completed item has all of it.
    pub(super) fn into_events(self, phase: Phase, open_calls: &mut Seen) -> Vec<AgentEvent> {
        let is_whole = phase == Phase::Completed;
        let event = match self {
            Self::Message(text) => AgentEvent::Message {
                role: Role::Agent,
                text,
            },
            Self::Reasoning(text) => AgentEvent::Thinking { text },
            Self::Error(text) => return vec![AgentEvent::Diagnostic { text }],
            Self::Plan(steps) => return vec![AgentEvent::Plan { steps }],
            Self::Tool(tool) => return tool.into_events(phase, open_calls),
        };
        is_whole.then_some(event).into_iter().collect()
    }
}

impl Tool {
    /// The call when it is first heard of, the result when it is complete.
    fn into_events(self, phase: Phase, open_calls: &mut Seen) -> Vec<AgentEvent> {
        let is_new = match phase {
            Phase::Started | Phase::Updated => open_calls.add(&self.id),
            Phase::Completed => !open_calls.remove(&self.id),
        };
        let call = is_new.then(|| AgentEvent::ToolCall {
            id: self.id.clone(),
            name: self.name,
            input: self.input,
        });
        let result = (phase == Phase::Completed).then_some(AgentEvent::ToolResult {
            id: self.id,
            content: self.answer,
            is_error: self.is_error,
        });
        call.into_iter().chain(result).collect()
    }
}

fn text(item: &Value, name: &str) -> Option<String> {
    item.get(name)?.as_str().map(str::to_owned)
}

fn has_failed(item: &Value) -> bool {
    let status = item.get("status").and_then(Value::as_str);
    matches!(status, Some("failed" | "declined"))
}

fn steps(item: &Value) -> Option<Vec<PlanStep>> {
    let step = |step: &Value| {
        let is_done = step.get("completed").and_then(Value::as_bool);
        Some(PlanStep {
            text: text(step, "text")?,
            state: match is_done {
                Some(true) => StepState::Completed,
                _ => StepState::Pending,
            },
        })
    };
    item.get("items")?.as_array()?.iter().map(step).collect()
}

fn command(item: &Value) -> Option<Tool> {
    let code = item.get("exit_code").and_then(Value::as_i64);
    Some(Tool {
        id: text(item, "id")?,
        name: "shell".to_owned(),
        input: json!({ "command": item.get("command")? }),
        answer: text(item, "aggregated_output").unwrap_or_default(),
        is_error: has_failed(item) || code.is_some_and(|code| code != 0),
    })
}

/// Some builds tell a diff of each file.
fn file_change(item: &Value) -> Option<Tool> {
    let changes = item.get("changes")?.as_array()?;
    let told = changes.iter().map(|change| {
        let word = |name: &str| change.get(name).and_then(Value::as_str).unwrap_or("?");
        let diff = change.get("diff").and_then(Value::as_str);
        let diff = diff.map(|diff| format!("\n{}", diff.trim_end()));
        format!(
            "{} {}{}",
            word("kind"),
            word("path"),
            diff.unwrap_or_default()
        )
    });
    Some(Tool {
        id: text(item, "id")?,
        name: "apply_patch".to_owned(),
        answer: told.collect::<Vec<_>>().join("\n"),
        input: json!({ "changes": changes }),
        is_error: has_failed(item),
    })
}

fn mcp(item: &Value) -> Option<Tool> {
    let (server, tool) = (text(item, "server")?, text(item, "tool")?);
    let error = item.pointer("/error/message").and_then(Value::as_str);
    let answer = match (error, item.get("result")) {
        (Some(error), _) => error.to_owned(),
        (None, Some(result)) if !result.is_null() => result.to_string(),
        _ => String::new(),
    };
    Some(Tool {
        id: text(item, "id")?,
        name: format!("mcp__{server}__{tool}"),
        input: item.get("arguments").cloned().unwrap_or(Value::Null),
        answer,
        is_error: has_failed(item) || error.is_some(),
    })
}

fn web_search(item: &Value) -> Option<Tool> {
    Some(Tool {
        id: text(item, "id")?,
        name: "web_search".to_owned(),
        input: json!({ "query": item.get("query")? }),
        answer: String::new(),
        is_error: has_failed(item),
    })
}
