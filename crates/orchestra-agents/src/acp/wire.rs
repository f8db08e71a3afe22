//! The messages of the protocol, as far as a client without files and terminals meets them.
//!
//! Agents differ in what they fill in, so all that an agent may leave out is optional.

use orchestra_core::{Cost, PlanStep, StepState, ToolKind};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::lenient::lenient;

/// The version of the protocol that is spoken here.
pub(super) const VERSION: u64 = 1;

pub(super) const AUTH_REQUIRED: i64 = -32_000;
pub(super) const METHOD_NOT_FOUND: i64 = -32_601;

/// What is asked of the agent. Each is asked at most once in a turn, so the number of the answer tells what was asked, also
/// to a reader of output that was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Request {
    Initialize,
    New,
    Load,
    Resume,
    SetModel,
    Prompt,
    SetMode,
}

impl Request {
    const ALL: [Self; 7] = [
        Self::Initialize,
        Self::New,
        Self::Load,
        Self::Resume,
        Self::SetModel,
        Self::Prompt,
        Self::SetMode,
    ];

    pub(super) fn answered_by(id: &Value) -> Option<Self> {
        let id = id.as_u64()?;
        Self::ALL.into_iter().find(|request| request.id() == id)
    }

    pub(super) const fn id(self) -> u64 {
        self as u64 + 1
    }

    /// The method; asking for a model or a mode has two.
    pub(super) const fn method(self) -> &'static str {
        match self {
            Self::Initialize => "initialize",
            Self::New => "session/new",
            Self::Load => "session/load",
            Self::Resume => "session/resume",
            Self::SetModel => "session/set_config_option",
            Self::Prompt => "session/prompt",
            Self::SetMode => "session/set_mode",
        }
    }
}

fn told<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// A line from the agent: an answer, a request or a notification.
#[derive(Debug, Deserialize)]
pub(super) struct Incoming {
    pub(super) id: Option<Value>,
    pub(super) method: Option<String>,
    #[serde(default)]
    pub(super) params: Value,
    /// Nothing is an answer too, where it is told.
    #[serde(default, deserialize_with = "told")]
    pub(super) result: Option<Value>,
    pub(super) error: Option<RpcError>,
}

/// Why the agent refused a request.
#[derive(Debug, Deserialize)]
pub(super) struct RpcError {
    #[serde(default)]
    pub(super) code: i64,
    #[serde(default)]
    message: String,
    #[serde(default)]
    data: Value,
}

impl RpcError {
    /// The agent's words. `Internal error` alone says nothing, so all that it adds is part of them then.
    pub(super) fn words(&self) -> String {
        let details = ["details", "message", "error"];
        let named = details
            .iter()
            .find_map(|name| self.data.get(name)?.as_str());
        // What agents put before every failure of their own.
        let message = self.message.strip_prefix("Internal error: ");
        let message = message.unwrap_or(&self.message);
        let is_bare = ["", "Internal error"].contains(&message);
        let more = match (named.or(self.data.as_str()), &self.data) {
            (Some(text), _) => text.to_owned(),
            (None, data) if is_bare && !data.is_null() => data.to_string(),
            (None, _) => String::new(),
        };
        match (message.is_empty(), more.is_empty()) {
            (false, false) if more.contains(message) => more,
            (false, false) => format!("{message}: {more}"),
            (false, true) => message.to_owned(),
            (true, false) => more,
            (true, true) => format!("it refused with error {}", self.code),
        }
    }
}

