//! OpenAI's responses, as Codex asks for them.

use serde_json::{Value, json};

use super::answer::Answer;
use super::dialect::{Dialect, text_of};
use super::script::{Call, Item};

pub(super) struct Responses;

impl Dialect for Responses {
    fn items(&self, request: &Value) -> Vec<Item> {
        let input = request["input"].as_array().into_iter().flatten();
        input
            .filter_map(|item| match item["type"].as_str() {
                Some("message") if item["role"] == "user" => {
                    Some(Item::User(text_of(&item["content"])))
                }
                Some(kind) if kind.ends_with("_call_output") => Some(Item::ToolResult),
                _ => None,
            })
            .collect()
    }

    fn wants_title(&self, _request: &Value) -> bool {
        false
    }

    fn title(&self, request: &Value) -> Answer {
        self.say(request, "Scripted")
    }

    fn say(&self, _request: &Value, text: &str) -> Answer {
        let content = json!([{ "type": "output_text", "text": text, "annotations": [] }]);
        streamed(&json!({
            "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content,
        }))
    }

    fn call(&self, _request: &Value, id: &str, call: &Call) -> Answer {
        let command = match call {
            Call::Write { path, text } => add_file(path, text),
            Call::Run(command) => command.clone(),
        };
        // Without patience the agent would ask again while the command still runs.
        let arguments = json!({ "cmd": command, "yield_time_ms": 30_000 });
        streamed(&json!({
            "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "status": "completed",
            "name": "exec_command", "arguments": arguments.to_string(),
        }))
    }
}

/// Codex recognises its patch program in a shell command, for every model.
fn add_file(path: &str, text: &str) -> String {
    let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
    format!(
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch\nEOF\n"
    )
}

fn streamed(item: &Value) -> Answer {
    let usage = json!({
        "input_tokens": 1012, "input_tokens_details": { "cached_tokens": 100 },
        "output_tokens": 40, "output_tokens_details": { "reasoning_tokens": 8 }, "total_tokens": 1052,
    });
    Answer::stream(&[
        json!({ "type": "response.created", "response": { "id": "resp_1" } }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": { "id": "resp_1", "usage": usage } }),
    ])
}
