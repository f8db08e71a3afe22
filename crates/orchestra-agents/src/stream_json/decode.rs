//! Lines of the stream become events.

use orchestra_core::{AgentEvent, Cost, FailureCause, Role, Usage};
use orchestra_process::Exit;

use super::line::{Line, read};
use crate::adapter::Decoder;
use crate::ending::without_result;
use crate::failure::classify;
use crate::question::asks_something;
use crate::seen::Seen;
use crate::thread_id::thread_id;
use crate::unread::{is_blank, unrecognized};

/// Decodes the output of one turn.
#[derive(Debug, Default)]
pub(crate) struct StreamDecoder {
    saw_json: bool,
    last_text: Option<String>,
    /// Messages whose tokens were counted. A message may come in several lines that all tell them.
    counted: Seen,
    spent: Usage,
    ended: Option<AgentEvent>,
}

impl Decoder for StreamDecoder {
    /// Decodes one line. What cannot be read becomes an `unrecognized` event; only blank lines and results give nothing.
    fn line(&mut self, line: &[u8]) -> Vec<AgentEvent> {
        if is_blank(line) {
            return Vec::new();
        }
        match read(line) {
            Some(decoded) => {
                self.saw_json = true;
                self.decoded(decoded, line)
            }
            None if is_login_prompt(line) || !self.saw_json && speaks_of_login(line) => {
                vec![AgentEvent::Failed {
                    cause: FailureCause::NotLoggedIn,
                    message: "the agent asks for a login".to_owned(),
                }]
            }
            None => vec![unrecognized(line)],
        }
    }

    /// Whether a `result` line was read.
    fn is_over(&self) -> bool {
        self.ended.is_some()
    }

    /// How the turn ended: the last `result` line if there was one, otherwise a failure explained by standard error.
    fn finish(&mut self, exit: Exit, stderr_tail: &str) -> AgentEvent {
        let end = self.ended.take();
        end.unwrap_or_else(|| without_result(exit, stderr_tail))
    }
}

impl StreamDecoder {
    fn decoded(&mut self, line: Line<'_>, raw: &[u8]) -> Vec<AgentEvent> {
        let events = match (line.kind.as_ref(), line.subtype.as_deref()) {
            ("system", None | Some("init")) => started(line, raw),
            ("user", _) if line.message.is_some() => self.message(line, Role::User),
            ("assistant", _) if line.message.is_some() => {
                let role = match line.parent_tool_use_id {
                    Some(_) => Role::Subagent,
                    None => Role::Agent,
                };
                self.message(line, role)
            }
            ("result", _) => return self.result(line),
            _ => Vec::new(),
        };
        match events.is_empty() {
            true => vec![unrecognized(raw)],
            false => events,
        }
    }

    fn message(&mut self, line: Line<'_>, role: Role) -> Vec<AgentEvent> {
        let Some(message) = line.message else {
            return Vec::new();
        };
        let blocks = message.content.0.into_iter();
        let mut events: Vec<AgentEvent> = blocks.map(|block| block.into_event(role)).collect();
        if role == Role::Agent {
            let spoken = events.iter().rev().find_map(|event| match event {
                AgentEvent::Message { text, .. } => Some(text.clone()),
                _ => None,
            });
            self.last_text = spoken.or(self.last_text.take());
        }
        let is_counted = message.id.is_some_and(|id| !self.counted.add(&id));
        if let Some(tokens) = message.usage.filter(|_| !is_counted) {
            let usage = tokens.into();
            self.spent = self.spent.plus(usage);
            events.push(AgentEvent::Usage { usage, cost: None });
        }
        events
    }

    /// The result may tell the tokens and the cost of the whole turn: what the messages told is not counted again.
    fn result(&mut self, mut line: Line<'_>) -> Vec<AgentEvent> {
        let mut events = line.take_denials();
        let cost = line.total_cost_usd.and_then(Cost::reported);
        let usage = line.usage.take().map(Usage::from).unwrap_or_default();
        let usage = usage.beyond(self.spent);
        if cost.is_some() || usage.total() > 0 {
            self.spent = self.spent.plus(usage);
            events.push(AgentEvent::Usage { usage, cost });
        }
        self.ended = Some(self.end_of(line));
        events
    }

    fn end_of(&self, mut line: Line<'_>) -> AgentEvent {
        let subtype = line.subtype.take().unwrap_or_default();
        let errors = line.take_errors();
        let error = line.error.map(|text| text.0.into_owned());
        let error = error.or(errors);
        let result = line.result.map(|text| text.0.into_owned());
        let result = result.filter(|text| !text.trim().is_empty());
        let failed = subtype.starts_with("error") || line.is_error == Some(true);
        if failed || error.is_some() {
            let message = error.or(result);
            let message = message.unwrap_or_else(|| unexplained(&subtype));
            return AgentEvent::Failed {
                cause: classify(&message),
                message,
            };
        }
        match result.or_else(|| self.last_text.clone()) {
            Some(text) if asks_something(&text) => AgentEvent::AwaitingInput { question: text },
            summary => AgentEvent::Finished { summary },
        }
    }
}

fn unexplained(subtype: &str) -> String {
    match subtype {
        "error_max_turns" => "it reached the most turns it may take".to_owned(),
        _ => "it failed without saying why".to_owned(),
    }
}