/// The answer to `initialize`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Initialized {
    pub(super) protocol_version: u64,
    #[serde(deserialize_with = "lenient")]
    agent_capabilities: Option<Capabilities>,
    #[serde(deserialize_with = "lenient")]
    pub(super) auth_methods: Option<Vec<AuthMethod>>,
    #[serde(deserialize_with = "lenient")]
    agent_info: Option<AgentInfo>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AgentInfo {
    name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Capabilities {
    load_session: bool,
    #[serde(deserialize_with = "lenient")]
    session_capabilities: Option<SessionCapabilities>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SessionCapabilities {
    resume: Option<Value>,
}

/// A way to log in.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AuthMethod {
    name: String,
    description: Option<String>,
}

impl AuthMethod {
    /// How it is done, or at least how it is called.
    pub(super) fn words(self) -> String {
        let description = self.description.filter(|words| !words.is_empty());
        description.unwrap_or(self.name)
    }
}

impl Initialized {
    /// How the agent continues a conversation, if it can. Resuming spares the replay of what was said.
    pub(super) fn way_to_continue(&self) -> Option<Request> {
        let agent = self.agent_capabilities.as_ref()?;
        let resumes = agent.session_capabilities.as_ref();
        let resumes = resumes.is_some_and(|session| session.resume.is_some());
        match (resumes, agent.load_session) {
            (true, _) => Some(Request::Resume),
            (false, true) => Some(Request::Load),
            (false, false) => None,
        }
    }

    /// Whether the costs that the agent tells are those of the conversation in later processes too. The protocol wants it, but
    /// some count from the start of the process.
    pub(super) fn remembers_costs(&self) -> bool {
        let agent = self.agent_info.as_ref();
        agent.is_some_and(|agent| agent.name == "OpenCode")
    }
}

/// A notification about the turn.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionNotice {
    pub(super) session_id: Option<String>,
    pub(super) update: Update,
}

/// What happened in the turn.
#[derive(Debug, Deserialize)]
#[serde(
    tag = "sessionUpdate",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub(super) enum Update {
    AgentMessageChunk(Chunk),
    AgentThoughtChunk(Chunk),
    ToolCall(ToolCallFields),
    #[serde(rename = "tool_call_update")]
    ToolCallChange(ToolCallFields),
    Plan {
        entries: Vec<PlanEntry>,
    },
    #[serde(rename = "usage_update")]
    Usage {
        #[serde(default, deserialize_with = "lenient")]
        cost: Option<Money>,
    },
    /// What was asked, told again.
    UserMessageChunk {},
    /// What an editor would offer to its user.
    #[serde(
        rename = "available_commands_update",
        alias = "current_mode_update",
        alias = "config_option_update",
        alias = "session_info_update"
    )]
    Offer {},
}

/// A piece of a text.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Chunk {
    content: Value,
    pub(super) message_id: Option<String>,
}

impl Chunk {
    pub(super) fn text(&self) -> String {
        block_text(&self.content)
    }
}

/// What is told of a tool call: all of it at first, later what changed.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ToolCallFields {
    pub(super) tool_call_id: String,
    pub(super) title: Option<String>,
    pub(super) name: Option<String>,
    pub(super) kind: Option<Value>,
    #[serde(deserialize_with = "lenient")]
    pub(super) status: Option<ToolStatus>,
    pub(super) content: Option<Vec<Value>>,
    #[serde(deserialize_with = "lenient")]
    pub(super) locations: Option<Vec<Location>>,
    pub(super) raw_input: Option<Value>,
    pub(super) raw_output: Option<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ToolStatus {
    Pending,
    InProgress,
    Completed,
    Failed,
    #[serde(other)]
    Unknown,
}

/// A file that a tool works on.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Location {
    pub(super) path: String,
}

impl ToolCallFields {
    /// A kind that is newer than this program is another one.
    pub(super) fn kind(&self) -> Option<ToolKind> {
        let kind = self.kind.clone()?;
        Some(serde_json::from_value(kind).unwrap_or(ToolKind::Other))
    }
}

/// Part of what a tool answered.
#[derive(Debug, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub(super) enum ToolContent {
    Content {
        content: Value,
    },
    Diff {
        path: String,
        old_text: Option<String>,
        new_text: String,
    },
    /// A terminal, which is never one of ours; what it showed is told elsewhere.
    Terminal {},
}

