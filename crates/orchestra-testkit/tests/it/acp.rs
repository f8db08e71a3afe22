//! The scripted agent over the Agent Client Protocol.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use orchestra_testkit::Sandbox;
use serde_json::{Value, json};

/// A conversation with an agent that was started.
struct Talk {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u32,
    /// What it told since the last answer.
    told: Vec<Value>,
}

impl Talk {
    fn begin(sandbox: &Sandbox) -> Self {
        let mut command = sandbox.fake_amp();
        command
            .arg("acp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut talk = Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            asked: 0,
            told: Vec::new(),
        };
        let hello = talk.ask("initialize", &json!({"protocolVersion": 1}));
        assert_eq!(hello["result"]["agentCapabilities"]["loadSession"], true);
        talk
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    fn start(&mut self, method: &str, params: &Value) {
        self.asked += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}));
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.start(method, params);
        self.answer()
    }

    /// Reads until the answer to the last request.
    fn answer(&mut self) -> Value {
        self.told.clear();
        loop {
            let line = self.line();
            if line["id"] == self.asked && line.get("method").is_none() {
                return line;
            }
            self.told.push(line);
        }
    }

    fn line(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn open(&mut self, sandbox: &Sandbox) -> String {
        let cwd = sandbox.path("repositories").join("app");
        let opened = self.ask("session/new", &json!({"cwd": cwd, "mcpServers": []}));
        opened["result"]["sessionId"].as_str().unwrap().to_owned()
    }

    fn prompt(&mut self, sandbox: &Sandbox, session: &str, scenario: &str) {
        let path = sandbox.scenario(scenario);
        let text = format!("scenario: {}", path.display());
        let prompt = json!([{"type": "text", "text": text}]);
        self.start(
            "session/prompt",
            &json!({"sessionId": session, "prompt": prompt}),
        );
    }

    fn updates(&self, kind: &str) -> Vec<Value> {
        let updates = self
            .told
            .iter()
            .map(|line| line["params"]["update"].clone());
        updates
            .filter(|update| update["sessionUpdate"] == kind)
            .collect()
    }

    /// Ends standard input, and waits.
    fn leave(self) -> Option<i32> {
        let Self {
            mut child, input, ..
        } = self;
        drop(input);
        child.wait().unwrap().code()
    }
}

fn world() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    sandbox
}

#[test]
fn a_turn_is_told_and_its_conversation_continued() {
    let sandbox = world();
    let mut talk = Talk::begin(&sandbox);
    let session = talk.open(&sandbox);
    let steps = "[[step]]\ndo = 'thinking'\ntext = 'Hm.'\n[[step]]\ndo = 'write'\npath = 'a.txt'\ntext = 'a'\n[[step]]\ndo = 'message'\ntext = 'Written.'\n";
    talk.prompt(&sandbox, &session, steps);
    let answer = talk.answer();
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    assert!(answer["result"]["usage"]["totalTokens"].as_u64().unwrap() > 0);
    assert_eq!(talk.updates("agent_thought_chunk").len(), 1);
    let call = &talk.updates("tool_call")[0];
    assert_eq!(
        (&call["kind"], &call["status"]),
        (&json!("edit"), &json!("pending"))
    );
    let updates = talk.updates("tool_call_update");
    assert_eq!(updates[0]["content"][0]["newText"], "a");
    assert_eq!(updates[1]["status"], "completed");
    assert_eq!(talk.leave(), Some(0));

    let mut talk = Talk::begin(&sandbox);
    let cwd = sandbox.path("repositories").join("app");
    let params = json!({"cwd": cwd, "mcpServers": [], "sessionId": session});
    let loaded = talk.ask("session/load", &params);
    assert!(loaded["result"].is_object(), "{loaded}");
    assert_eq!(talk.updates("user_message_chunk").len(), 1);
    let said = &talk.updates("agent_message_chunk")[0];
    assert_eq!(said["content"]["text"], "Written.");
    let gone = json!({"cwd": cwd, "sessionId": "T-1"});
    let refused = talk.ask("session/load", &gone);
    assert_eq!(refused["error"]["code"], -32002);
}

#[test]
fn a_permission_is_asked_for_and_the_answer_obeyed() {
    let sandbox = world();
    let steps = "[[step]]\ndo = 'permission'\ntool = 'Bash'\n[step.input]\ncmd = 'make'\n";
    for (option, says) in [
        ("allow_once", "Done."),
        ("reject_once", "I was not allowed to use Bash."),
    ] {
        let mut talk = Talk::begin(&sandbox);
        let session = talk.open(&sandbox);
        talk.prompt(&sandbox, &session, steps);
        let asked = loop {
            let line = talk.line();
            if line["method"] == "session/request_permission" {
                break line;
            }
        };
        assert_eq!(asked["params"]["toolCall"]["rawInput"]["cmd"], "make");
        let outcome = json!({"outcome": {"outcome": "selected", "optionId": option}});
        talk.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": outcome}));
        assert_eq!(talk.answer()["result"]["stopReason"], "end_turn");
        assert_eq!(
            talk.updates("agent_message_chunk")[0]["content"]["text"],
            says
        );
    }
}

#[test]
fn a_turn_ends_when_it_is_cancelled_and_fails_in_the_words_of_the_protocol() {
    let sandbox = world();
    let mut talk = Talk::begin(&sandbox);
    let session = talk.open(&sandbox);
    talk.prompt(
        &sandbox,
        &session,
        "[[step]]\ndo = 'message'\ntext = 'x'\n[[step]]\ndo = 'hang'\n",
    );
    assert_eq!(talk.line()["method"], "session/update");
    let params = json!({"sessionId": session});
    talk.send(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": params}));
    assert_eq!(talk.answer()["result"]["stopReason"], "cancelled");

    talk.prompt(&sandbox, &session, "[[turn]]\nfault = 'overloaded'\n");
    let error = talk.answer()["error"].clone();
    assert_eq!(error["code"], -32603);
    assert!(
        error["data"]["details"]
            .as_str()
            .unwrap()
            .contains("overloaded")
    );
    talk.prompt(&sandbox, &session, "[[turn]]\nfault = 'unauthorized'\n");
    assert_eq!(talk.answer()["error"]["code"], -32000);
    talk.prompt(
        &sandbox,
        &session,
        "[[step]]\ndo = 'exit_without_result'\ncode = 7\n",
    );
    assert_eq!(talk.child.wait().unwrap().code(), Some(7));
}
