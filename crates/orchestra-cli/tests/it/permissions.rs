//! What an agent may do: rules decide, or the user is asked and the agent is told.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod waiting;

use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use orchestra_testkit::{Sandbox, wait_until};
use serde_json::Value;

use crate::ran::{ended, signal};
use crate::world::{PATIENCE, World};

/// Two turns that try the same: to tag a commit, and to write a file.
const TAG: &str = "pace_ms = 0\n[[step]]\ndo = 'git'\nargs = ['tag', 'wanted']\n\
                   [[step]]\ndo = 'write'\npath = 'work.txt'\ntext = \"done\\n\"\n";

fn has_tag(world: &World) -> bool {
    !world
        .repository
        .git(&["tag", "--list", "wanted"])
        .is_empty()
}

/// What the agent was told, turn by turn.
fn told(world: &World) -> Vec<String> {
    let threads = world.threads();
    let messages = threads[0]["messages"].as_array().unwrap();
    let of_user = messages.iter().filter(|message| message["role"] == "user");
    of_user
        .map(|message| message["text"].as_str().unwrap().to_owned())
        .collect()
}

fn transcript(world: &World) -> String {
    world.run(&["transcript", "one"]).ok().stdout
}

#[test]
fn what_is_asked_waits_for_the_user_and_happens_once() {
    let world = World::with_scenario(TAG);
    let made = world.session_with("one", &["--permissions", "ask"]);
    world
        .run(&["iterate", "one"])
        .ends_with(6)
        .says("wants to run `git tag wanted`")
        .says("--allow | --reject");
    assert!(!has_tag(&world), "it was not done");
    assert!(made.worktree.join("work.txt").exists(), "the turn went on");
    let status = world.json(&["status", "one"]);
    let session = &status["session"];
    assert_eq!(session["status"], "awaiting_input");
    assert_eq!(session["permissions"], "ask");
    assert_eq!(session["questions"][0]["what"], "run `git tag wanted`");
    assert_eq!(session["questions"][0]["number"], 1);
    world
        .orchestra(&[])
        .ok()
        .says("wants to run `git tag wanted` (question 1)");
    let shown = world.run(&["status", "one"]).ok().stdout;
    assert!(
        shown.contains("wants to run `git tag wanted` (question 1)"),
        "{shown}"
    );
    let subject = world
        .repository
        .git(&["log", "-1", "--format=%s", &made.branch]);
    assert!(subject.ends_with("Greet amp"), "{subject}");
    world
        .run(&["answer", "one", "do it"])
        .refuses(3, "it asks for a permission")
        .says("--allow");
    world
        .run(&["iterate", "one"])
        .refuses(3, "it asks for a permission");
    world
        .run(&["answer", "one", "--allow", "--question", "7"])
        .refuses(2, "question 7 is not open");

    world
        .run(&["answer", "one", "--allow", "Only this once"])
        .ok();
    assert!(has_tag(&world), "it was done");
    let told = told(&world);
    assert_eq!(
        told[1],
        "The operator allowed you to run `git tag wanted`. Only this once\nGo on with the task."
    );
    let shown = transcript(&world);
    assert!(shown.contains("? may it use"), "{shown}");
    assert!(
        shown.contains("* allow: by the user: Only this once"),
        "{shown}"
    );
    let events = "SELECT count(*) FROM events WHERE body LIKE '%\"permission_%'";
    assert_eq!(world.count(events), 2);

    world.repository.git(&["tag", "--delete", "wanted"]);
    world.run(&["iterate", "one"]).ends_with(6);
    assert!(!has_tag(&world), "the decision was used up");
    world
        .run(&["answer", "one", "--reject", "No tags"])
        .ok()
        .says("rejected by the operator: No tags");
    assert!(!has_tag(&world));
    world.run(&["status", "one"]).ok().says("idle");
}

