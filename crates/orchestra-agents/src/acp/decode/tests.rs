//! Turns as the documents of the protocol show them.

use std::collections::BTreeMap;
use std::path::Path;

use orchestra_core::{Cost, PermissionPolicy, PlanStep, StepState, ToolKind, Usage};

use super::*;
use crate::agent::{Features, TurnRequest};

const LOADS: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true}},"agentInfo":{"name":"a","version":"1"},"authMethods":[{"id":"key","name":"Key","description":"Log in with `a login`"}]}}"#;
const PLAIN: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}"#;
const NEW: &str = r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s1","modes":{"currentModeId":"code","availableModes":[]}}}"#;

struct Talk {
    decoder: AcpDecoder,
}

impl Talk {
    fn begin(thread: Option<&str>, model: Option<&str>) -> Self {
        Self::begin_with(thread, model, None)
    }

    fn begin_with(thread: Option<&str>, model: Option<&str>, mode: Option<&str>) -> Self {
        let client = Client::new(&TurnRequest {
            program: &[],
            features: &Features::default(),
            worktree: Path::new("/w"),
            prompt: "Do it.",
            thread,
            model,
            mode,
            environment: &BTreeMap::new(),
            log_file: Path::new("/l"),
            permissions: PermissionPolicy::Allow,
            settings_file: None,
            spent: thread.map(|_| 100_000),
            equipment: crate::Equipment::default(),
        });
        let mut talk = Self {
            decoder: AcpDecoder::talking(client),
        };
        let first = talk.sent();
        assert_eq!(first[0]["method"], "initialize");
        assert_eq!(first[0]["params"]["protocolVersion"], 1);
        talk
    }

    /// A session that was opened and prompted.
    fn prompted() -> Self {
        let mut talk = Self::begin(None, None);
        talk.hear(PLAIN);
        talk.hear(NEW);
        assert_eq!(talk.sent().len(), 2);
        talk
    }

    fn hear(&mut self, line: &str) -> Vec<AgentEvent> {
        self.decoder.line(line.as_bytes())
    }

    fn update(&mut self, update: &Value) -> Vec<AgentEvent> {
        let params = json!({"sessionId": "s1", "update": update});
        self.hear(&wire::notification("session/update", &params).to_string())
    }

    fn says(&mut self, text: &str) -> Vec<AgentEvent> {
        self.update(&json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}))
    }

    fn sent(&mut self) -> Vec<Value> {
        let bytes = self.decoder.take_replies();
        let lines = bytes
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        lines
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect()
    }

    fn stops(&mut self, reason: &str) -> Vec<AgentEvent> {
        self.hear(&format!(
            r#"{{"jsonrpc":"2.0","id":6,"result":{{"stopReason":"{reason}"}}}}"#
        ))
    }

    fn end(&mut self) -> AgentEvent {
        self.decoder.finish(Exit::Code(0), "")
    }
}

fn said(text: &str) -> AgentEvent {
    AgentEvent::Message {
        role: Role::Agent,
        text: text.to_owned(),
    }
}

