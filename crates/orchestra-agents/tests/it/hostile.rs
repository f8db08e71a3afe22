//! Whatever an agent prints: no panic, nothing dropped, bounded memory.

use std::collections::BTreeMap;
use std::path::Path;

use orchestra_agents::{Agent, Decoder, Features, TurnRequest};
use orchestra_core::{AgentEvent, AgentProtocol, Decision, PermissionPolicy};
use orchestra_process::Exit;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::Value;

use crate::fixtures::FIXTURES;

/// What a reader may keep, told by its own description of itself.
const MOST_KEPT: usize = 512 * 1024;

fn agents() -> Vec<&'static str> {
    Agent::built_in_names().chain(["command"]).collect()
}

fn fixture_lines() -> Vec<&'static str> {
    let lines = FIXTURES.iter().flat_map(|(_, _, text)| text.lines());
    lines.filter(|line| !line.is_empty()).collect()
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test asks its own environment how long it may take"
)]
fn runner() -> TestRunner {
    let cases = match std::env::var_os("ORCHESTRA_TEST_LONG") {
        Some(_) => 20_000,
        None => 300,
    };
    TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    })
}

/// Lines that are read and give nothing by themselves, because other lines or the end of the turn tell the same.
fn is_bookkeeping(agent: &str, line: &[u8]) -> bool {
    let Ok(value) = serde_json::from_str::<Value>(&String::from_utf8_lossy(line)) else {
        return false;
    };
    let kind = value["type"].as_str().unwrap_or_default();
    match agent {
        "amp" | "claude" | "demo" => kind == "result",
        "codex" => {
            let is_open = matches!(kind, "item.started" | "item.updated");
            is_open || matches!(kind, "turn.started" | "turn.completed" | "turn.failed")
        }
        "opencode" => {
            let update = value["params"]["update"]["sessionUpdate"].as_str();
            let is_end = value["id"] == PROMPT && value["method"].is_null();
            is_end || update.is_some_and(|kind| TOLD_LATER.contains(&kind))
        }
        _ => false,
    }
}

/// The number of the answer that ends a turn of the Agent Client Protocol.
const PROMPT: u64 = 6;

/// Updates that wait for more of the same, or that nobody has to see.
const TOLD_LATER: [&str; 10] = [
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "usage_update",
    "user_message_chunk",
    "available_commands_update",
    "current_mode_update",
    "config_option_update",
    "session_info_update",
];

/// One that talks with its agent, in the middle of a turn where an agent begins with a conversation about it.
fn talking(name: &str) -> Box<dyn Decoder> {
    let any = || Agent::described(name, AgentProtocol::Command);
    let agent = Agent::built_in(name).unwrap_or_else(any);
    let turn = agent.turn(&TurnRequest {
        program: &["/bin/agent".into()],
        features: &Features::default(),
        worktree: Path::new("/w"),
        prompt: "p",
        thread: None,
        model: None,
        mode: None,
        environment: &BTreeMap::new(),
        log_file: Path::new("/l"),
        permissions: PermissionPolicy::Ask,
        settings_file: None,
        spent: None,
        equipment: orchestra_agents::Equipment::default(),
    });
    let mut decoder = turn.decoder;
    if agent.protocol() == AgentProtocol::Acp {
        let recorded = include_str!("fixtures/acp.jsonl");
        for line in recorded.lines().take(2) {
            decoder.line(line.as_bytes());
        }
        let replies = decoder.take_replies();
        let asked = String::from_utf8_lossy(&replies);
        assert!(asked.contains("session/prompt"), "{asked}");
    }
    decoder
}

/// Reads one line, decides what it asks, and says whether something came of it that should have.
fn is_kept(decoder: &mut dyn Decoder, agent: &str, line: &[u8]) -> bool {
    let is_blank = String::from_utf8_lossy(line).trim().is_empty();
    let events = decoder.line(line);
    for event in &events {
        if let AgentEvent::PermissionAsked { id, .. } = event {
            decoder.decide(id, [Decision::Allow, Decision::Reject][line.len() % 2]);
        }
    }
    !events.is_empty() || is_blank || is_bookkeeping(agent, line)
}

