//! Running the scripted agent and reading what it printed.

use std::io::Write;
use std::process::{Output, Stdio};

use orchestra_testkit::Sandbox;
use serde_json::Value;

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The lines as JSON; a line that is none becomes `null`.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let lines = self.stdout.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap_or(Value::Null))
            .collect()
    }

    pub(crate) fn result(&self) -> Value {
        let last = self
            .lines()
            .into_iter()
            .rev()
            .find(|line| line["type"] == "result");
        last.unwrap_or_else(|| panic!("no result in {self:?}"))
    }

    pub(crate) fn thread(&self) -> String {
        self.lines()[0]["session_id"]
            .as_str()
            .expect("init names the thread")
            .to_owned()
    }
}

/// Runs the agent to its end.
pub(crate) fn run(sandbox: &Sandbox, arguments: &[&str]) -> Run {
    run_with(sandbox, arguments, "")
}

/// Runs the agent with words on standard input.
pub(crate) fn run_with(sandbox: &Sandbox, arguments: &[&str], input: &str) -> Run {
    let mut child = sandbox
        .fake_amp()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the agent starts");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    // An agent that refuses its options does not read.
    stdin.write_all(input.as_bytes()).ok();
    drop(stdin);
    Run::of(&child.wait_with_output().expect("the agent ends"))
}

/// Runs a scenario as one turn.
pub(crate) fn scenario(sandbox: &Sandbox, text: &str) -> Run {
    let path = sandbox.scenario(text);
    run(
        sandbox,
        &[
            "-x",
            &format!("scenario: {}", path.display()),
            "--stream-json",
        ],
    )
}

/// The texts the agent wrote, in order.
pub(crate) fn texts(run: &Run) -> Vec<String> {
    let assistant = run
        .lines()
        .into_iter()
        .filter(|line| line["type"] == "assistant");
    let blocks = assistant.flat_map(|line| {
        line["message"]["content"]
            .as_array()
            .expect("content is a list")
            .clone()
    });
    blocks
        .filter_map(|block| Some(block["text"].as_str()?.to_owned()))
        .collect()
}

#[test]
fn a_transcript_has_amps_lines_in_amps_order() {
    let sandbox = Sandbox::new().with_knob("build", "jan");
    let repository = sandbox.repository("app");
    repository.write("hello.txt", "hello world\n");
    let run = scenario(
        &sandbox,
        "[[step]]\ndo = 'message'\ntext = 'Updating the greeting.'\n\
         [[step]]\ndo = 'edit'\npath = 'hello.txt'\nold = 'hello world'\nnew = 'hello amp'\n\
         [[step]]\ndo = 'message'\ntext = 'Done: hello.txt now greets amp.'\n",
    );
    let kinds: Vec<String> = run
        .lines()
        .iter()
        .map(|line| line["type"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        kinds,
        ["system", "user", "assistant", "user", "assistant", "result"]
    );
    let lines: Vec<&str> = run.stdout.lines().collect();
    let root = repository.root().to_string_lossy().into_owned();
    let thread = run.thread();
    assert_eq!(
        lines[2],
        format!(
            r#"{{"type":"assistant","message":{{"type":"message","role":"assistant","content":[{{"type":"text","text":"Updating the greeting."}},{{"type":"tool_use","id":"toolu_01EDIT_FILE","name":"edit_file","input":{{"new_str":"hello amp","old_str":"hello world","path":"{root}/hello.txt"}}}}],"stop_reason":"tool_use","usage":{{"input_tokens":12,"cache_creation_input_tokens":900,"cache_read_input_tokens":100,"output_tokens":40,"max_tokens":168000,"service_tier":"standard"}}}},"parent_tool_use_id":null,"session_id":"{thread}"}}"#
        )
    );
    let result = run.result();
    assert_eq!(result["num_turns"], 2);
    assert_eq!(result["result"], "Done: hello.txt now greets amp.");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert_eq!(repository.read("hello.txt"), "hello amp\n");
}

#[test]
fn a_prompt_comes_by_argument_by_stdin_or_both() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let echo = |run: &Run| run.lines()[1]["message"]["content"].clone();
    let argument = run(&sandbox, &["-x", "do it", "--stream-json"]);
    assert_eq!(echo(&argument)[0]["text"], "do it");
    let stdin = run_with(&sandbox, &["-x", "--stream-json"], "do this\n");
    assert_eq!(echo(&stdin)[0]["text"], "do this");
    let both = run_with(&sandbox, &["-x", "do it", "--stream-json"], "log");
    assert!(
        echo(&both)[0]["text"]
            .as_str()
            .unwrap()
            .starts_with("Input received on stdin:\n```")
    );
    assert_eq!(echo(&both)[1]["text"], "do it");
}

#[test]
fn plain_execution_prints_only_the_last_words() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let implied = run_with(&sandbox, &[], "improve README.md");
    assert_eq!(implied.code, Some(0));
    assert_eq!(implied.stdout.lines().count(), 1);
    assert!(implied.stdout.starts_with("Done: `README.md`"));
    let stats = run(&sandbox, &["-x", "improve README.md", "--stats"]);
    assert!(stats.lines()[0]["usage"]["output_tokens"].is_u64());
}

#[test]
fn json_input_gives_one_result_at_its_end() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let line = |text: &str| {
        format!(
            r#"{{"type":"user","message":{{"role":"user","content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    let flags = ["-x", "--stream-json", "--stream-json-input"];
    let together = run_with(
        &sandbox,
        &flags,
        &format!("{}\n{}\n", line("one"), line("two")),
    );
    let count = |run: &Run, kind: &str| {
        run.lines()
            .iter()
            .filter(|line| line["type"] == kind)
            .count()
    };
    assert_eq!(count(&together, "result"), 1);
    let ended = together
        .lines()
        .iter()
        .filter(|line| line["message"]["stop_reason"] == "end_turn")
        .count();
    assert_eq!(ended, 1, "two lines before it was ready get one answer");

    let bad = run_with(&sandbox, &flags, "{\n");
    assert!(
        bad.result()["error"]
            .as_str()
            .unwrap()
            .starts_with("Invalid JSON on stdin line 1: ")
    );
    assert_eq!(bad.code, Some(0));
    let none = run_with(&sandbox, &flags, "");
    assert_eq!(none.result()["error"], "No valid messages found in stdin");
}

#[test]
fn json_input_is_answered_turn_by_turn() {
    use std::io::{BufRead, BufReader};
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let mut child = sandbox
        .fake_amp()
        .args(["-x", "--stream-json", "--stream-json-input"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for text in ["first", "second"] {
        let line = format!(
            r#"{{"type":"user","message":{{"role":"user","content":[{{"type":"text","text":"{text}"}}]}}}}"#
        );
        writeln!(stdin, "{line}").unwrap();
        assert!(lines.any(|line| line.unwrap().contains("\"end_turn\"")));
    }
    drop(stdin);
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert_eq!(rest.len(), 1);
    assert!(
        rest[0].contains("\"subtype\":\"success\"") && rest[0].contains("\"num_turns\":6"),
        "{rest:?}"
    );
    assert!(child.wait().unwrap().success());
}
