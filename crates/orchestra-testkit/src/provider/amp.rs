//! Amp's server: its own calls, and Anthropic's messages behind it.

use serde_json::{Value, json};

use super::answer::Answer;
use super::dialect::{Dialect, text_of};
use super::script::{Call, Item};

/// What precedes the worktree in the agent's instructions: its tools want whole paths.
const DIRECTORY: &str = "Working directory: ";

/// Anthropic's messages.
pub(super) struct Messages;

/// The answer to one of the server's own calls. They want little: who the user is, and that the server is content.
pub(super) fn internal() -> Answer {
    Answer::json(&json!({
        "ok": true,
        "result": { "id": "user_1", "email": "test@example.com", "username": "test", "features": [] },
    }))
}

impl Dialect for Messages {
    fn items(&self, request: &Value) -> Vec<Item> {
        let messages = request["messages"].as_array().into_iter().flatten();
        let of_user = messages.filter(|message| message["role"] == "user");
        of_user
            .flat_map(|message| {
                let blocks = message["content"].as_array().into_iter().flatten();
                let results = blocks.filter(|block| block["type"] == "tool_result");
                let text = Item::User(text_of(&message["content"]));
                std::iter::once(text).chain(results.map(|_| Item::ToolResult))
            })
            .collect()
    }

    fn wants_title(&self, request: &Value) -> bool {
        request["stream"] != true
    }

    fn title(&self, request: &Value) -> Answer {
        let content = json!({ "type": "tool_use", "id": "toolu_title", "name": "set_title", "input": { "title": "Scripted" } });
        Answer::json(&message(request, &[content], Some("tool_use")))
    }

    fn say(&self, request: &Value, text: &str) -> Answer {
        let block = json!({ "type": "text", "text": "" });
        let delta = json!({ "type": "text_delta", "text": text });
        streamed(request, &block, &delta, "end_turn")
    }

    fn call(&self, request: &Value, id: &str, call: &Call) -> Answer {
        let (name, input) = match call {
            Call::Write { path, text } => {
                let path = format!("{}/{path}", directory(request));
                ("create_file", json!({ "path": path, "content": text }))
            }
            Call::Run(command) => ("Bash", json!({ "cmd": command })),
        };
        let block = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
        let delta = json!({ "type": "input_json_delta", "partial_json": input.to_string() });
        streamed(request, &block, &delta, "tool_use")
    }
}

fn directory(request: &Value) -> String {
    let instructions = text_of(&request["system"]);
    let mut lines = instructions.lines();
    let found = lines.find_map(|line| line.strip_prefix(DIRECTORY));
    found.unwrap_or_default().trim().to_owned()
}

fn message(request: &Value, content: &[Value], stop_reason: Option<&str>) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": request["model"],
        "content": content, "stop_reason": stop_reason, "stop_sequence": null,
        "usage": { "input_tokens": 12, "cache_creation_input_tokens": 900, "cache_read_input_tokens": 100, "output_tokens": 1 },
    })
}

fn streamed(request: &Value, block: &Value, delta: &Value, stop_reason: &str) -> Answer {
    let end = json!({ "stop_reason": stop_reason, "stop_sequence": null });
    Answer::stream(&[
        json!({ "type": "message_start", "message": message(request, &[], None) }),
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": end, "usage": { "output_tokens": 40 } }),
        json!({ "type": "message_stop" }),
    ])
}
