//! Which agents there are, what they can do, and whether they work.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use orchestra_testkit::processes::alive;
use orchestra_testkit::{Sandbox, wait_until};
use serde_json::Value;

use crate::ran::{Ran, orchestra, ran, signal};
use crate::world::PATIENCE;

fn agent(listing: &Value, name: &str) -> Value {
    let agents = listing["agents"].as_array().unwrap();
    let found = agents.iter().find(|agent| agent["name"] == name);
    found
        .unwrap_or_else(|| panic!("no {name} in {listing}"))
        .clone()
}

#[test]
fn agents_are_listed_with_what_they_can_do() {
    let sandbox = Sandbox::new();
    let listing = orchestra(&sandbox, &["agents", "list", "--json"])
        .ok()
        .json();
    let demo = agent(&listing, "demo");
    assert_eq!(demo["login"], "not_needed");
    assert!(
        demo["version"].as_str().unwrap().starts_with("0.0."),
        "{demo}"
    );
    assert_eq!(demo["abilities"]["resume"], true);
    for name in ["claude", "codex", "opencode"] {
        assert_eq!(agent(&listing, name)["program"], Value::Null, "{name}");
    }
    let cost = |name: &str| agent(&listing, name)["abilities"]["cost"].clone();
    assert_eq!(
        (cost("claude"), cost("codex")),
        ("reported".into(), "estimated".into())
    );
    let shown = orchestra(&sandbox, &["agents", "list"]).ok().stdout;
    assert!(
        shown.contains("not installed") && shown.contains("resume"),
        "{shown}"
    );
}

#[test]
fn one_agent_is_shown_with_how_to_log_in() {
    let sandbox = Sandbox::new();
    let shown = orchestra(&sandbox, &["agents", "show", "amp"]).ok().stdout;
    assert!(shown.contains("amp login"), "{shown}");
    let shown = orchestra(&sandbox, &["agents", "show", "demo"]).ok().stdout;
    assert!(shown.contains("it needs no login"), "{shown}");
    let unknown = orchestra(&sandbox, &["agents", "show", "apm"]);
    assert!(
        unknown.stderr.contains("did you mean `amp`?"),
        "{unknown:?}"
    );
}

#[test]
fn an_agent_of_the_users_own_is_listed_and_one_without_a_protocol_is_told() {
    let sandbox = Sandbox::new();
    let set = |key: &str, value: &str| orchestra(&sandbox, &["config", "set", key, value]);
    set("agents.mine.protocol", "acp").ok();
    set("agents.mine.command", "/bin/true --acp").ok();
    let mine = orchestra(&sandbox, &["agents", "show", "mine", "--json"])
        .ok()
        .json();
    assert_eq!(
        (&mine["protocol"], &mine["program"]),
        (&"acp".into(), &"/bin/true".into())
    );
    set("agents.other.command", "x").ok();
    let warned = orchestra(&sandbox, &["agents", "list"]).ok().stderr;
    assert!(warned.contains("agents.other.command"), "{warned}");
}

#[test]
fn a_script_is_run_by_node() {
    let sandbox = Sandbox::new();
    let script = sandbox.path("amp.js");
    fs::write(&script, "console.log('1.2.3 of a script')\n").unwrap();
    let set = |key: &str, value: &str| orchestra(&sandbox, &["config", "set", key, value]).ok();
    set("agents.mine.protocol", "amp");
    set("agents.mine.command", script.to_str().unwrap());
    let mine = orchestra(&sandbox, &["agents", "show", "mine", "--json"]).ok();
    assert_eq!(mine.json()["version"], "1.2.3");
}

#[test]
fn a_test_turn_tells_whether_the_agent_answers() {
    let sandbox = Sandbox::new();
    let passed = orchestra(&sandbox, &["agents", "test", "demo", "--json"])
        .ok()
        .json();
    assert_eq!(passed["passed"], true, "{passed}");
    assert_eq!(passed["end"]["kind"], "finished");
    let failed = failing(&sandbox, "overloaded");
    assert_eq!(failed.code, 4, "{failed:?}");
    assert!(failed.stdout.contains("did not answer"), "{failed:?}");
    assert!(failed.stderr.contains("takes requests again"), "{failed:?}");
    assert!(!failed.stderr.contains("log in"), "{failed:?}");
    let refused = failing(&sandbox, "unauthorized");
    assert!(refused.stderr.contains("says how to log in"), "{refused:?}");
}

fn failing(sandbox: &Sandbox, fault: &str) -> Ran {
    let mut command = sandbox.orchestra();
    command
        .args(["agents", "test", "demo"])
        .env("FAKE_AMP_FAULT", fault);
    ran(command)
}

#[test]
fn an_agent_that_hangs_is_ended_when_the_time_is_over() {
    let sandbox = Sandbox::new();
    let late = tried(&sandbox, "command", "sleep 600", "1s");
    assert_eq!(late.code, 4, "{late:?}");
    assert!(late.stdout.contains("no answer within 1s"), "{late:?}");
}