#[derive(Debug, Deserialize)]
pub(super) struct PlanEntry {
    content: String,
    #[serde(default)]
    status: String,
}

impl From<PlanEntry> for PlanStep {
    fn from(entry: PlanEntry) -> Self {
        Self {
            text: entry.content,
            state: match entry.status.as_str() {
                "in_progress" => StepState::InProgress,
                "completed" => StepState::Completed,
                _ => StepState::Pending,
            },
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Money {
    amount: f64,
    currency: String,
}

impl Money {
    /// Millionths of a dollar; no other money is counted.
    pub(super) fn micro_usd(&self) -> Option<u64> {
        let cost = Cost::reported(self.amount).filter(|_| self.currency == "USD");
        cost.map(|cost| cost.micro_usd)
    }
}

/// What the agent wants to be told before it uses a tool.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PermissionRequest {
    pub(super) tool_call: ToolCallFields,
    #[serde(default)]
    pub(super) options: Vec<PermissionOption>,
}

/// One of the answers the agent understands.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PermissionOption {
    pub(super) option_id: String,
    #[serde(default)]
    pub(super) kind: String,
}

/// The answer to `session/prompt`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Answered {
    pub(super) stop_reason: String,
    #[serde(deserialize_with = "lenient")]
    pub(super) usage: Option<TokenCounts>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct TokenCounts {
    pub(super) total_tokens: u64,
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) thought_tokens: Option<u64>,
    pub(super) cached_read_tokens: Option<u64>,
    pub(super) cached_write_tokens: Option<u64>,
}

/// The words of a content block, or a word for what is none.
pub(super) fn block_text(block: &Value) -> String {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let resource = || block.get("resource");
    text(block.get("text"))
        .or_else(|| text(resource()?.get("text")))
        .or_else(|| text(resource()?.get("uri")))
        .or_else(|| text(block.get("uri")))
        .unwrap_or_else(|| match block.get("type").and_then(Value::as_str) {
            Some(kind) => format!("(a block of type {kind})"),
            None => block.to_string(),
        })
}

pub(super) fn request(request: Request, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": request.id(), "method": method, "params": params })
}

pub(super) fn notification(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

pub(super) fn response(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

pub(super) fn refusal(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_error_adds_is_part_of_its_words() {
        let words = |error: Value| serde_json::from_value::<RpcError>(error).unwrap().words();
        assert_eq!(
            words(
                json!({"code": -32603, "message": "Internal error", "data": {"details": "Overloaded"}})
            ),
            "Internal error: Overloaded"
        );
        assert_eq!(
            words(json!({"message": "no", "data": "no, never"})),
            "no, never"
        );
        assert_eq!(
            words(json!({"message": "Internal error", "data": {"a": 1}})),
            "Internal error: {\"a\":1}"
        );
        assert_eq!(
            words(json!({"message": "Internal error: no key", "data": {"service": "s"}})),
            "no key"
        );
        assert_eq!(words(json!({"code": 7})), "it refused with error 7");
    }

    #[test]
    fn only_dollars_are_counted() {
        let micro = |amount: f64, currency: &str| {
            let currency = currency.to_owned();
            Money { amount, currency }.micro_usd()
        };
        assert_eq!(micro(0.045, "USD"), Some(45_000));
        assert_eq!(micro(1.0, "EUR"), None);
        assert_eq!(micro(-1.0, "USD"), None);
        assert_eq!(micro(1e300, "USD"), None);
    }

    #[test]
    fn blocks_that_are_no_text_have_a_word() {
        assert_eq!(block_text(&json!({"type": "text", "text": "hi"})), "hi");
        assert_eq!(
            block_text(&json!({"type": "resource", "resource": {"uri": "file:///a", "text": "a"}})),
            "a"
        );
        assert_eq!(
            block_text(&json!({"type": "resource_link", "uri": "file:///a"})),
            "file:///a"
        );
        assert_eq!(
            block_text(&json!({"type": "image", "data": ""})),
            "(a block of type image)"
        );
    }
}
