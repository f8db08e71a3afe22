//! An agent that waits for the decision while it runs.

use std::time::Duration;

use orchestra_testkit::wait_until;
use serde_json::Value;

use crate::ran::signal;
use crate::world::{PATIENCE, World};

const PUSH: &str = "pace_ms = 0\n[[step]]\ndo = 'permission'\ntool = 'bash'\n[step.input]\ncommand = 'git push'\n\
                    [[step]]\ndo = 'write'\npath = 'work.txt'\ntext = \"done\\n\"\n";

/// A world whose agent speaks the Agent Client Protocol, with a session that asks.
fn asking(settings: &[(&str, &str)]) -> World {
    asking_in(PUSH, settings)
}

fn asking_in(scenario: &str, settings: &[(&str, &str)]) -> World {
    let world = World::with_scenario(scenario);
    let command = format!("{} acp", world.sandbox.agent_command());
    let own = [
        ("agents.fake.protocol", "acp"),
        ("agents.fake.command", command.as_str()),
    ];
    for (key, value) in own.iter().chain(settings) {
        world.orchestra(&["config", "set", key, value]).ok();
    }
    world.session_with("one", &["--agent", "fake", "--permissions", "ask"]);
    world
}

fn status(world: &World) -> Value {
    world.json(&["status", "one"])["session"].clone()
}

#[test]
fn the_agent_waits_and_goes_on_as_the_user_decides() {
    let world = asking(&[("core.idle_timeout", "4s")]);
    let made = world.made("one");
    world
        .run(&["iterate", "one"])
        .ends_with(6)
        .says("does without asking is not held up by its permissions: `ask`")
        .says("wants to run `git push`");
    let asked = status(&world);
    assert_eq!(asked["status"], "awaiting_input");
    assert_eq!(asked["needs_me"], true);
    assert_eq!(asked["last_iteration"]["state"], "running");
    let thread = &asked["last_iteration"]["thread"];
    assert!(thread.is_string(), "it is known: {asked}");
    assert_eq!(asked["thread"], *thread);
    assert!(!made.worktree.join("work.txt").exists(), "it waits");
    world
        .run(&["iterate", "one", "--notes", "n"])
        .refuses(3, "waits for an answer");
    world.run(&["wait", "one"]).ends_with(6);
    // A user who takes longer than an agent may be silent is no silent agent.
    std::thread::sleep(Duration::from_millis(4_500));
    assert_eq!(status(&world)["status"], "awaiting_input");
    world
        .run(&["answer", "one", "--allow", "Go ahead"])
        .ok()
        .says("* allow: by the user: Go ahead");
    assert!(made.worktree.join("work.txt").exists());
    assert_eq!(status(&world)["last_iteration"]["number"], 1, "one turn");
    assert_eq!(
        world.value("SELECT decision FROM questions").as_deref(),
        Some("allow")
    );

    world.run(&["iterate", "one"]).ends_with(6);
    world
        .run(&["answer", "one", "--reject", "--always"])
        .ok()
        .says("I was not allowed to use bash");
    world
        .run(&["iterate", "one"])
        .ok()
        .says("rejected by the rule");
    let told = "SELECT count(*) FROM events WHERE body LIKE '%session_status_changed%' AND body LIKE '%awaiting_input%'";
    assert_eq!(world.count(told), 4, "two questions came and went");
}

/// A user who is away must not keep all other sessions from their work.
#[test]
fn an_agent_that_waits_takes_no_slot() {
    let world = asking(&[("core.max_concurrent_sessions", "1")]);
    let made = world.made("one");
    world.run(&["iterate", "one"]).ends_with(6);
    world.orchestra(&["queue"]).ok().says("awaiting_input");
    let row = &world.json(&["queue"])["queue"][0];
    assert_eq!(row["session_status"], "awaiting_input");
    let other = world.session("two");
    world.run(&["iterate", "two"]).ok();
    assert!(other.worktree.join("work.txt").exists(), "it had the slot");

    let sleeps = "[[step]]\ndo = 'sleep'\nmilliseconds = 60000\n";
    let long = world.sandbox.scenario(sleeps);
    let prompt = format!("scenario: {}", long.display());
    world.session("three");
    world.run(&["set", "three", "prompt", &prompt]).ok();
    world.run(&["iterate", "three", "--detach"]).ok();
    wait_until("it runs", PATIENCE, || {
        world.json(&["status", "three"])["session"]["status"] == "running"
    });
    world.run(&["answer", "one", "--allow", "--detach"]).ok();
    wait_until("it is told that it waits", PATIENCE, || {
        let shown = world.run(&["transcript", "one"]).ok().stdout;
        shown.contains("as soon as a slot is free")
    });
    assert!(!made.worktree.join("work.txt").exists());
    world.run(&["stop", "three"]).ok();
    world.run(&["wait", "one"]).ok();
    assert!(made.worktree.join("work.txt").exists());
}

#[test]
fn an_agent_that_waits_can_be_stopped() {
    let world = asking(&[("core.stop_grace", "2s")]);
    world.run(&["iterate", "one"]).ends_with(6);
    world.run(&["stop", "one"]).ok();
    wait_until("it is at rest", PATIENCE, || {
        status(&world)["status"] == "idle"
    });
    assert_eq!(status(&world)["questions"].as_array().unwrap().len(), 0);
    let state = "SELECT coalesce(decision, 'none') || ': ' || reason FROM questions";
    assert_eq!(world.value(state).as_deref(), Some("none: the turn ended"));
    let told = "SELECT count(*) FROM events WHERE body LIKE '%\"permission_withdrawn%'";
    assert_eq!(world.count(told), 1);
    let shown = world.run(&["transcript", "one"]).ok().stdout;
    assert!(shown.contains("* withdrawn: the turn ended"), "{shown}");
    assert!(!shown.contains("* reject"), "{shown}");
    world
        .run(&["answer", "one", "--allow"])
        .refuses(3, "its question was withdrawn");
}

