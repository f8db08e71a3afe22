//! The scripted agent speaking as other agents do.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write;
use std::process::{Command, Stdio};

use orchestra_testkit::Sandbox;
use serde_json::Value;

const CODEX: &[&str] = &["exec", "--json"];
const CLAUDE: &[&str] = &["-p", "--output-format", "stream-json", "--verbose"];

/// What was printed, and the exit code.
fn lines(sandbox: &Sandbox, words: &[&str], prompt: &str) -> (Vec<Value>, Option<i32>) {
    let mut command: Command = sandbox.fake_amp();
    command.args(words).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(prompt.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    (lines.collect(), output.status.code())
}

fn kinds(lines: &[Value]) -> Vec<String> {
    let kind = |line: &Value| match line["item"]["type"].as_str() {
        Some(item) => format!("{} {item}", line["type"].as_str().unwrap()),
        None => line["type"].as_str().unwrap().to_owned(),
    };
    lines.iter().map(kind).collect()
}

#[test]
fn codex_has_items_and_counts_the_whole_thread() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let path = sandbox.scenario(
        "[[step]]\ndo = 'thinking'\ntext = 'hm'\n[[step]]\ndo = 'write'\npath = 'a.txt'\ntext = 'a'\n\
         [[step]]\ndo = 'git'\nargs = ['status']\n[[step]]\ndo = 'message'\ntext = 'Done.'\n",
    );
    let prompt = format!("go\nscenario: {}", path.display());
    let (first, code) = lines(&sandbox, &[CODEX, &["-m", "x", "-"]].concat(), &prompt);
    assert_eq!(code, Some(0));
    assert_eq!(
        kinds(&first),
        [
            "thread.started",
            "turn.started",
            "item.completed reasoning",
            "item.started file_change",
            "item.completed file_change",
            "item.started command_execution",
            "item.completed command_execution",
            "item.completed agent_message",
            "turn.completed",
        ]
    );
    let thread = first[0]["thread_id"].as_str().unwrap();
    let (second, _) = lines(
        &sandbox,
        &[CODEX, &["resume", thread, "-"]].concat(),
        "more",
    );
    assert_eq!(second[0]["thread_id"], thread);
    let tokens = |lines: &[Value]| {
        let last = lines.last().unwrap();
        last["usage"]["output_tokens"].as_u64().unwrap()
    };
    assert!(tokens(&second) > tokens(&first));
    let gone = "00000000-0000-7000-a000-000000000000";
    let (none, code) = lines(&sandbox, &[CODEX, &["resume", gone, "-"]].concat(), "more");
    assert_eq!((none.len(), code), (0, Some(1)));
}

#[test]
fn claude_tells_model_and_cost() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let (told, code) = lines(&sandbox, CLAUDE, "Improve the README");
    assert_eq!(code, Some(0));
    assert!(told[0]["model"].is_string());
    let last = told.last().unwrap();
    assert!(last["total_cost_usd"].as_f64().unwrap() > 0.0);
    let sandbox = sandbox.with_knob("fault", "overloaded");
    let (told, code) = lines(&sandbox, CLAUDE, "Improve the README");
    assert_eq!(code, Some(1));
    let errors = &told.last().unwrap()["errors"];
    assert!(errors[0].as_str().unwrap().contains("overloaded"));
}