/// Whether the agent is sent whole messages.
fn sends_messages(decoder: &mut dyn Decoder) -> bool {
    let replies = decoder.take_replies();
    let is_message =
        |line: &[u8]| serde_json::from_slice::<Value>(line).is_ok_and(|it| it.is_object());
    replies.is_empty()
        || replies.ends_with(b"\n")
            && replies
                .trim_ascii_end()
                .split(|byte| *byte == b'\n')
                .all(is_message)
}

fn is_an_end(event: &AgentEvent) -> bool {
    matches!(
        event,
        AgentEvent::AwaitingInput { .. } | AgentEvent::Finished { .. } | AgentEvent::Failed { .. }
    )
}

/// Feeds lines to a reader of every agent; the number of lines that were read.
fn feed_all(lines: &[Vec<u8>]) -> Result<usize, TestCaseError> {
    for agent in agents() {
        let mut decoder = talking(agent);
        for line in lines {
            let shown = String::from_utf8_lossy(line);
            prop_assert!(is_kept(decoder.as_mut(), agent, line), "{agent}: {shown}");
            prop_assert!(sends_messages(decoder.as_mut()), "{agent}: {shown}");
        }
        decoder.cancel();
        prop_assert!(sends_messages(decoder.as_mut()), "{agent}: cancelled");
        decoder.rest();
        let exit = match lines.len() % 3 {
            0 => Exit::Signal(9),
            code => Exit::Code(i32::try_from(code).unwrap_or(1) - 1),
        };
        prop_assert!(is_an_end(&decoder.finish(exit, "noise")), "{agent}");
    }
    Ok(lines.len() * agents().len())
}