#[test]
fn rules_decide_without_anybody() {
    let world = World::with_scenario(TAG);
    world.session_with("one", &["--permissions", "rules"]);
    world
        .run(&["iterate", "one"])
        .ok()
        .says("no rule of this session allows it");
    assert!(!has_tag(&world));
    world
        .run(&["set", "one", "rules", "allow execute git tag *"])
        .ok();
    world.run(&["iterate", "one"]).ok();
    assert!(has_tag(&world));
    world
        .run(&["status", "one"])
        .ok()
        .says("its own rules: `allow execute git tag *`");
    let sandbox = Sandbox::new().with_variable(
        "ORCHESTRA_AGENTS_RULES",
        r#"["reject bash git tag*", "reject shell_command", "allow *"]"#,
    );
    let path = sandbox.scenario(TAG);
    let world = World::of(sandbox.with_knob("scenario", &path.to_string_lossy()));
    world.session_with("one", &["--permissions", "ask"]);
    world
        .run(&["iterate", "one"])
        .ok()
        .says("rejected by the rule");
    assert!(!has_tag(&world));
}

#[test]
fn always_makes_a_rule_of_the_session() {
    let world = World::with_scenario(TAG);
    world.session_with("one", &["--permissions", "ask"]);
    world.run(&["iterate", "one"]).ends_with(6);
    world.run(&["answer", "one", "--allow", "--always"]).ok();
    world.repository.git(&["tag", "--delete", "wanted"]);
    world.run(&["iterate", "one"]).ok();
    assert!(has_tag(&world));
    let rules = &world.json(&["status", "one"])["session"]["rules"];
    assert!(
        rules[0].as_str().unwrap().ends_with(" git tag wanted"),
        "{rules}"
    );
    world.run(&["set", "one", "rules", ""]).ok();
    world.run(&["iterate", "one"]).ends_with(6);
}

#[test]
fn nothing_is_allowed_in_passing() {
    let world = World::with_scenario(TAG);
    world.session_with("one", &["--permissions", "ask"]);
    world.run(&["iterate", "one"]).ends_with(6);
    for all in ["allow", ""] {
        world
            .run(&["set", "one", "permissions", all])
            .refuses(3, "it asks for a permission")
            .says(
                "answer one --allow"
                    .replace("one", &world.made("one").id)
                    .as_str(),
            );
    }
    world.run(&["set", "one", "permissions", "rules"]).ok();
    assert_eq!(
        world.count("SELECT count(*) FROM questions WHERE decision IS NULL"),
        1
    );
    world.run(&["answer", "one", "--reject"]).ok();
    world.run(&["set", "one", "permissions", "allow"]).ok();
    world.run(&["iterate", "one"]).ok();
    assert!(has_tag(&world));
}

#[test]
fn rules_without_effect_are_told_of() {
    let world = World::with_scenario(TAG);
    world.session("one");
    let idle = "no effect, since its permissions are `allow`";
    let rule = "reject execute git tag*";
    world.run(&["set", "one", "rules", rule]).ok().says(idle);
    let quiet = world.run(&["set", "one", "permissions", "ask"]).ok();
    assert!(!quiet.stderr.contains(idle), "{}", quiet.stderr);
    world
        .run(&["set", "one", "permissions", "allow"])
        .ok()
        .says(idle);
    let rules = r#"["allow read"]"#;
    world
        .orchestra(&["config", "set", "agents.rules", rules])
        .ok()
        .says("agents.permissions is `allow`");
    let new = |name, more: &[&str]| {
        let words = [&["new", "--name", name, "--prompt", "Go"], more].concat();
        world.run(&words).ok().stderr
    };
    assert!(new("two", &[]).contains(idle));
    for policy in ["ask", "allow"] {
        let told = new(policy, &["--permissions", policy]);
        assert!(!told.contains(idle), "{told}");
    }
}

