//! A client that speaks MCP in lines, so that it can also speak it badly.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};

use crate::world::{PATIENCE, World};

/// A server and whoever talks with it.
pub(super) struct Client {
    pub(super) child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    /// What was told beside answers.
    pub(super) told: Vec<Value>,
    number: u64,
}

impl World {
    /// Starts `orchestra mcp serve <words>` and greets it.
    pub(super) fn serve(&self, words: &[&str]) -> Client {
        let mut command = self.sandbox.orchestra();
        command.args(["mcp", "serve"]).args(words);
        Client::of(command)
    }
}

impl Client {
    pub(super) fn of(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in stdout.lines() {
                let line = line.unwrap();
                let value = serde_json::from_str(&line)
                    .unwrap_or_else(|error| panic!("not the protocol: {line}: {error}"));
                if sender.send(value).is_err() {
                    return;
                }
            }
        });
        let mut client = Self {
            stdin: child.stdin.take(),
            child,
            lines,
            told: Vec::new(),
            number: 0,
        };
        client.greet();
        client
    }

    fn greet(&mut self) {
        let hello = self.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        assert_eq!(hello["result"]["serverInfo"]["name"], "orchestra");
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    }

    pub(super) fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    pub(super) fn send_line(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    /// Asks, and gives the number under which the answer comes.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> u64 {
        self.number += 1;
        let id = self.number;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub(super) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        self.answer_to(id)
    }

    /// The answer with this number; what comes before is kept.
    pub(super) fn answer_to(&mut self, id: u64) -> Value {
        if let Some(place) = self.told.iter().position(|value| value["id"] == id) {
            return self.told.remove(place);
        }
        loop {
            let value = self.lines.recv_timeout(PATIENCE);
            let value = value.unwrap_or_else(|_| panic!("no answer to {id}; told {:?}", self.told));
            if value["id"] == id {
                return value;
            }
            self.told.push(value);
        }
    }

    /// Calls a tool; the whole result.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.request(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        );
        answer["result"].clone()
    }

    /// Calls a tool that must succeed.
    pub(super) fn ok(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
        result["structuredContent"].clone()
    }

    /// Calls a tool that must be refused with a code, a message and a hint.
    pub(super) fn refused(&mut self, tool: &str, arguments: &Value, code: &str) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        let error = result["structuredContent"]["error"].clone();
        assert_eq!(error["code"], code, "{error}");
        assert!(
            error["message"].is_string() && error["hint"].is_string(),
            "{error}"
        );
        error
    }

    pub(super) fn tools(&mut self) -> Vec<Value> {
        let answer = self.request("tools/list", &json!({}));
        answer["result"]["tools"].as_array().unwrap().clone()
    }

    /// Makes a session and waits until its agent is done.
    pub(super) fn made(&mut self, name: &str) -> String {
        let created = self.ok(
            "session_create",
            &json!({ "name": name, "prompt": "Greet amp" }),
        );
        assert_eq!(created["warnings"], json!([]), "{created}");
        let waited = self.ok("session_wait", &json!({ "session": name }));
        assert_eq!(waited["at_rest"], true, "{waited}");
        created["session"]["id"].as_str().unwrap().to_owned()
    }

    /// Ends the conversation; the server must end well.
    pub(super) fn close(mut self) {
        self.stdin.take();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Only where a test failed before it closed.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