/// A test turn of an agent that is this script.
fn tried(sandbox: &Sandbox, protocol: &str, script: &str, timeout: &str) -> Ran {
    let program = sandbox.path("agent");
    let script = format!("#!/bin/sh\ncase $1 in --help|--version) exit 0;; esac\n{script}\n");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let set = |key: &str, value: &str| orchestra(sandbox, &["config", "set", key, value]).ok();
    set("agents.mine.protocol", protocol);
    set("agents.mine.command", program.to_str().unwrap());
    set("core.stop_grace", "1s");
    orchestra(sandbox, &["agents", "test", "mine", "--timeout", timeout])
}

/// Agents whose programs never tell their version, and the files into which each writes its number.
fn hanging(sandbox: &Sandbox) -> [PathBuf; 2] {
    let program = sandbox.path("agent");
    fs::write(&program, "#!/bin/sh\necho $$ > \"$1\"\nsleep 600\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let set = |key: &str, value: &str| orchestra(sandbox, &["config", "set", key, value]).ok();
    ["one", "two"].map(|name| {
        let file = sandbox.path(name);
        let command = format!("{} {}", program.display(), file.display());
        set(&format!("agents.{name}.protocol"), "amp");
        set(&format!("agents.{name}.command"), &command);
        file
    })
}

fn number_in(file: &Path) -> Option<u32> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

#[test]
fn an_agent_that_never_tells_its_version_holds_nobody_up() {
    let sandbox = Sandbox::new();
    let files = hanging(&sandbox);
    let begun = Instant::now();
    let listing = orchestra(&sandbox, &["agents", "list", "--json"]).ok();
    assert!(begun.elapsed() < Duration::from_secs(25), "{begun:?}");
    assert_eq!(agent(&listing.json(), "one")["version"], Value::Null);
    for file in &files {
        assert!(!alive(number_in(file).unwrap()), "it was ended");
    }
}

#[test]
fn a_question_to_an_agent_ends_with_whoever_asks() {
    let sandbox = Sandbox::new();
    let [file, _] = hanging(&sandbox);
    let mut command = sandbox.orchestra();
    let mut asking = command.args(["agents", "show", "one"]).spawn().unwrap();
    wait_until("it was asked", PATIENCE, || number_in(&file).is_some());
    signal(&sandbox, "TERM", asking.id().into());
    asking.wait().unwrap();
    let number = number_in(&file).unwrap();
    wait_until("it was ended", PATIENCE, || !alive(number));
}

#[test]
fn prices_that_are_not_there_are_told() {
    let sandbox = Sandbox::new();
    let file = sandbox.path("no-prices.toml");
    let file = file.to_str().unwrap();
    orchestra(&sandbox, &["config", "set", "agents.price_file", file]).ok();
    let warned = orchestra(&sandbox, &["agents", "list"]).ok().stderr;
    assert!(warned.contains(file), "{warned}");
    assert!(warned.contains("agents.price_file"), "{warned}");
    fs::write(file, "").unwrap();
    let fine = orchestra(&sandbox, &["agents", "list"]).ok().stderr;
    assert!(!fine.contains(file), "{fine}");
}

#[test]
fn a_test_turn_keeps_the_limit_of_output() {
    let sandbox = Sandbox::new();
    orchestra(&sandbox, &["config", "set", "core.max_output", "64KiB"]).ok();
    let flood = tried(
        &sandbox,
        "command",
        "yes | head -c 1000000; sleep 600",
        "60s",
    );
    assert_eq!(flood.code, 4, "{}", flood.stderr);
    let end = flood.stdout.lines().last().unwrap();
    assert!(end.contains("printed more than 65536 bytes"), "{end}");
}

#[test]
fn a_test_turn_ends_with_the_last_complaint() {
    let sandbox = Sandbox::new();
    let complaints = "yes 'all is well' | head -n 1000 >&2; echo 'no such model' >&2; exit 1";
    let failed = tried(&sandbox, "amp", complaints, "60s");
    assert_eq!(failed.code, 4, "{}", failed.stderr);
    assert!(failed.stdout.contains("no such model"), "{}", failed.stdout);
}

#[test]
fn a_test_turn_tells_what_was_said_last() {
    let sandbox = Sandbox::new();
    let lines = [
        r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}"#,
        r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Half of it"}}}}"#,
    ];
    let said = format!("cat <<'E'\n{}\nE\nexit 1", lines.join("\n"));
    let failed = tried(&sandbox, "acp", &said, "60s");
    assert_eq!(failed.code, 4, "{failed:?}");
    assert!(failed.stdout.contains("Half of it"), "{failed:?}");
}

#[test]
fn a_test_turn_refuses_every_tool() {
    let sandbox = Sandbox::new();
    let script = r#"while [ $# -gt 0 ]; do
case $1 in --settings-file) text=$(cat "$2");; --dangerously*) free=yes;; esac; shift; done
echo "settings $text, free $free" >&2; exit 1"#;
    let told = tried(&sandbox, "amp", script, "60s").stdout;
    assert!(told.contains(r#""action":"reject","tool":"*""#), "{told}");
    assert!(!told.contains("free yes"), "{told}");
}
