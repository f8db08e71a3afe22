//! Amp's stream-json, also read leniently: every field that any build leaves out is optional.

use std::borrow::Cow;

use orchestra_core::{AgentEvent, FailureCause, Role, Usage};
use orchestra_process::Exit;
use serde::Deserialize;
use serde_json::Value;

use super::tool_text::ToolText;
use crate::adapter::Decoder;
use crate::ending::without_result;
use crate::failure::classify;
use crate::question::asks_something;

/// Decodes the output of one Amp turn.
#[derive(Debug, Default)]
pub(super) struct AmpDecoder {
    saw_json: bool,
    last_text: Option<String>,
    ended: Option<AgentEvent>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    message: Option<Message<'a>>,
    #[serde(borrow, default)]
    parent_tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    session_id: Option<Cow<'a, str>>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    agent_mode: Option<String>,
    #[serde(default)]
    tools: Vec<String>,
    #[serde(default)]
    is_error: bool,
    #[serde(default)]
    result: Option<String>,
    #[serde(default)]
    error: Option<String>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    content: Vec<Block<'a>>,
    #[serde(default)]
    usage: Option<AmpUsage>,
}

#[derive(Deserialize)]
struct Block<'a> {
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
    content: Option<ToolText<'a>>,
    #[serde(default)]
    is_error: Option<bool>,
}

#[derive(Deserialize)]
struct AmpUsage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    #[serde(default)]
    cache_read_input_tokens: u64,
    #[serde(default)]
    cache_creation_input_tokens: u64,
}

impl Decoder for AmpDecoder {
    /// Decodes one line. What cannot be read becomes an `unrecognized` event; only blank lines give nothing.
    fn line(&mut self, line: &[u8]) -> Vec<AgentEvent> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Vec::new();
        }
        match read(line) {
            Some(decoded) => {
                self.saw_json = true;
                self.decoded(decoded, line)
            }
            None if !self.saw_json && is_login_prompt(line) => vec![AgentEvent::Failed {
                cause: FailureCause::NotLoggedIn,
                message: "the agent asks for a login".to_owned(),
            }],
            None => vec![unrecognized(line)],
        }
    }

    /// Whether a `result` line was read.
    fn is_over(&self) -> bool {
        self.ended.is_some()
    }

    /// How the turn ended: the last `result` line if there was one, otherwise a failure explained by standard error.
    fn finish(&mut self, exit: Exit, stderr_tail: &str) -> AgentEvent {
        let ended = self.ended.take();
        ended.unwrap_or_else(|| without_result(exit, stderr_tail))
    }
}

impl AmpDecoder {
    fn decoded(&mut self, line: Line<'_>, raw: &[u8]) -> Vec<AgentEvent> {
        match line.kind.as_ref() {
            "system" => vec![AgentEvent::Started {
                thread: line.session_id.map(Cow::into_owned),
                model: line.model,
                mode: line.agent_mode,
                tools: line.tools,
            }],
            "user" => self.message(line, Role::User),
            "assistant" => {
                let role = if line.parent_tool_use_id.is_some() {
                    Role::Subagent
                } else {
                    Role::Agent
                };
                self.message(line, role)
            }
            "result" => {
                self.ended = Some(self.end_of(line));
                Vec::new()
            }
            _ => vec![unrecognized(raw)],
        }
    }

    fn message(&mut self, line: Line<'_>, role: Role) -> Vec<AgentEvent> {
        let Some(message) = line.message else {
            return Vec::new();
        };
        let mut events: Vec<AgentEvent> = message
            .content
            .into_iter()
            .map(|block| block_event(block, role))
            .collect();
        if role == Role::Agent {
            let spoken = events.iter().rev().find_map(|event| match event {
                AgentEvent::Message { text, .. } => Some(text.clone()),
                _ => None,
            });
            self.last_text = spoken.or(self.last_text.take());
        }
        if let Some(usage) = message.usage {
            events.push(AgentEvent::Usage {
                usage: usage.into(),
                cost: None,
            });
        }
        events
    }

