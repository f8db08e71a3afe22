//! The JSON lines of `--stream-json`, field by field and in Amp's order.

use serde::Serialize;
use serde_json::Value;

/// A line of the stream.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Line<'a> {
    System {
        subtype: &'static str,
        cwd: &'a str,
        session_id: &'a str,
        tools: &'a [&'static str],
        mcp_servers: &'a [McpServer],
        #[serde(skip_serializing_if = "Option::is_none")]
        agent_mode: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_effort: Option<&'a str>,
    },
    User {
        message: UserMessage<'a>,
        parent_tool_use_id: Option<&'a str>,
        session_id: &'a str,
    },
    Assistant {
        message: AssistantMessage<'a>,
        parent_tool_use_id: Option<&'a str>,
        session_id: &'a str,
    },
    Result {
        subtype: &'a str,
        duration_ms: u64,
        is_error: bool,
        num_turns: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'a str>,
        session_id: &'a str,
    },
}

#[derive(Debug, Serialize)]
pub(crate) struct McpServer {
    pub(crate) name: String,
    pub(crate) status: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct UserMessage<'a> {
    pub(crate) role: &'static str,
    pub(crate) content: &'a [Block],
}

#[derive(Debug, Serialize)]
pub(crate) struct AssistantMessage<'a> {
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) role: &'static str,
    pub(crate) content: &'a [Block],
    pub(crate) stop_reason: Option<&'static str>,
    pub(crate) usage: Usage,
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Block {
    Text {
        text: String,
    },
    Thinking {
        thinking: String,
        signature: String,
    },
    ToolUse {
        id: String,
        name: String,
        input: Value,
    },
    ToolResult {
        tool_use_id: String,
        content: String,
        is_error: bool,
    },
}

impl Block {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// Tokens of one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Usage {
    pub(crate) input_tokens: u64,
    pub(crate) cache_creation_input_tokens: u64,
    pub(crate) cache_read_input_tokens: u64,
    pub(crate) output_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_tokens: Option<u64>,
    pub(crate) service_tier: &'static str,
}