#[test]
fn several_questions_are_decided_one_by_one() {
    let two = "pace_ms = 0\n[[step]]\ndo = 'git'\nargs = ['tag', 'wanted']\n\
               [[step]]\ndo = 'git'\nargs = ['tag', 'other']\n";
    let world = World::with_scenario(two);
    world.session_with("one", &["--permissions", "ask"]);
    world.run(&["iterate", "one"]).ends_with(6);
    world
        .run(&["answer", "one", "--question", "1", "--allow"])
        .ok()
        .says("still wants to run `git tag other`");
    assert!(!has_tag(&world), "the agent waits for the rest");
    world
        .run(&["answer", "one", "--question", "1", "--reject"])
        .refuses(3, "question 1 (to run `git tag wanted`) was allowed");
    world
        .run(&["set", "one", "agent", "demo"])
        .refuses(3, "it asks for a permission");
    let left = world.json(&["status", "one"]);
    assert_eq!(left["session"]["questions"].as_array().unwrap().len(), 1);
    world
        .run(&["answer", "one", "--question", "2", "--reject"])
        .ok();
    assert!(has_tag(&world));
    assert_eq!(world.repository.git(&["tag", "--list", "other"]), "");
}

#[test]
fn what_was_decided_and_not_told_stands() {
    let world = World::with_scenario(TAG);
    world.session_with("one", &["--permissions", "ask"]);
    world.run(&["iterate", "one"]).ends_with(6);
    // Whoever decided died before the next turn.
    let store = world.writable_store();
    let decided = "UPDATE questions SET decision = 'allow', decided_at = asked_at";
    store.execute_batch(decided).unwrap();
    world
        .run(&["answer", "one", "--reject", "No tags"])
        .refuses(3, "it is decided already")
        .says("--question 1 --allow");
    assert_eq!(told(&world).len(), 1);
    world.run(&["answer", "one", "--allow"]).ok();
    assert!(has_tag(&world));
    assert_eq!(
        world.count("SELECT count(*) FROM questions WHERE told_at IS NOT NULL"),
        1
    );
}

/// The agent hears again that it is allowed, so it must be.
#[test]
fn a_decision_holds_for_a_turn_that_is_resumed() {
    let world = World::with_scenario(TAG);
    let made = world.session_with("one", &["--permissions", "ask"]);
    world.run(&["iterate", "one"]).ends_with(6);
    let scenario = world.sandbox.path("scenarios/scenario-0.toml");
    let sleeps = format!("[[step]]\ndo = 'sleep'\nmilliseconds = 60000\n{TAG}");
    let sleeps = sleeps.replacen("pace_ms = 0\n", "", 1);
    std::fs::write(&scenario, sleeps).unwrap();
    for words in [
        &["answer", "one", "--allow", "--detach"][..],
        &["resume", "one", "--detach"],
    ] {
        world.run(words).ok();
        let number = world.count("SELECT max(number) FROM iterations");
        let number = u32::try_from(number).unwrap();
        wait_until("the agent was told", PATIENCE, || {
            told(&world).len() >= number as usize
        });
        signal(&world.sandbox, "KILL", world.runner(&made, number).into());
        wait_until("it is noticed", PATIENCE, || {
            world.json(&["status", "one"])["session"]["status"] == "interrupted"
        });
    }
    std::fs::write(&scenario, TAG).unwrap();
    world.run(&["resume", "one"]).ok();
    assert!(has_tag(&world), "{:?}", told(&world));
    assert_eq!(world.count("SELECT count(*) FROM questions"), 1);
}

#[test]
fn a_decision_that_cannot_be_told_is_not_made() {
    let world = World::with_scenario(TAG);
    world.session_with("one", &["--permissions", "ask"]);
    world.run(&["iterate", "one"]).ends_with(6);
    let gone = "agents.amp.command=/no/such/agent";
    world
        .run(&["answer", "one", "--allow", "--set-config", gone])
        .refuses(4, "was not found");
    let asked = world.json(&["status", "one"])["session"]["questions"].clone();
    assert_eq!(asked[0]["number"], 1, "it is still open: {asked}");
    world.run(&["answer", "one", "--reject"]).ok();
    assert!(!has_tag(&world), "nothing of the first answer is left");
}