    fn end_of(&self, line: Line<'_>) -> AgentEvent {
        if line.is_error || line.error.is_some() {
            let message = line
                .error
                .or(line.result)
                .unwrap_or_else(|| "it failed without saying why".to_owned());
            return AgentEvent::Failed {
                cause: classify(&message),
                message,
            };
        }
        let summary = line
            .result
            .filter(|text| !text.trim().is_empty())
            .or_else(|| self.last_text.clone());
        match summary {
            Some(text) if asks_something(&text) => AgentEvent::AwaitingInput { question: text },
            summary => AgentEvent::Finished { summary },
        }
    }
}

impl From<AmpUsage> for Usage {
    fn from(usage: AmpUsage) -> Self {
        Self {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cache_read_tokens: usage.cache_read_input_tokens,
            cache_write_tokens: usage.cache_creation_input_tokens,
        }
    }
}

fn block_event(block: Block<'_>, role: Role) -> AgentEvent {
    let owned = |text: Option<Cow<'_, str>>| text.map(Cow::into_owned).unwrap_or_default();
    match block.kind.as_ref() {
        "text" => AgentEvent::Message {
            role,
            text: owned(block.text),
        },
        "thinking" => AgentEvent::Thinking {
            text: owned(block.thinking),
        },
        "redacted_thinking" => AgentEvent::Thinking {
            text: "(hidden by the provider)".to_owned(),
        },
        "tool_use" => AgentEvent::ToolCall {
            id: owned(block.id),
            name: owned(block.name),
            input: block.input.unwrap_or(Value::Null),
        },
        "tool_result" => AgentEvent::ToolResult {
            id: owned(block.tool_use_id),
            content: owned(block.content.map(|text| text.0)),
            is_error: block.is_error.unwrap_or(false),
        },
        other => AgentEvent::Unrecognized {
            raw: format!("a `{other}` block"),
        },
    }
}

/// Looking once whether all of it is text is faster than looking at each of its strings.
fn read(line: &[u8]) -> Option<Line<'_>> {
    serde_json::from_str(std::str::from_utf8(line).ok()?).ok()
}

fn is_login_prompt(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line).to_lowercase();
    ["no api key", "login", "paste your code"]
        .iter()
        .any(|phrase| text.contains(phrase))
}

