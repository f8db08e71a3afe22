//! The lines of `codex exec --json`.

use serde_json::{Value, json};

use super::super::scenario::Fault;
use super::super::shapes::{Block, Line};
use super::super::threads::Used;

/// What has to be known of the items so far.
#[derive(Debug, Default)]
pub(super) struct Thread {
    items: u32,
    /// The call whose result has not come: the id Amp gave it, and the item.
    open: Option<(String, Value)>,
}

impl Thread {
    pub(super) fn lines(&mut self, line: &Line<'_>, used: &Used) -> Vec<Value> {
        match line {
            Line::System { session_id, .. } => {
                let thread = session_id.trim_start_matches("T-");
                vec![
                    json!({ "type": "thread.started", "thread_id": thread }),
                    json!({ "type": "turn.started" }),
                ]
            }
            Line::User { message, .. } => self.blocks(message.content, Said::ByUser),
            Line::Assistant { message, .. } => self.blocks(message.content, Said::ByAgent),
            Line::Result { error: None, .. } => vec![json!({
                "type": "turn.completed",
                "usage": {
                    "input_tokens": used.input + used.cache_read + used.cache_write,
                    "cached_input_tokens": used.cache_read,
                    "cache_write_input_tokens": used.cache_write,
                    "output_tokens": used.output,
                    "reasoning_output_tokens": 0,
                },
            })],
            Line::Result { error, .. } => vec![
                json!({ "type": "error", "message": error }),
                json!({ "type": "turn.failed", "error": { "message": error } }),
            ],
        }
    }

    fn blocks(&mut self, blocks: &[Block], said: Said) -> Vec<Value> {
        let blocks = blocks.iter();
        let lines = blocks.filter_map(|block| match block {
            // The prompt is not repeated.
            Block::Text { .. } if said == Said::ByUser => None,
            Block::Text { text } => Some(self.completed("agent_message", text)),
            Block::Thinking { thinking, .. } => Some(self.completed("reasoning", thinking)),
            Block::ToolUse { id, name, input } => Some(self.started(id, name, input)),
            Block::ToolResult {
                tool_use_id,
                content,
                is_error,
            } => self.answered(tool_use_id, content, *is_error),
        });
        lines.collect()
    }

    fn next_id(&mut self) -> String {
        self.items += 1;
        format!("item_{}", self.items - 1)
    }

    fn completed(&mut self, kind: &str, text: &str) -> Value {
        let item = json!({ "id": self.next_id(), "type": kind, "text": text });
        json!({ "type": "item.completed", "item": item })
    }

    fn started(&mut self, id: &str, name: &str, input: &Value) -> Value {
        let mut item = match name {
            "shell_command" | "Bash" => json!({
                "type": "command_execution",
                "command": input.get("command").or(input.get("cmd")),
                "aggregated_output": "",
                "exit_code": null,
            }),
            "apply_patch" | "edit_file" | "create_file" => {
                json!({ "type": "file_change", "changes": changes(input) })
            }
            _ => json!({
                "type": "mcp_tool_call",
                "server": "scripted",
                "tool": name,
                "arguments": input,
                "result": null,
                "error": null,
            }),
        };
        item["id"] = self.next_id().into();
        item["status"] = "in_progress".into();
        self.open = Some((id.to_owned(), item.clone()));
        json!({ "type": "item.started", "item": item })
    }

    fn answered(&mut self, id: &str, content: &str, is_error: bool) -> Option<Value> {
        let (_, mut item) = self.open.take_if(|(open, _)| open == id)?;
        let mut is_error = is_error;
        match item["type"].as_str() {
            Some("command_execution") => {
                let told: Value = serde_json::from_str(content).unwrap_or_default();
                let code = told["exitCode"].as_i64().unwrap_or(i64::from(is_error));
                is_error |= code != 0;
                item["aggregated_output"] = told["output"].as_str().unwrap_or(content).into();
                item["exit_code"] = code.into();
            }
            Some("mcp_tool_call") if is_error => item["error"] = json!({ "message": content }),
            Some("mcp_tool_call") => {
                let block = json!({ "type": "text", "text": content });
                item["result"] = json!({ "content": [block], "structured_content": null });
            }
            _ => {}
        }
        item["status"] = if is_error { "failed" } else { "completed" }.into();
        Some(json!({ "type": "item.completed", "item": item }))
    }
}

/// Whose message a block is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    ByUser,
    ByAgent,
}

fn changes(input: &Value) -> Value {
    let patch = input["patch"].as_str().unwrap_or_default();
    let files = patch.lines().filter_map(|line| {
        let file = line.strip_prefix("*** ")?;
        let (verb, path) = file.split_once(" File: ")?;
        let kind = if verb == "Add" { "add" } else { "update" };
        Some(json!({ "path": path, "kind": kind }))
    });
    match input["path"].as_str() {
        Some(path) => json!([{ "path": path, "kind": "update" }]),
        None => files.collect(),
    }
}

pub(super) const fn fault(fault: Fault) -> &'static str {
    match fault {
        Fault::Overloaded => {
            "exceeded retry limit, last status: 429 Too Many Requests, request id: req_scripted"
        }
        Fault::Unauthorized => {
            "unexpected status 401 Unauthorized: Missing bearer or basic authentication in header"
        }
        Fault::PaymentRequired => "Quota exceeded. Check your plan and billing details.",
        Fault::Offline | Fault::WebSocket => {
            "stream disconnected before completion: error sending request for url (http://127.0.0.1:9/v1/responses)"
        }
        Fault::NotFound => "unexpected status 404 Not Found",
        Fault::ServerError | Fault::EmptyReply | Fault::ApprovalRequired => {
            "unexpected status 500 Internal Server Error"
        }
    }
}