#[test]
fn the_time_of_an_iteration_holds_while_the_user_thinks() {
    let world = asking(&[("core.session_timeout", "6s"), ("core.stop_grace", "1s")]);
    world.run(&["iterate", "one"]).ends_with(6);
    wait_until("its time is over", PATIENCE, || {
        status(&world)["status"] == "error"
    });
    assert_eq!(status(&world)["questions"].as_array().unwrap().len(), 0);
}

#[test]
fn a_runner_that_dies_leaves_no_question() {
    let world = asking(&[]);
    let made = world.made("one");
    world.run(&["iterate", "one"]).ends_with(6);
    signal(&world.sandbox, "KILL", world.runner(&made, 1).into());
    wait_until("it is noticed", PATIENCE, || {
        status(&world)["status"] == "interrupted"
    });
    assert_eq!(status(&world)["questions"].as_array().unwrap().len(), 0);
    world
        .run(&["answer", "one", "--allow"])
        .refuses(3, "its question was withdrawn")
        .says("the turn was interrupted");
    world.run(&["resume", "one"]).ends_with(6);
    world.run(&["answer", "one", "--allow"]).ok();
    assert!(made.worktree.join("work.txt").exists());
}

#[test]
fn a_decision_that_was_passed_on_answers_no_later_question() {
    let scenario = format!("{PUSH}[[step]]\ndo = 'ask'\ntext = 'Which one?'\n");
    let world = asking_in(&scenario, &[]);
    world.run(&["iterate", "one"]).ends_with(6);
    world
        .run(&["answer", "one", "--allow"])
        .ends_with(6)
        .says("Which one?");
    for decision in ["--allow", "--reject"] {
        world
            .run(&["answer", "one", decision])
            .refuses(3, "it waits for no permission");
    }
    assert_eq!(status(&world)["last_iteration"]["number"], 1);
}

#[test]
fn rules_see_what_is_shown_to_nobody() {
    let scenario = PUSH.replace("git push", "login house-1234");
    let world = asking_in(&scenario, &[("security.redact_patterns", "house-[0-9]+")]);
    let rule = "allow execute login house-????";
    world.run(&["set", "one", "rules", rule]).ok();
    let shown = world.run(&["iterate", "one"]).ok().stdout;
    assert!(shown.contains("a rule allows it"), "{shown}");
    assert!(
        shown.contains("login ***") && !shown.contains("1234"),
        "{shown}"
    );
    world.run(&["set", "one", "rules", ""]).ok();
    world
        .run(&["iterate", "one"])
        .ends_with(6)
        .says("wants to run `login ***`");
    let kept = world.value("SELECT tool_use FROM questions").unwrap();
    assert!(!kept.contains("1234"), "{kept}");
}

#[test]
fn who_decides_after_somebody_else_is_told_what_was_decided() {
    let scenario = format!("{PUSH}[[step]]\ndo = 'hang'\n");
    let world = asking_in(&scenario, &[("core.stop_grace", "2s")]);
    world.run(&["iterate", "one"]).ends_with(6);
    world
        .run(&["answer", "one", "--reject", "Not today", "--detach"])
        .ok();
    world
        .run(&["answer", "one", "--allow"])
        .refuses(3, "it is decided already")
        .says("question 1 (to run `git push` (bash)) was rejected at")
        .says("with the words \"Not today\"");
    let decided = world.value("SELECT decision FROM questions");
    assert_eq!(decided.as_deref(), Some("reject"));
    world.run(&["stop", "one"]).ok();
}

#[test]
fn a_new_conversation_hears_what_was_decided_in_the_one_before() {
    let world = asking(&[("core.stop_grace", "2s")]);
    world.run(&["iterate", "one"]).ends_with(6);
    world.run(&["answer", "one", "--allow", "Go ahead"]).ok();
    world.run(&["iterate", "one", "--new-thread"]).ends_with(6);
    let shown = world.run(&["transcript", "one"]).ok().stdout;
    let told = "User: The operator allowed you to run `git push` (bash). Go ahead";
    assert!(shown.contains(told), "{shown}");
    world.run(&["stop", "one"]).ok();
}

/// An agent that asks 25 times without waiting for an answer.
const IMPATIENT: &str = r#"read a; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'
read b; echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'
read c; i=100
while [ $i -lt 125 ]; do
  echo '{"jsonrpc":"2.0","id":'$i',"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c'$i'","kind":"execute","rawInput":{"command":"make '$i'"}},"options":[{"optionId":"no","kind":"reject_once"}]}}'
  i=$((i+1))
done
while read more; do :; done
"#;

#[test]
fn an_agent_cannot_ask_without_end() {
    let world = asking(&[("core.stop_grace", "2s")]);
    let script = world.sandbox.path("impatient.sh");
    std::fs::write(&script, IMPATIENT).unwrap();
    let command = format!("sh {}", script.display());
    world
        .orchestra(&["config", "set", "agents.fake.command", &command])
        .ok();
    world.run(&["iterate", "one"]).ends_with(6);
    wait_until("the rest is rejected", PATIENCE, || {
        let shown = world.run(&["transcript", "one"]).ok().stdout;
        shown.matches("too many questions are open").count() == 5
    });
    assert_eq!(world.count("SELECT count(*) FROM questions"), 20);
    world.run(&["stop", "one"]).ok();
    wait_until("it is at rest", PATIENCE, || {
        status(&world)["status"] != "awaiting_input"
    });
}