/// Words that nothing else says, so that they count wherever they come.
fn is_login_prompt(line: &[u8]) -> bool {
    has_any(line, &["starting login flow", "paste your code here"])
}

/// Before anything else was said, less is enough.
fn speaks_of_login(line: &[u8]) -> bool {
    has_any(line, &["no api key", "login", "paste your code"])
}

fn has_any(line: &[u8], phrases: &[&str]) -> bool {
    let text = String::from_utf8_lossy(line).to_lowercase();
    phrases.iter().any(|phrase| text.contains(phrase))
}

/// A conversation whose name is none cannot be continued, and the line tells why.
fn started(line: Line<'_>, raw: &[u8]) -> Vec<AgentEvent> {
    let told = line.session_id.as_deref();
    let thread = told.and_then(thread_id);
    let odd = (told.is_some() && thread.is_none()).then(|| unrecognized(raw));
    let started = AgentEvent::Started {
        thread,
        model: line.model,
        mode: line.agent_mode,
        tools: line.tools.unwrap_or_default(),
    };
    [Some(started), odd].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INIT: &str = r#"{"type":"system","subtype":"init","cwd":"/w","session_id":"T-01","tools":["Bash","Read"],"mcp_servers":[],"agent_mode":"medium"}"#;
    const EDIT: &str = r#"{"type":"assistant","message":{"type":"message","role":"assistant","content":[{"type":"text","text":"Updating."},{"type":"tool_use","id":"toolu_02","name":"edit_file","input":{"path":"hello.txt"}}],"stop_reason":"tool_use","usage":{"input_tokens":12,"cache_creation_input_tokens":900,"cache_read_input_tokens":100,"output_tokens":40,"max_tokens":168000,"service_tier":"standard"}},"parent_tool_use_id":null,"session_id":"T-01"}"#;
    const RESULT_OF_TOOL: &str = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_02","content":"{\"diff\":\"x\"}","is_error":false}]},"parent_tool_use_id":null,"session_id":"T-01"}"#;

    fn decode_all(lines: &[&str]) -> (Vec<AgentEvent>, AgentEvent) {
        let mut decoder = StreamDecoder::default();
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
    fn one_odd_field_does_not_take_the_result_with_it() {
        let odd = [
            r#""tools":"all""#,
            r#""tools":[{"name":"Bash"}]"#,
            r#""usage":{"input_tokens":1.5}"#,
            r#""usage":"none""#,
            r#""total_cost_usd":"free""#,
            r#""model":7,"agent_mode":[]"#,
            r#""permission_denials":"none""#,
            r#""permission_denials":[7,{"tool_name":7}]"#,
        ];
        for fields in odd {
            let line = format!(r#"{{"type":"result","result":"Done.",{fields}}}"#);
            let (events, end) = decode_all(&[&line]);
            let is_note = |event| matches!(event, &AgentEvent::Diagnostic { .. });
            assert!(events.iter().all(is_note), "{fields}: {events:?}");
            let summary = Some("Done.".to_owned());
            assert_eq!(end, AgentEvent::Finished { summary }, "{fields}");
        }
        let line = r#"{"type":"result","subtype":"error_x","errors":["one",{"code":2}]}"#;
        let (_, end) = decode_all(&[line]);
        let told =
            matches!(&end, AgentEvent::Failed { message, .. } if message == "one\n{\"code\":2}");
        assert!(told, "{end:?}");
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
        let mut decoder = StreamDecoder::default();
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
        let mut decoder = StreamDecoder::default();
        let events = decoder.line(b"No API key found. Starting login flow...");
        assert!(matches!(
            &events[..],
            [AgentEvent::Failed {
                cause: FailureCause::NotLoggedIn,
                ..
            }]
        ));
        let later = |line: &[u8]| {
            let mut decoder = StreamDecoder {
                saw_json: true,
                ..StreamDecoder::default()
            };
            decoder.line(line).remove(0)
        };
        let word = later(b"login");
        assert!(matches!(word, AgentEvent::Unrecognized { .. }), "{word:?}");
        let prompt = later(b"When prompted, paste your code here:");
        assert!(matches!(prompt, AgentEvent::Failed { .. }), "{prompt:?}");
    }

    #[test]
    fn nothing_is_dropped() {
        let mut decoder = StreamDecoder::default();
        assert!(decoder.line(b"  ").is_empty());
        for line in [
            &b"{\"type\":"[..],
            b"\xff\xfe",
            b"{}",
            b"[]",
            b"[\"result\"]",
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
        let events = StreamDecoder::default().line(line);
        assert_eq!(
            events,
            [AgentEvent::Message {
                role: Role::Subagent,
                text: "sub?".to_owned()
            }]
        );
    }

    #[test]
    fn an_option_is_no_thread() {
        let line = br#"{"type":"system","subtype":"init","session_id":"--settings-file=x"}"#;
        let events = StreamDecoder::default().line(line);
        assert!(
            matches!(
                &events[..],
                [
                    AgentEvent::Started { thread: None, .. },
                    AgentEvent::Unrecognized { .. }
                ]
            ),
            "{events:?}"
        );
    }
}
