//! Lines of `codex exec --json` become events.
//!
//! They are read as loose JSON: some items name a field twice, and what an item holds differs between builds.

use orchestra_core::{AgentEvent, Role, Usage};
use orchestra_process::Exit;
use serde_json::Value;

use super::item::{Item, Phase};
use crate::adapter::Decoder;
use crate::ending::{after_error, without_result};
use crate::failure::classify;
use crate::question::asks_something;
use crate::seen::Seen;
use crate::thread_id::thread_id;
use crate::unread::{is_blank, unrecognized};

/// Decodes the output of one turn.
#[derive(Debug, Default)]
pub(super) struct CodexDecoder {
    /// Calls whose results have not come.
    open_calls: Seen,
    last_text: Option<String>,
    last_error: Option<String>,
    ended: Option<End>,
}

#[derive(Debug)]
enum End {
    Completed,
    Failed(String),
}

impl Decoder for CodexDecoder {
    /// Decodes one line. Besides blank lines, `turn.started`, `turn.failed` and what is not whole yet give nothing: later
    /// lines and the end tell the same.
    fn line(&mut self, line: &[u8]) -> Vec<AgentEvent> {
        if is_blank(line) {
            return Vec::new();
        }
        let decoded = serde_json::from_slice(line)
            .ok()
            .and_then(|value| self.decoded(&value));
        decoded.unwrap_or_else(|| vec![unrecognized(line)])
    }

    /// Whether the turn was said to be completed or to have failed.
    fn is_over(&self) -> bool {
        self.ended.is_some()
    }

    /// How the turn ended. An `error` line alone is no failure: the connection may have come back.
    fn finish(&mut self, exit: Exit, stderr_tail: &str) -> AgentEvent {
        match self.ended.take() {
            Some(End::Completed) => match self.last_text.take() {
                Some(text) if asks_something(&text) => AgentEvent::AwaitingInput { question: text },
                summary => AgentEvent::Finished { summary },
            },
            Some(End::Failed(message)) => AgentEvent::Failed {
                cause: classify(&message),
                message,
            },
            None => {
                let told = error_in(stderr_tail).or(self.last_error.take());
                match told {
                    Some(error) => after_error(exit, &error),
                    None => without_result(exit, stderr_tail),
                }
            }
        }
    }
}

impl CodexDecoder {
    /// `None` for what is not known.
    fn decoded(&mut self, line: &Value) -> Option<Vec<AgentEvent>> {
        match line.get("type")?.as_str()? {
            "thread.started" => Some(vec![AgentEvent::Started {
                thread: Some(thread_id(line.get("thread_id")?.as_str()?)?),
                model: None,
                mode: None,
                tools: Vec::new(),
            }]),
            "turn.started" => Some(Vec::new()),
            "item.started" => self.item(line, Phase::Started),
            "item.updated" => self.item(line, Phase::Updated),
            "item.completed" => self.item(line, Phase::Completed),
            "turn.completed" => {
                self.ended = Some(End::Completed);
                Some(line.get("usage").map(usage).into_iter().collect())
            }
            "turn.failed" => {
                let message = line.pointer("/error/message").and_then(Value::as_str);
                let message = message.unwrap_or("it failed without saying why");
                self.ended = Some(End::Failed(message.to_owned()));
                Some(Vec::new())
            }
            "error" => {
                let text = line.get("message")?.as_str()?.to_owned();
                self.last_error = Some(text.clone());
                Some(vec![AgentEvent::Diagnostic { text }])
            }
            _ => None,
        }
    }

    fn item(&mut self, line: &Value, phase: Phase) -> Option<Vec<AgentEvent>> {
        let item = Item::read(line.get("item")?)?;
        let events = item.into_events(phase, &mut self.open_calls);
        let spoken = events.iter().rev().find_map(|event| match event {
            AgentEvent::Message {
                role: Role::Agent,
                text,
            } => Some(text.clone()),
            _ => None,
        });
        self.last_text = spoken.or(self.last_text.take());
        Some(events)
    }
}