fn cause(event: &AgentEvent) -> FailureCause {
    match event {
        AgentEvent::Failed { cause, .. } => *cause,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_whole_turn() {
    let mut talk = Talk::begin(None, None);
    assert!(talk.hear(PLAIN).is_empty());
    let open = talk.sent();
    assert_eq!(open[0]["method"], "session/new");
    assert_eq!(open[0]["params"], json!({"cwd": "/w", "mcpServers": []}));
    let started = talk.hear(NEW);
    assert_eq!(
        started,
        [
            AgentEvent::Started {
                thread: Some("s1".to_owned()),
                model: None,
                mode: Some("code".to_owned()),
                tools: Vec::new(),
            },
            AgentEvent::Message {
                role: Role::User,
                text: "Do it.".to_owned()
            },
        ]
    );
    let prompt = talk.sent();
    assert_eq!(prompt[0]["method"], "session/prompt");
    assert_eq!(
        prompt[0]["params"],
        json!({"sessionId": "s1", "prompt": [{"type": "text", "text": "Do it."}]})
    );
    let thought =
        json!({"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "Hm."}});
    assert!(talk.update(&thought).is_empty());
    assert_eq!(
        talk.says("Look"),
        [AgentEvent::Thinking {
            text: "Hm.".to_owned()
        }]
    );
    assert!(talk.says("ing.").is_empty());
    let plan = json!({"sessionUpdate": "plan", "entries": [{"content": "Look", "priority": "high", "status": "in_progress"}]});
    let step = PlanStep {
        text: "Look".to_owned(),
        state: StepState::InProgress,
    };
    assert_eq!(
        talk.update(&plan),
        [said("Looking."), AgentEvent::Plan { steps: vec![step] }]
    );
    let commands = json!({"sessionUpdate": "available_commands_update", "availableCommands": []});
    assert!(talk.update(&commands).is_empty());
    assert!(talk.says("Done.").is_empty());
    let cost = json!({"sessionUpdate": "usage_update", "used": 9, "size": 100, "cost": {"amount": 0.25, "currency": "USD"}});
    assert!(talk.update(&cost).is_empty());
    assert!(!talk.decoder.is_over());
    let answer = r#"{"jsonrpc":"2.0","id":6,"result":{"stopReason":"end_turn","usage":{"totalTokens":12,"inputTokens":10,"outputTokens":2}}}"#;
    let usage = Usage {
        input_tokens: 10,
        output_tokens: 2,
        ..Usage::default()
    };
    let cost = Some(Cost {
        micro_usd: 250_000,
        source: orchestra_core::usage::CostSource::Reported,
    });
    assert_eq!(
        talk.hear(answer),
        [said("Done."), AgentEvent::Usage { usage, cost }]
    );
    assert!(talk.decoder.is_over());
    let summary = Some("Done.".to_owned());
    assert_eq!(talk.end(), AgentEvent::Finished { summary });
}

#[test]
fn a_conversation_is_continued_and_not_told_again() {
    let mut talk = Talk::begin(Some("s0"), None);
    talk.hear(LOADS);
    let load = talk.sent();
    assert_eq!(load[0]["method"], "session/load");
    assert_eq!(load[0]["params"]["sessionId"], "s0");
    assert!(talk.says("What I said before.").is_empty());
    let call = json!({"sessionUpdate": "tool_call", "toolCallId": "old", "title": "t", "status": "completed"});
    assert!(talk.update(&call).is_empty());
    let opened = talk.hear(r#"{"jsonrpc":"2.0","id":3,"result":null}"#);
    assert!(
        matches!(&opened[0], AgentEvent::Started { thread, .. } if thread.as_deref() == Some("s0"))
    );
    assert_eq!(talk.sent()[0]["params"]["sessionId"], "s0");
    assert!(talk.says("New.").is_empty());
    assert_eq!(talk.stops("end_turn"), [said("New.")]);
}

#[test]
fn resuming_is_preferred_and_a_new_session_is_said_to_be_one() {
    let mut talk = Talk::begin(Some("s0"), None);
    talk.hear(r#"{"id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"resume":{}}}}}"#);
    assert_eq!(talk.sent()[0]["method"], "session/resume");

    let mut talk = Talk::begin(Some("s0"), None);
    let events = talk.hear(PLAIN);
    assert!(
        matches!(&events[..], [AgentEvent::Diagnostic { text }] if text.contains("cannot continue"))
    );
    assert_eq!(talk.sent()[0]["method"], "session/new");
}

#[test]
fn a_conversation_that_is_gone_is_told_from_other_failures() {
    let load = |error: &str| {
        let mut talk = Talk::begin(Some("s0"), None);
        talk.hear(LOADS);
        talk.hear(&format!(r#"{{"id":3,"error":{error}}}"#));
        assert!(talk.decoder.is_over());
        talk.end()
    };
    let gone = load(r#"{"code":-32002,"message":"Resource not found"}"#);
    assert_eq!(cause(&gone), FailureCause::ThreadUnavailable);
    let login = load(r#"{"code":-32000,"message":"Authentication required"}"#);
    assert_eq!(
        login,
        AgentEvent::Failed {
            cause: FailureCause::NotLoggedIn,
            message: "Authentication required (Log in with `a login`)".to_owned(),
        }
    );
}

#[test]
fn every_way_to_stop_has_its_meaning() {
    for (reason, expected) in [
        ("cancelled", FailureCause::Stopped),
        ("refusal", FailureCause::Other),
        ("max_tokens", FailureCause::Other),
        ("max_turn_requests", FailureCause::Other),
        ("not_yet_known", FailureCause::Other),
    ] {
        let mut talk = Talk::prompted();
        talk.stops(reason);
        assert_eq!(cause(&talk.end()), expected, "{reason}");
    }
    let mut talk = Talk::prompted();
    talk.says("Which one do you mean?");
    talk.stops("end_turn");
    let question = "Which one do you mean?".to_owned();
    assert_eq!(talk.end(), AgentEvent::AwaitingInput { question });
}

#[test]
fn an_overloaded_provider_is_recognized_in_the_words_of_an_error() {
    let mut talk = Talk::prompted();
    talk.says("Looking.");
    let error = r#"{"jsonrpc":"2.0","id":6,"error":{"code":-32603,"message":"Internal error","data":{"details":"Model provider overloaded."}}}"#;
    assert_eq!(talk.hear(error), [said("Looking.")]);
    assert_eq!(cause(&talk.end()), FailureCause::Overloaded);
}

#[test]
fn a_process_that_goes_away_is_explained_by_its_words() {
    let mut talk = Talk::prompted();
    talk.says("Looking.");
    assert_eq!(talk.decoder.rest(), [said("Looking.")]);
    let end = talk.decoder.finish(Exit::Signal(9), "");
    assert_eq!(cause(&end), FailureCause::Crashed);
}

#[test]
fn a_permission_waits_for_a_decision() {
    let ask = r#"{"jsonrpc":"2.0","id":"q1","method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c","title":"rm -r x","kind":"execute","rawInput":{"command":"rm -r x"}},"options":[{"optionId":"yes","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}"#;
    let mut talk = Talk::prompted();
    let announced = json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "bash", "status": "pending"});
    assert!(talk.update(&announced).is_empty());
    let events = talk.hear(ask);
    assert!(matches!(&events[0], AgentEvent::ToolCall { name, .. } if name == "bash"));
    let AgentEvent::PermissionAsked {
        id,
        tool_use,
        title,
    } = &events[1]
    else {
        panic!("{events:?}");
    };
    assert_eq!((id.as_str(), title.as_deref()), ("q1", Some("rm -r x")));
    assert_eq!(tool_use.kind, ToolKind::Execute);
    assert_eq!(tool_use.subject().as_deref(), Some("rm -r x"));
    assert!(talk.sent().is_empty());
    talk.decoder.decide("q1", Decision::Reject);
    let answer = json!({"jsonrpc": "2.0", "id": "q1", "result": {"outcome": {"outcome": "selected", "optionId": "no"}}});
    assert_eq!(talk.sent(), [answer]);

    talk.hear(ask);
    assert!(talk.decoder.cancel());
    let sent = talk.sent();
    assert_eq!(sent[0]["result"]["outcome"]["outcome"], "cancelled");
    assert_eq!(sent[1]["method"], "session/cancel");
    assert_eq!(sent[1].get("id"), None);
    let later = talk.hear(ask);
    assert!(later.is_empty(), "{later:?}");
    assert_eq!(talk.sent()[0]["result"]["outcome"]["outcome"], "cancelled");
}

#[test]
fn only_a_turn_that_goes_on_can_be_cancelled() {
    assert!(!AcpDecoder::default().cancel());
    assert!(!Talk::begin(None, None).decoder.cancel());
    let mut talk = Talk::prompted();
    talk.stops("end_turn");
    assert!(!talk.decoder.cancel());
}

#[test]
fn what_is_not_offered_is_refused_and_shown() {
    let mut talk = Talk::prompted();
    let ask =
        r#"{"jsonrpc":"2.0","id":3,"method":"fs/read_text_file","params":{"path":"/etc/passwd"}}"#;
    let events = talk.hear(ask);
    assert!(matches!(&events[..], [AgentEvent::Unrecognized { raw }] if raw == ask));
    let sent = talk.sent();
    assert_eq!(sent[0]["id"], 3);
    assert_eq!(sent[0]["error"]["code"], -32601);
}

#[test]
fn a_model_is_asked_for_only_where_it_is_offered() {
    let offers = r#"{"id":2,"result":{"sessionId":"s1","models":{"currentModelId":"a","availableModels":[{"modelId":"a","name":"A"},{"modelId":"b","name":"B"}]}}}"#;
    let mut talk = Talk::begin(None, Some("b"));
    talk.hear(PLAIN);
    talk.sent();
    let started = talk.hear(offers);
    assert!(
        matches!(&started[0], AgentEvent::Started { model, .. } if model.as_deref() == Some("b"))
    );
    assert_eq!(talk.sent()[0]["method"], "session/set_model");
    talk.hear(r#"{"id":5,"result":{}}"#);
    assert_eq!(talk.sent()[0]["method"], "session/prompt");

    let mut talk = Talk::begin(None, Some("c"));
    talk.hear(PLAIN);
    talk.sent();
    let started = talk.hear(offers);
    assert!(
        matches!(&started[0], AgentEvent::Started { model, .. } if model.as_deref() == Some("a"))
    );
    assert!(matches!(&started[1], AgentEvent::Diagnostic { text } if text.contains("`c`")));
    assert_eq!(talk.sent()[0]["method"], "session/prompt");

    let mut talk = Talk::begin(None, Some("b"));
    talk.hear(PLAIN);
    talk.hear(offers);
    talk.hear(r#"{"id":5,"error":{"code":-32602,"message":"not now"}}"#);
    assert_eq!(cause(&talk.end()), FailureCause::BadInput);
}

#[test]
fn another_version_of_the_protocol_is_refused() {
    let mut talk = Talk::begin(None, None);
    talk.hear(r#"{"id":1,"result":{"protocolVersion":2}}"#);
    assert!(talk.sent().is_empty());
    assert_eq!(cause(&talk.end()), FailureCause::Other);
}

#[test]
fn an_answer_that_cannot_be_read_ends_the_turn() {
    let mut talk = Talk::begin(None, None);
    talk.hear(PLAIN);
    let events = talk.hear(r#"{"id":2,"result":{"sessionId":7}}"#);
    assert!(matches!(&events[..], [AgentEvent::Unrecognized { .. }]));
    let end = talk.end();
    assert!(
        matches!(&end, AgentEvent::Failed { message, .. } if message.contains("`session/new`"))
    );
    let mut talk = Talk::begin(None, None);
    talk.hear(
        r#"{"id":1,"result":{"protocolVersion":1,"agentCapabilities":"odd","authMethods":{}}}"#,
    );
    assert_eq!(talk.sent()[0]["method"], "session/new");
    talk.hear(r#"{"id":2,"result":{}}"#);
    assert!(talk.decoder.is_over());
}

#[test]
fn a_turn_that_was_cancelled_is_not_asked_for() {
    let mut talk = Talk::begin(None, Some("b"));
    talk.hear(PLAIN);
    talk.hear(
        r#"{"id":2,"result":{"sessionId":"s1","models":{"availableModels":[{"modelId":"b"}]}}}"#,
    );
    assert!(talk.decoder.cancel());
    talk.sent();
    talk.hear(r#"{"id":5,"result":null}"#);
    assert!(talk.sent().is_empty());
    assert_eq!(cause(&talk.end()), FailureCause::Stopped);
}

#[test]
fn nothing_is_dropped_and_no_answer_counts_twice() {
    let mut talk = Talk::prompted();
    assert!(talk.hear("  ").is_empty());
    for line in [
        "Starting up...",
        "{}",
        "[]",
        r#"{"id":1,"result":{"protocolVersion":1}}"#,
        r#"{"id":99,"result":{}}"#,
        r#"{"id":6}"#,
        r#"{"id":2,"result":{"sessionId":"s2"}}"#,
        r#"{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"new_kind"}}}"#,
        r#"{"method":"session/update"}"#,
        r#"{"method":"$/other","params":{}}"#,
    ] {
        talk.says("before");
        let raw = line.to_owned();
        assert_eq!(
            talk.hear(line),
            [said("before"), AgentEvent::Unrecognized { raw }]
        );
    }
    assert!(talk.sent().is_empty());
}

#[test]
fn kept_output_is_read_without_anybody_to_answer() {
    let mut reader = AcpDecoder::default();
    let mut read = |line: &str| reader.line(line.as_bytes());
    read(LOADS);
    let replay = r#"{"method":"session/update","params":{"sessionId":"s0","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"old"}}}}"#;
    assert!(read(replay).is_empty());
    let opened = read(r#"{"id":3,"result":{}}"#);
    assert!(
        matches!(&opened[..], [AgentEvent::Started { thread, .. }] if thread.as_deref() == Some("s0"))
    );
    assert!(read(replay).is_empty());
    assert_eq!(read(r#"{"id":7,"method":"fs/x"}"#).len(), 2);
    assert_eq!(read(r#"{"id":6,"result":{"stopReason":"end_turn"}}"#), []);
    assert!(reader.take_replies().is_empty());
    assert!(reader.is_over());
}

#[test]
fn a_later_turn_costs_what_the_conversation_cost_more_where_the_agent_remembers() {
    let cost_of = |agent: &str| {
        let mut talk = Talk::begin(Some("s1"), None);
        talk.hear(&LOADS.replace("\"name\":\"a\"", &format!("\"name\":\"{agent}\"")));
        talk.hear(r#"{"jsonrpc":"2.0","id":3,"result":{}}"#);
        let cost = json!({"amount": 0.25, "currency": "USD"});
        talk.update(
            &json!({"sessionUpdate": "usage_update", "used": 9, "size": 100, "cost": cost}),
        );
        match talk.stops("end_turn").as_slice() {
            [AgentEvent::Usage { cost, .. }] => cost.map(|cost| cost.micro_usd),
            _ => None,
        }
    };
    assert_eq!(cost_of("OpenCode"), Some(150_000));
    assert_eq!(cost_of("another"), None, "it may count from its start");
}

const MODES: &str = r#"{"id":2,"result":{"sessionId":"s1","modes":{"currentModeId":"code","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]},"models":{"currentModelId":"x","availableModels":[{"modelId":"x","name":"X"},{"modelId":"y","name":"Y"}]}}}"#;

#[test]
fn a_mode_is_set_before_the_model_and_the_turn() {
    let mut talk = Talk::begin_with(None, Some("y"), Some("Ask"));
    talk.hear(PLAIN);
    talk.sent();
    let started = talk.hear(MODES);
    assert!(
        matches!(&started[0], AgentEvent::Started { mode, model, .. }
        if mode.as_deref() == Some("ask") && model.as_deref() == Some("y"))
    );
    let set = talk.sent();
    assert_eq!(set.len(), 1);
    assert_eq!(set[0]["method"], "session/set_mode");
    assert_eq!(
        set[0]["params"],
        json!({"sessionId": "s1", "modeId": "ask"})
    );
    assert!(talk.hear(r#"{"id":7,"result":{}}"#).is_empty());
    assert_eq!(talk.sent()[0]["method"], "session/set_model");
    assert!(talk.hear(r#"{"id":5,"result":null}"#).is_empty());
    assert_eq!(talk.sent()[0]["method"], "session/prompt");

    let mut talk = Talk::begin_with(None, None, Some("code"));
    talk.hear(PLAIN);
    talk.sent();
    talk.hear(MODES);
    assert_eq!(talk.sent()[0]["method"], "session/prompt", "it has it");
}

#[test]
fn a_mode_that_is_not_offered_ends_the_turn_before_it_begins() {
    for (opened, words) in [
        (MODES, "it does not offer the mode `plan`, only ask, code"),
        (
            r#"{"id":2,"result":{"sessionId":"s1"}}"#,
            "it offers no modes, so it cannot use the mode `plan`",
        ),
    ] {
        let mut talk = Talk::begin_with(None, None, Some("plan"));
        talk.hear(PLAIN);
        talk.sent();
        assert!(talk.hear(opened).is_empty());
        assert!(talk.sent().is_empty(), "nothing is asked any more");
        assert!(talk.decoder.is_over());
        let message = words.to_owned();
        let cause = FailureCause::BadInput;
        assert_eq!(talk.end(), AgentEvent::Failed { cause, message });
    }
}

#[test]
fn a_mode_that_is_refused_and_a_stop_meanwhile_are_told_apart() {
    let mut talk = Talk::begin_with(None, None, Some("ask"));
    talk.hear(PLAIN);
    talk.hear(MODES);
    talk.hear(r#"{"id":7,"error":{"code":-32602,"message":"not now"}}"#);
    let message = "it cannot use the mode `ask`: not now".to_owned();
    let cause = FailureCause::BadInput;
    assert_eq!(talk.end(), AgentEvent::Failed { cause, message });

    let mut talk = Talk::begin_with(None, None, Some("ask"));
    talk.hear(PLAIN);
    talk.hear(MODES);
    talk.sent();
    assert!(talk.decoder.cancel());
    talk.hear(r#"{"id":7,"result":{}}"#);
    assert_eq!(talk.sent().len(), 1, "only that it is cancelled");
    assert!(matches!(
        talk.end(),
        AgentEvent::Failed {
            cause: FailureCause::Stopped,
            ..
        }
    ));
}
