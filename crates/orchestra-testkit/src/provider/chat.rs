//! Chat completions, as opencode and many others ask for them.

use serde_json::{Value, json};

use super::answer::Answer;
use super::dialect::{Dialect, text_of};
use super::script::{Call, Item};

pub(super) struct ChatCompletions;

impl Dialect for ChatCompletions {
    fn items(&self, request: &Value) -> Vec<Item> {
        let messages = request["messages"].as_array().into_iter().flatten();
        messages
            .filter_map(|message| match message["role"].as_str() {
                Some("user") => Some(Item::User(text_of(&message["content"]))),
                Some("tool") => Some(Item::ToolResult),
                _ => None,
            })
            .collect()
    }

    /// A turn has tools; a title has none.
    fn wants_title(&self, request: &Value) -> bool {
        request["tools"].as_array().is_none_or(Vec::is_empty)
    }

    fn title(&self, request: &Value) -> Answer {
        self.say(request, "Scripted")
    }

    fn say(&self, request: &Value, text: &str) -> Answer {
        let delta = json!({ "role": "assistant", "content": text });
        streamed(request, &delta, "stop")
    }

    fn call(&self, request: &Value, id: &str, call: &Call) -> Answer {
        let (name, arguments) = match call {
            Call::Write { path, text } => ("write", json!({ "filePath": path, "content": text })),
            Call::Run(command) => ("bash", json!({ "command": command })),
        };
        let function = json!({ "name": name, "arguments": arguments.to_string() });
        let call = json!({ "index": 0, "id": id, "type": "function", "function": function });
        let delta = json!({ "role": "assistant", "tool_calls": [call] });
        streamed(request, &delta, "tool_calls")
    }
}

fn streamed(request: &Value, delta: &Value, finish_reason: &str) -> Answer {
    let chunk = |delta: &Value, finish_reason: Option<&str>, usage: &Value| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish_reason });
        json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": request["model"],
            "choices": [choice], "usage": usage,
        })
    };
    let usage = json!({ "prompt_tokens": 1012, "completion_tokens": 40, "total_tokens": 1052 });
    let chunks = [
        chunk(delta, None, &Value::Null),
        chunk(&json!({}), Some(finish_reason), &usage),
    ];
    Answer::stream(&chunks).and_last_line("data: [DONE]\n\n")
}