/// Tokens of the thread up to here. Those from the cache are part of the input, and those of reasoning part of the output.
fn usage(told: &Value) -> AgentEvent {
    let count = |name: &str| told.get(name).and_then(Value::as_u64).unwrap_or(0);
    let (cached, written) = (
        count("cached_input_tokens"),
        count("cache_write_input_tokens"),
    );
    let input = count("input_tokens");
    let usage = Usage {
        input_tokens: input.saturating_sub(cached).saturating_sub(written),
        output_tokens: count("output_tokens"),
        cache_read_tokens: cached,
        cache_write_tokens: written,
    };
    AgentEvent::Usage { usage, cost: None }
}

/// The paragraph that tells the error: warnings stand before it, and a list of addresses may stand behind it.
fn error_in(stderr: &str) -> Option<String> {
    let is_error = |line: &&str| line.to_ascii_lowercase().starts_with("error:");
    let lines: Vec<&str> = stderr.lines().map(str::trim).collect();
    let start = lines.iter().position(is_error)?;
    let told = lines[start..].iter().take_while(|line| !line.is_empty());
    Some(told.copied().collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use orchestra_core::{FailureCause, PlanStep, StepState};

    use super::*;

    const TURN: [&str; 12] = [
        r#"{"type":"thread.started","thread_id":"01a1e55e-ef93-7a40-a8e5-a413ed1a84c4"}"#,
        r#"{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata for `m` not found."}}"#,
        r#"{"type":"turn.started"}"#,
        r#"{"type":"item.completed","item":{"id":"item_1","type":"reasoning","text":"Hm."}}"#,
        r#"{"type":"item.started","item":{"id":"item_2","type":"command_execution","command":"bash -lc ls","aggregated_output":"","exit_code":null,"status":"in_progress"}}"#,
        r#"{"type":"item.completed","item":{"id":"item_2","type":"command_execution","command":"bash -lc ls","aggregated_output":"a\n","exit_code":2,"status":"failed"}}"#,
        r#"{"type":"item.completed","item":{"id":"item_3","type":"file_change","changes":[{"path":"a.txt","kind":"update"}],"status":"completed"}}"#,
        r#"{"type":"item.updated","item":{"id":"item_4","type":"todo_list","items":[{"text":"one","completed":true},{"text":"two","completed":false}]}}"#,
        r#"{"type":"item.completed","item":{"id":"item_5","type":"web_search","id":"ws_1","query":"rust","action":{"type":"search"}}}"#,
        r#"{"type":"error","message":"Reconnecting... 1/5"}"#,
        r#"{"type":"item.completed","item":{"id":"item_6","type":"agent_message","text":"Done."}}"#,
        r#"{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":40,"cache_write_input_tokens":5,"output_tokens":30,"reasoning_output_tokens":10}}"#,
    ];

    fn decode(lines: &[&str]) -> (Vec<AgentEvent>, AgentEvent) {
        let mut decoder = CodexDecoder::default();
        let events = lines
            .iter()
            .flat_map(|line| decoder.line(line.as_bytes()))
            .collect();
        (events, decoder.finish(Exit::Code(0), ""))
    }

    fn text(text: &str) -> String {
        text.to_owned()
    }

    #[test]
    fn a_whole_turn() {
        let (events, end) = decode(&TURN);
        let call = |id: &str, name: &str, input: Value| AgentEvent::ToolCall {
            id: text(id),
            name: text(name),
            input,
        };
        let answer = |id: &str, content: &str, is_error| AgentEvent::ToolResult {
            id: text(id),
            content: text(content),
            is_error,
        };
        let steps = [("one", StepState::Completed), ("two", StepState::Pending)];
        let steps = steps.map(|(name, state)| PlanStep {
            text: text(name),
            state,
        });
        let diagnostic = |words: &str| AgentEvent::Diagnostic { text: text(words) };
        let changes = serde_json::json!({"changes": [{"path": "a.txt", "kind": "update"}]});
        let expected = [
            AgentEvent::Started {
                thread: Some(text("01a1e55e-ef93-7a40-a8e5-a413ed1a84c4")),
                model: None,
                mode: None,
                tools: Vec::new(),
            },
            diagnostic("Model metadata for `m` not found."),
            AgentEvent::Thinking { text: text("Hm.") },
            call(
                "item_2",
                "shell",
                serde_json::json!({"command": "bash -lc ls"}),
            ),
            answer("item_2", "a\n", true),
            call("item_3", "apply_patch", changes),
            answer("item_3", "update a.txt", false),
            AgentEvent::Plan {
                steps: steps.to_vec(),
            },
            call("ws_1", "web_search", serde_json::json!({"query": "rust"})),
            answer("ws_1", "", false),
            diagnostic("Reconnecting... 1/5"),
            AgentEvent::Message {
                role: Role::Agent,
                text: text("Done."),
            },
            AgentEvent::Usage {
                usage: Usage {
                    input_tokens: 55,
                    output_tokens: 30,
                    cache_read_tokens: 40,
                    cache_write_tokens: 5,
                },
                cost: None,
            },
        ];
        assert_eq!(events, expected);
        let summary = Some(text("Done."));
        assert_eq!(end, AgentEvent::Finished { summary });
    }

    #[test]
    fn the_last_end_counts() {
        let failed = r#"{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}"#;
        let completed = r#"{"type":"turn.completed","usage":{}}"#;
        let asked = r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Which one?"}}"#;
        let (events, end) = decode(&[asked, completed, failed]);
        assert_eq!(events.len(), 2);
        assert!(
            matches!(&end, AgentEvent::Failed { cause, .. } if *cause == FailureCause::Overloaded),
            "{end:?}"
        );
        let (_, end) = decode(&[failed, asked, completed]);
        let question = text("Which one?");
        assert_eq!(end, AgentEvent::AwaitingInput { question });
    }

    #[test]
    fn without_an_end_the_error_explains() {
        let warning = "WARNING: proceeding, but that path does not exist\n";
        let gone = format!(
            "{warning}Error: thread/resume failed: no rollout found for thread id 01 (code -32600)\n\nStack backtrace:\n   0: <unknown>\n"
        );
        let end = |line: &str, exit, stderr: &str| {
            let mut decoder = CodexDecoder::default();
            decoder.line(line.as_bytes());
            match decoder.finish(exit, stderr) {
                AgentEvent::Failed { cause, message } => (cause, message),
                other => panic!("{other:?}"),
            }
        };
        let (cause, message) = end("", Exit::Code(1), &gone);
        assert_eq!(cause, FailureCause::ThreadUnavailable);
        assert!(!message.contains("WARNING") && !message.contains("backtrace"));
        let waiting = r#"{"type":"error","message":"Reconnecting... waiting for network"}"#;
        let (cause, _) = end(waiting, Exit::Signal(15), warning);
        assert_eq!(cause, FailureCause::Offline);
        assert_eq!(end("", Exit::Signal(9), "").0, FailureCause::Crashed);
    }

    #[test]
    fn what_nobody_knows_is_kept() {
        for line in [
            r#"{"type":"item.plan.delta","item_id":"a","delta":"b"}"#,
            r#"{"type":"item.completed","item":{"id":"a","type":"hologram"}}"#,
            r#"{"type":"item.completed"}"#,
            r#"{"type":"thread.started"}"#,
            r#"{"type":"thread.started","thread_id":"--config=x"}"#,
            r#"{"type":7}"#,
            "[1]",
            "{\"type\":",
        ] {
            let raw = text(line);
            let (events, _) = decode(&[line]);
            assert_eq!(events, [AgentEvent::Unrecognized { raw }]);
        }
    }
}
