//! Lines of Amp's stream as notifications of the protocol.

use serde_json::{Value, json};

use super::super::shapes::{Block, Line};
use super::super::threads::Message;

/// What one line comes to.
pub(crate) fn notifications(session: &str, line: &Line<'_>) -> Vec<Value> {
    let content = match line {
        Line::Assistant { message, .. } => message.content,
        Line::User { message, .. } => message.content,
        Line::System { .. } | Line::Result { .. } => &[],
    };
    let is_agent = matches!(line, Line::Assistant { .. });
    let updates = content.iter().flat_map(|block| updates(block, is_agent));
    updates
        .map(|update| notification(session, &update))
        .collect()
}

/// Something said before, told again.
pub(super) fn replayed(session: &str, message: &Message) -> Value {
    let kind = match message.role.as_str() {
        "user" => "user_message_chunk",
        _ => "agent_message_chunk",
    };
    notification(session, &chunk(kind, &message.text))
}

/// A tool call that waits for a permission.
pub(crate) fn announced(id: &str, tool: &str, kind: &str, input: &Value) -> Value {
    json!({
        "toolCallId": id,
        "title": tool,
        "kind": kind,
        "status": "pending",
        "rawInput": input,
    })
}

pub(crate) fn notification(session: &str, update: &Value) -> Value {
    let params = json!({ "sessionId": session, "update": update });
    json!({ "jsonrpc": "2.0", "method": "session/update", "params": params })
}

/// The words of a prompt.
pub(super) fn prompt_text(params: &Value) -> String {
    let blocks = params["prompt"].as_array().into_iter().flatten();
    let texts = blocks.filter_map(|block| block["text"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}

fn updates(block: &Block, is_agent: bool) -> Vec<Value> {
    match block {
        Block::Text { text } if is_agent => vec![chunk("agent_message_chunk", text)],
        // The client knows what it asked.
        Block::Text { .. } => Vec::new(),
        Block::Thinking { thinking, .. } => vec![chunk("agent_thought_chunk", thinking)],
        Block::ToolUse { id, name, input } => called(id, name, input),
        Block::ToolResult {
            tool_use_id,
            content,
            is_error,
        } => vec![finished(tool_use_id, content, *is_error)],
    }
}

fn chunk(kind: &str, text: &str) -> Value {
    json!({ "sessionUpdate": kind, "content": { "type": "text", "text": text } })
}

/// First the name, then the arguments: models write them in this order.
fn called(id: &str, name: &str, input: &Value) -> Vec<Value> {
    let first = json!({
        "sessionUpdate": "tool_call",
        "toolCallId": id,
        "title": name,
        "kind": kind(name),
        "status": "pending",
        "rawInput": {},
    });
    let then = json!({
        "sessionUpdate": "tool_call_update",
        "toolCallId": id,
        "status": "in_progress",
        "rawInput": input,
        "content": diff(input),
    });
    vec![first, then]
}

/// What a finished edit shows is its change, which was told with its arguments.
fn finished(id: &str, text: &str, is_error: bool) -> Value {
    let status = if is_error { "failed" } else { "completed" };
    let is_edit = id.ends_with("EDIT_FILE") || id.ends_with("CREATE_FILE");
    let words = json!([{ "type": "content", "content": { "type": "text", "text": text } }]);
    let content = if is_edit && !is_error {
        Value::Null
    } else {
        words
    };
    json!({
        "sessionUpdate": "tool_call_update",
        "toolCallId": id,
        "status": status,
        "content": content,
        "rawOutput": { "output": text },
    })
}

fn diff(input: &Value) -> Value {
    let new = input.get("new_str").or(input.get("content"));
    match (input["path"].as_str(), new) {
        (Some(path), Some(new)) => {
            let old = &input["old_str"];
            json!([{ "type": "diff", "path": path, "oldText": old, "newText": new }])
        }
        _ => Value::Null,
    }
}

fn kind(tool: &str) -> &'static str {
    match tool {
        "edit_file" | "create_file" | "undo_edit" => "edit",
        "Bash" => "execute",
        "Read" => "read",
        "Grep" | "glob" | "finder" => "search",
        "oracle" | "Task" | "todo_write" => "think",
        "web_search" => "fetch",
        _ => "other",
    }
}
