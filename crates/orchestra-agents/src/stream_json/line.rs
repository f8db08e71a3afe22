//! One line of the stream, as far as it matters.

use std::borrow::Cow;

use orchestra_core::{AgentEvent, Role, Usage};
use serde::Deserialize;
use serde_json::Value;

use super::loose::{Content, LooseText};
use crate::lenient::lenient;

#[derive(Deserialize)]
pub(super) struct Line<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) subtype: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) message: Option<Message<'a>>,
    #[serde(borrow, default)]
    pub(super) parent_tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) session_id: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) model: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) agent_mode: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) tools: Option<Vec<String>>,
    #[serde(default)]
    pub(super) is_error: Option<bool>,
    #[serde(borrow, default)]
    pub(super) result: Option<LooseText<'a>>,
    #[serde(borrow, default)]
    pub(super) error: Option<LooseText<'a>>,
    #[serde(default)]
    pub(super) errors: Value,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) usage: Option<Tokens>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) total_cost_usd: Option<f64>,
    #[serde(default)]
    pub(super) permission_denials: Value,
}

#[derive(Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow, default)]
    pub(super) id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) content: Content<'a>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) usage: Option<Tokens>,
}

#[derive(Deserialize)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    thinking: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(default)]
    input: Option<Value>,
    #[serde(borrow, default)]
    tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    content: Option<LooseText<'a>>,
    #[serde(default)]
    is_error: Option<bool>,
}

#[derive(Deserialize)]
pub(super) struct Tokens {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: Option<u64>,
    #[serde(default)]
    cache_read_input_tokens: Option<u64>,
    #[serde(default)]
    cache_creation_input_tokens: Option<u64>,
}

impl From<Tokens> for Usage {
    fn from(tokens: Tokens) -> Self {
        Self {
            input_tokens: tokens.input_tokens.unwrap_or(0),
            output_tokens: tokens.output_tokens.unwrap_or(0),
            cache_read_tokens: tokens.cache_read_input_tokens.unwrap_or(0),
            cache_write_tokens: tokens.cache_creation_input_tokens.unwrap_or(0),
        }
    }
}

impl<'a> Block<'a> {
    pub(super) fn text(text: Cow<'a, str>) -> Self {
        Self {
            kind: Cow::Borrowed("text"),
            text: Some(text),
            thinking: None,
            id: None,
            name: None,
            input: None,
            tool_use_id: None,
            content: None,
            is_error: None,
        }
    }

    pub(super) fn into_event(self, role: Role) -> AgentEvent {
        let owned = |text: Option<Cow<'_, str>>| text.map(Cow::into_owned).unwrap_or_default();
        match self.kind.as_ref() {
            "text" => AgentEvent::Message {
                role,
                text: owned(self.text),
            },
            "thinking" => AgentEvent::Thinking {
                text: owned(self.thinking),
            },
            "redacted_thinking" => AgentEvent::Thinking {
                text: "(hidden by the provider)".to_owned(),
            },
            "tool_use" => AgentEvent::ToolCall {
                id: owned(self.id),
                name: owned(self.name),
                input: self.input.unwrap_or(Value::Null),
            },
            "tool_result" => AgentEvent::ToolResult {
                id: owned(self.tool_use_id),
                content: owned(self.content.map(|text| text.0)),
                is_error: self.is_error.unwrap_or(false),
            },
            other => AgentEvent::Unrecognized {
                raw: format!("a `{other}` block"),
            },
        }
    }
}

impl Line<'_> {
    /// The errors in words. What is no text is told as it is.
    pub(super) fn take_errors(&mut self) -> Option<String> {
        let errors = items(self.errors.take()).into_iter();
        let errors = errors.map(|error| match error {
            Value::String(text) => text,
            other => other.to_string(),
        });
        let errors: Vec<String> = errors.collect();
        (!errors.is_empty()).then(|| errors.join("\n"))
    }

    /// The tools that were not allowed.
    pub(super) fn take_denials(&mut self) -> Vec<AgentEvent> {
        let denials = items(self.permission_denials.take()).into_iter();
        denials
            .map(|denial| {
                let text = match denial["tool_name"].as_str() {
                    Some(tool) => format!("not allowed: {tool} {}", denial["tool_input"]),
                    None => format!("not allowed: {denial}"),
                };
                AgentEvent::Diagnostic { text }
            })
            .collect()
    }
}

/// The items of a list. Anything else that is told is one item.
fn items(value: Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items,
        Value::Null => Vec::new(),
        other => vec![other],
    }
}

/// Looking once whether all of it is text is faster than looking at each of its strings. A list would be taken for the
/// fields in their order.
pub(super) fn read(line: &[u8]) -> Option<Line<'_>> {
    let text = std::str::from_utf8(line).ok()?;
    let is_object = text.trim_ascii_start().starts_with('{');
    is_object.then(|| serde_json::from_str(text).ok())?
}
