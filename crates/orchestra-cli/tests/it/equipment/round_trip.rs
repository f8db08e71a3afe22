//! An agent's side of MCP over standard streams, as little of it as a test needs.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use orchestra_testkit::Sandbox;
use serde_json::{Value, json};

/// What a server says of its tools, and what one of them answers.
pub(super) struct Answers {
    pub(super) tools: Vec<String>,
    pub(super) called: Value,
    /// What the server calls itself.
    pub(super) server: Value,
}

/// Starts a server by the words that an agent was given, lists its tools and calls one.
pub(super) fn talk(
    sandbox: &Sandbox,
    words: &[String],
    env: &[(String, String)],
    call: &Value,
) -> Answers {
    let mut command = sandbox.command(Path::new(&words[0]));
    command.args(&words[1..]).envs(env.iter().cloned());
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |id: Option<u64>, method: &str, params: &Value| {
        let mut message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        if let Some(id) = id {
            message["id"] = id.into();
        }
        writeln!(input, "{message}").unwrap();
        id?;
        loop {
            let line = lines.next().expect("an answer").unwrap();
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == json!(id) {
                return Some(answer);
            }
        }
    };
    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    });
    let hello = ask(Some(1), "initialize", &hello).unwrap();
    ask(None, "notifications/initialized", &json!({}));
    let listed = ask(Some(2), "tools/list", &json!({})).unwrap();
    let called = ask(Some(3), "tools/call", call).unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());
    let tools = listed["result"]["tools"].as_array().unwrap();
    Answers {
        tools: tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect(),
        server: hello["result"]["serverInfo"]["name"].clone(),
        called,
    }
}