/// Runs a property and prints what was counted.
fn check(name: &str, strategy: impl Strategy<Value = Vec<Vec<u8>>>) {
    let mut runner = runner();
    let counted = std::cell::Cell::new(0);
    let outcome = runner.run(&strategy, |lines| {
        counted.set(counted.get() + feed_all(&lines)?);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
    let agents = agents().len();
    println!("{name}: {} lines into {agents} readers", counted.get());
}

fn without_breaks(bytes: Vec<u8>) -> Vec<u8> {
    bytes.into_iter().filter(|byte| *byte != b'\n').collect()
}

#[test]
fn random_bytes_are_kept() {
    let line = prop::collection::vec(any::<u8>(), 0..200).prop_map(without_breaks);
    check("random bytes", prop::collection::vec(line, 0..8));
}

/// JSON of any shape with the words that readers look for.
#[test]
fn random_json_is_kept() {
    let words = prop::sample::select(vec![
        "type",
        "message",
        "content",
        "item",
        "id",
        "usage",
        "system",
        "assistant",
        "user",
        "text",
        "result",
        "item.completed",
        "item.started",
        "turn.failed",
        "thread.started",
        "error",
        "command_execution",
        "todo_list",
        "items",
        "agent_message",
        "jsonrpc",
        "2.0",
        "method",
        "session/update",
        "params",
        "update",
        "sessionUpdate",
        "agent_message_chunk",
        "plan",
        "entries",
        "tool_call",
        "toolCall",
        "toolCallId",
        "session/request_permission",
        "options",
        "tool_use",
        "tool_result",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        words.clone().prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((words.clone(), inner), 0..6).prop_map(|pairs| {
                let pairs = pairs.into_iter();
                Value::from_iter(pairs.map(|(name, value)| (name.to_owned(), value)))
            }),
        ]
    });
    let line = value.prop_map(|value| value.to_string().into_bytes());
    check("random JSON", prop::collection::vec(line, 0..8));
}

/// Lines that stop anywhere, and lines with a byte changed.
#[test]
fn damaged_lines_are_kept() {
    let fixture = prop::sample::select(fixture_lines());
    let cut = (fixture.clone(), any::<prop::sample::Index>()).prop_map(|(line, at)| {
        let mut bytes = line.as_bytes().to_vec();
        bytes.truncate(at.index(bytes.len()));
        bytes
    });
    let changed =
        (fixture, any::<prop::sample::Index>(), any::<u8>()).prop_map(|(line, at, new)| {
            let mut bytes = line.as_bytes().to_vec();
            let at = at.index(bytes.len());
            bytes[at] = new;
            without_breaks(bytes)
        });
    let line = prop_oneof![cut, changed];
    check("damaged lines", prop::collection::vec(line, 0..8));
}

/// Whole lines of all agents in any order, and two lines in one.
#[test]
fn interleaved_streams_are_kept() {
    let fixture = prop::sample::select(fixture_lines());
    let joined = (fixture.clone(), fixture.clone()).prop_map(|(one, two)| format!("{one}{two}"));
    let line = prop_oneof![4 => fixture.prop_map(str::to_owned), 1 => joined];
    let line = line.prop_map(String::into_bytes);
    check("interleaved streams", prop::collection::vec(line, 0..30));
}

#[test]
fn enormous_and_deep_lines_are_kept() {
    let long = "x".repeat(8 * 1024 * 1024);
    let deep = 200_000;
    let lines = [
        long.clone(),
        format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"{long}"}}]}}}}"#
        ),
        format!(
            r#"{{"type":"item.completed","item":{{"id":"i","type":"agent_message","text":"{long}"}}}}"#
        ),
        format!(
            r#"{{"type":"item.completed","item":{{"id":"{long}","type":"web_search","query":""}}}}"#
        ),
        "[".repeat(deep),
        format!(
            "{}1{}",
            r#"{"type":"assistant","message":"#.repeat(deep),
            "}".repeat(deep)
        ),
        format!(
            r#"{{"type":"item.completed","item":{}{}}}"#,
            "[".repeat(deep),
            "]".repeat(deep)
        ),
        format!(
            r#"{{"type":"turn.failed","error":{{"message":"a"}},"x":{}{}}}"#,
            "[".repeat(deep),
            "]".repeat(deep)
        ),
    ];
    let lines: Vec<Vec<u8>> = lines.into_iter().map(String::into_bytes).collect();
    let counted = feed_all(&lines).unwrap();
    println!("enormous and deep lines: {counted}");
}

/// A long turn needs no more memory than a short one, whatever ids it has.
#[test]
fn memory_is_bounded() {
    let lines = [
        r#"{"type":"assistant","message":{"id":"msg_#","content":[{"type":"text","text":"word #"}],"usage":{"input_tokens":1}}}"#,
        r#"{"type":"item.started","item":{"id":"item_#","type":"command_execution","command":"ls","status":"in_progress"}}"#,
        r#"{"type":"item.completed","item":{"id":"text_#","type":"agent_message","text":"word #"}}"#,
        r##"{"type":"error","message":"Reconnecting... #"}"##,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"call_#","title":"t","kind":"read","status":"pending"}}}"#,
        r##"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"#","content":{"type":"text","text":"word #"}}}}"##,
        r##"{"jsonrpc":"2.0","id":"#","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"asked_#","title":"t","kind":"edit"},"options":[{"optionId":"a","kind":"allow_once","name":"a"}]}}"##,
        "a line # that is no JSON",
    ];
    for agent in agents() {
        let mut decoder = talking(agent);
        for number in 0..10_000 {
            for line in lines {
                let line = line.replace('#', &number.to_string());
                decoder.line(line.as_bytes());
                decoder.take_replies();
            }
        }
        let kept = format!("{decoder:?}").len();
        println!(
            "{agent}: keeps {kept} bytes after {} lines",
            10_000 * lines.len()
        );
        assert!(kept < MOST_KEPT, "{agent} keeps {kept} bytes");
    }
}
