//! One line of the stream, as far as it matters.

use std::borrow::Cow;

use orchestra_core::{AgentEvent, Role, Usage};
use serde::Deserialize;
use serde_json::Value;

use super::loose::{Content, LooseText};

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
    #[serde(default)]
    pub(super) model: Option<String>,
    #[serde(default)]
    pub(super) agent_mode: Option<String>,
    #[serde(default)]
    pub(super) tools: Option<Vec<String>>,
    #[serde(default)]
    pub(super) is_error: Option<bool>,
    #[serde(borrow, default)]
    pub(super) result: Option<LooseText<'a>>,
    #[serde(borrow, default)]
    pub(super) error: Option<LooseText<'a>>,
    #[serde(default)]
    pub(super) errors: Option<Vec<String>>,
    #[serde(default)]
    pub(super) usage: Option<Tokens>,
    #[serde(default)]
    pub(super) total_cost_usd: Option<f64>,
    #[serde(borrow, default)]
    pub(super) permission_denials: Option<Vec<Denial<'a>>>,
}

#[derive(Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow, default)]
    pub(super) id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) content: Content<'a>,
    #[serde(default)]
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

/// A tool that was not allowed.
#[derive(Deserialize)]
pub(super) struct Denial<'a> {
    #[serde(borrow, default)]
    pub(super) tool_name: Option<Cow<'a, str>>,
    #[serde(default)]
    pub(super) tool_input: Option<Value>,
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

impl Denial<'_> {
    pub(super) fn into_event(self) -> AgentEvent {
        let tool = self.tool_name.unwrap_or(Cow::Borrowed("a tool"));
        let input = self.tool_input.unwrap_or(Value::Null);
        AgentEvent::Diagnostic {
            text: format!("not allowed: {tool} {input}"),
        }
    }
}

/// Looking once whether all of it is text is faster than looking at each of its strings. A list would be taken for the
/// fields in their order.
pub(super) fn read(line: &[u8]) -> Option<Line<'_>> {
    let text = std::str::from_utf8(line).ok()?;
    let is_object = text.trim_ascii_start().starts_with('{');
    is_object.then(|| serde_json::from_str(text).ok())?
}