#[test]
fn who_decides_second_is_told_so() {
    let world = World::with_scenario(TAG);
    world.session_with("one", &["--permissions", "ask"]);
    world.run(&["iterate", "one"]).ends_with(6);
    let store = world.writable_store();
    store.execute_batch("BEGIN IMMEDIATE").unwrap();
    let second = world.start(&["answer", "one", "--allow", "--always"]);
    // Time to read that it is open. Whoever is slower sees that it is decided, which is refused as well.
    std::thread::sleep(Duration::from_secs(1));
    let first = "UPDATE questions SET decision = 'reject', decided_at = asked_at; COMMIT";
    store.execute_batch(first).unwrap();
    ended(second)
        .refuses(3, "it is decided already")
        .says("question 1 (to run `git tag wanted`) was rejected at");
    assert_eq!(
        world.json(&["status", "one"])["session"]["rules"],
        serde_json::json!([])
    );
    let used = "SELECT count(*) FROM questions WHERE used_at IS NOT NULL";
    assert_eq!(world.count(used), 0);
}

#[test]
fn a_permission_that_was_not_used_ends_with_the_next_turn() {
    let turns = "pace_ms = 0\n\
                 [[turn]]\nsteps = [{ do = 'git', args = ['tag', 'wanted'] }]\n\
                 [[turn]]\nsteps = [{ do = 'write', path = 'work.txt', text = 'done' }]\n\
                 [[turn]]\nsteps = [{ do = 'git', args = ['tag', 'wanted'] }]\n";
    let world = World::with_scenario(turns);
    world.session_with("one", &["--permissions", "ask"]);
    world.run(&["iterate", "one"]).ends_with(6);
    world.run(&["answer", "one", "--allow"]).ok();
    world
        .run(&["iterate", "one"])
        .ends_with(6)
        .says("wants to run `git tag wanted`");
    assert!(!has_tag(&world));
}

#[test]
fn the_scripted_agent_asks_as_amp_does() {
    let push =
        "pace_ms = 0\n[[step]]\ndo = 'permission'\ntool = 'Bash'\n[step.input]\ncmd = 'git push'\n";
    let world = World::with_scenario(push);
    world.session_with("one", &["--permissions", "ask"]);
    world
        .run(&["iterate", "one"])
        .ends_with(6)
        .says("I was not allowed to use Bash.")
        .says("wants to run `git push` (question 1)");
    let answered = world.run(&["answer", "one", "--allow"]).ok();
    assert!(
        !answered.stdout.contains("not allowed"),
        "{}",
        answered.stdout
    );
}

#[test]
fn a_secret_is_not_part_of_the_question() {
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let scenario = format!(
        "pace_ms = 0\n[[step]]\ndo = 'tool_call'\nname = 'Bash'\n[step.input]\ncmd = 'curl -H {secret} x'\n"
    );
    let world = World::with_scenario(&scenario);
    world.session_with("one", &["--permissions", "ask"]);
    world
        .run(&["iterate", "one"])
        .ends_with(6)
        .says("run `curl -H *** x`");
    let kept = world.value("SELECT tool_use FROM questions").unwrap();
    assert!(!kept.contains(secret), "{kept}");
    world
        .run(&["answer", "one", "--allow", "--always"])
        .refuses(2, "has a secret in it");
    world.run(&["answer", "one", "--allow"]).ok();
}

#[test]
fn the_hook_knows_the_secrets_that_the_environment_tells_of() {
    let scenario = "pace_ms = 0\n[[step]]\ndo = 'tool_call'\nname = 'Bash'\n[step.input]\ncmd = 'login house-1234'\n";
    let patterns = ("ORCHESTRA_SECURITY_REDACT_PATTERNS", "house-[0-9]+");
    let sandbox = Sandbox::new().with_variable(patterns.0, patterns.1);
    let path = sandbox.scenario(scenario);
    let world = World::of(sandbox.with_knob("scenario", &path.to_string_lossy()));
    world.session_with("one", &["--permissions", "ask"]);
    world.run(&["iterate", "one"]).ends_with(6);
    let kept = world.value("SELECT tool_use FROM questions").unwrap();
    assert!(!kept.contains("house-1234"), "{kept}");
}