fn unrecognized(line: &[u8]) -> AgentEvent {
    AgentEvent::Unrecognized {
        raw: String::from_utf8_lossy(line).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INIT: &str = r#"{"type":"system","subtype":"init","cwd":"/w","session_id":"T-01","tools":["Bash","Read"],"mcp_servers":[],"agent_mode":"medium"}"#;
    const EDIT: &str = r#"{"type":"assistant","message":{"type":"message","role":"assistant","content":[{"type":"text","text":"Updating."},{"type":"tool_use","id":"toolu_02","name":"edit_file","input":{"path":"hello.txt"}}],"stop_reason":"tool_use","usage":{"input_tokens":12,"cache_creation_input_tokens":900,"cache_read_input_tokens":100,"output_tokens":40,"max_tokens":168000,"service_tier":"standard"}},"parent_tool_use_id":null,"session_id":"T-01"}"#;
    const RESULT_OF_TOOL: &str = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_02","content":"{\"diff\":\"x\"}","is_error":false}]},"parent_tool_use_id":null,"session_id":"T-01"}"#;

    fn decode_all(lines: &[&str]) -> (Vec<AgentEvent>, AgentEvent) {
        let mut decoder = AmpDecoder::default();
        let events = lines
            .iter()
            .flat_map(|line| decoder.line(line.as_bytes()))
            .collect();
        (events, decoder.finish(Exit::Code(0), ""))
    }

    fn success(text: &str) -> String {
        let text = serde_json::to_string(text).unwrap();
        format!(
            r#"{{"type":"result","subtype":"success","duration_ms":6,"is_error":false,"num_turns":3,"result":{text},"session_id":"T-01"}}"#
        )
    }

    #[test]
    fn a_whole_turn() {
        let (events, end) = decode_all(&[INIT, EDIT, RESULT_OF_TOOL, &success("Done.")]);
        let usage = Usage {
            input_tokens: 12,
            output_tokens: 40,
            cache_read_tokens: 100,
            cache_write_tokens: 900,
        };
        assert_eq!(
            events,
            [
                AgentEvent::Started {
                    thread: Some("T-01".to_owned()),
                    model: None,
                    mode: Some("medium".to_owned()),
                    tools: vec!["Bash".to_owned(), "Read".to_owned()],
                },
                AgentEvent::Message {
                    role: Role::Agent,
                    text: "Updating.".to_owned()
                },
                AgentEvent::ToolCall {
                    id: "toolu_02".to_owned(),
                    name: "edit_file".to_owned(),
                    input: serde_json::json!({"path": "hello.txt"}),
                },
                AgentEvent::Usage { usage, cost: None },
                AgentEvent::ToolResult {
                    id: "toolu_02".to_owned(),
                    content: "{\"diff\":\"x\"}".to_owned(),
                    is_error: false,
                },
            ]
        );
        assert_eq!(
            end,
            AgentEvent::Finished {
                summary: Some("Done.".to_owned())
            }
        );
    }

    #[test]
    fn a_question_waits_for_the_user() {
        for text in ["Which one?", "Two ways.\n\n**Which do you prefer?**\n"] {
            let (_, end) = decode_all(&[INIT, &success(text)]);
            assert_eq!(
                end,
                AgentEvent::AwaitingInput {
                    question: text.to_owned()
                }
            );
        }
        let (_, end) = decode_all(&[INIT, &success("Why? Because.")]);
        assert!(matches!(end, AgentEvent::Finished { .. }));
    }

    #[test]
    fn the_result_line_outranks_the_exit_code() {
        let mut decoder = AmpDecoder::default();
        let overloaded = r#"{"type":"result","subtype":"error_during_execution","duration_ms":1,"is_error":true,"num_turns":0,"error":"Model provider overloaded. Try again in a few seconds.","session_id":"T-01"}"#;
        assert!(decoder.line(overloaded.as_bytes()).is_empty());
        let end = decoder.finish(Exit::Code(0), "");
        assert!(
            matches!(
                end,
                AgentEvent::Failed {
                    cause: FailureCause::Overloaded,
                    ..
                }
            ),
            "{end:?}"
        );
    }

    #[test]
    fn a_login_prompt_is_noticed_and_its_link_is_not_kept() {
        let mut decoder = AmpDecoder::default();
        let events = decoder.line(b"No API key found. Starting login flow...");
        assert!(matches!(
            &events[..],
            [AgentEvent::Failed {
                cause: FailureCause::NotLoggedIn,
                ..
            }]
        ));
        let later = AmpDecoder {
            saw_json: true,
            ..AmpDecoder::default()
        }
        .line(b"login");
        assert!(matches!(&later[..], [AgentEvent::Unrecognized { .. }]));
    }

    #[test]
    fn nothing_is_dropped() {
        let mut decoder = AmpDecoder::default();
        assert!(decoder.line(b"  ").is_empty());
        for line in [
            &b"{\"type\":"[..],
            b"\xff\xfe",
            b"{}",
            b"[]",
            b"{\"type\":\"new_kind\"}",
        ] {
            let events = decoder.line(line);
            let raw = String::from_utf8_lossy(line).into_owned();
            assert_eq!(events, [AgentEvent::Unrecognized { raw }]);
        }
        let odd = br#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":[{"a":1}]},{"type":"image"},{"type":"thinking","thinking":"hm"}]}}"#;
        let events = decoder.line(odd);
        assert_eq!(events.len(), 3);
        assert!(
            matches!(&events[0], AgentEvent::ToolResult { content, .. } if content == "[{\"a\":1}]")
        );
        assert!(matches!(&events[1], AgentEvent::Unrecognized { raw } if raw == "a `image` block"));
        assert!(matches!(&events[2], AgentEvent::Thinking { text } if text == "hm"));
    }

    #[test]
    fn a_subagent_is_told_apart() {
        let line = br#"{"type":"assistant","message":{"content":[{"type":"text","text":"sub?"}]},"parent_tool_use_id":"t1"}"#;
        let events = AmpDecoder::default().line(line);
        assert_eq!(
            events,
            [AgentEvent::Message {
                role: Role::Subagent,
                text: "sub?".to_owned()
            }]
        );
    }
}