#[test]
fn uses_that_differ_in_a_secret_alone_are_decided_each() {
    let login = |word: &str| {
        format!("[[step]]\ndo = 'tool_call'\nname = 'Bash'\n[step.input]\ncmd = 'login {word}'\n")
    };
    let scenario = format!(
        "pace_ms = 0\n{}{}",
        login("house-1234"),
        login("house-5678")
    );
    let patterns = ("ORCHESTRA_SECURITY_REDACT_PATTERNS", "house-[0-9]+");
    let sandbox = Sandbox::new().with_variable(patterns.0, patterns.1);
    let path = sandbox.scenario(&scenario);
    let world = World::of(sandbox.with_knob("scenario", &path.to_string_lossy()));
    world.session_with("one", &["--permissions", "ask"]);
    world.run(&["iterate", "one"]).ends_with(6);
    assert_eq!(world.count("SELECT count(DISTINCT mark) FROM questions"), 2);
    assert_eq!(
        world.count("SELECT count(DISTINCT tool_use) FROM questions"),
        1
    );
    world
        .run(&["answer", "one", "--question", "1", "--allow"])
        .ok();
    world
        .run(&[
            "answer",
            "one",
            "--question",
            "2",
            "--reject",
            "Not that one",
        ])
        .ok();
    let used = "SELECT number FROM questions WHERE used_at IS NOT NULL";
    assert_eq!(world.count(used), 1, "the first alone was allowed");
    let shown = transcript(&world);
    assert_eq!(
        shown
            .matches("rejected by the operator: Not that one")
            .count(),
        1
    );
    assert_eq!(
        world.count("SELECT count(*) FROM questions"),
        2,
        "nothing is asked again"
    );
}

#[test]
fn nothing_of_the_hook_is_left_of_a_runner_that_died() {
    let waits = "pace_ms = 0\n[[step]]\ndo = 'hang'\n";
    let world = World::with_scenario(waits);
    let made = world.session_with("one", &["--permissions", "ask"]);
    world.run(&["iterate", "one", "--detach"]).ok();
    world.wait_for_progress(&made, 1, "agent");
    let output = world.sandbox.data_dir().join("output").join(&made.id);
    let hook = output.join("1.permission");
    wait_until("the hook is there", PATIENCE, || hook.exists());
    signal(&world.sandbox, "KILL", world.runner(&made, 1).into());
    wait_until("it is noticed", PATIENCE, || {
        world.json(&["status", "one"])["session"]["status"] == "interrupted"
    });
    assert!(!hook.exists() && !output.join("1.settings.json").exists());
}

#[test]
fn an_agent_gets_an_answer_while_the_store_is_locked() {
    let world = World::with_scenario(TAG);
    let made = world.session_with("one", &["--permissions", "ask"]);
    let store = world.writable_store();
    store.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut hook = world.sandbox.orchestra();
    hook.args(["__permission", &made.id, "1"])
        .env("AGENT_TOOL_NAME", "Bash")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped());
    let mut hook = hook.spawn().unwrap();
    let mut stdin = hook.stdin.take().unwrap();
    stdin.write_all(b"{\"cmd\":\"git push\"}").unwrap();
    drop(stdin);
    let answer = ended(hook);
    // It came first.
    store.execute_batch("COMMIT").unwrap();
    answer.ends_with(2).says("could not be told in time");
}

#[test]
fn an_agent_that_asks_nobody_is_not_started() {
    let sandbox = Sandbox::new().with_variable("ORCHESTRA_AGENTS_OWN_PROTOCOL", "command");
    let sandbox = sandbox.with_variable("ORCHESTRA_AGENTS_OWN_COMMAND", "true");
    let world = World::of(sandbox);
    world.session_with("one", &["--agent", "own", "--permissions", "ask"]);
    let made: Value = world.json(&["status", "one"]);
    assert_eq!(made["session"]["permissions"], "ask");
    world
        .run(&["iterate", "one"])
        .refuses(3, "asks nobody before it uses a tool");
    world
        .run(&["set", "one", "permissions", "sometimes"])
        .refuses(2, "not a policy");
    world.run(&["set", "one", "permissions", ""]).ok();
    assert_eq!(
        world.json(&["status", "one"])["session"]["permissions"],
        Value::Null
    );
}
