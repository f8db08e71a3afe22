//! The set-up of a session: in the background, with a log, as a state that is never mistaken for another.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;

use serde_json::Value;

use crate::made::Made;
use crate::ran::{ended, first_line, signal};
use crate::world::World;

/// A set-up that waits for a file, and then goes on with `end`.
fn gated(world: &World, end: &str) -> (String, PathBuf) {
    let gate = world.sandbox.path("gate");
    let command = format!(
        "echo begun; while ! test -f '{}'; do sleep 0.05; done; {end}",
        gate.display()
    );
    (command, gate)
}

fn with_setup(command: &str) -> World {
    let world = World::new();
    settle(&world, command);
    world
}

fn settle(world: &World, command: &str) {
    world.settle(&format!("[commands]\nsetup = {command:?}\n"));
}

fn setup_of(world: &World, session: &str) -> Value {
    world.json(&["status", session])["session"]["setup"].clone()
}

fn status_of(world: &World, session: &str) -> Value {
    world.json(&["status", session])["session"]["status"].clone()
}

fn runner_of_setup(world: &World, made: &Made) -> u32 {
    let sql = format!(
        "SELECT runner FROM script_runs WHERE session = '{}' AND result IS NULL",
        made.id
    );
    let runner: Value = serde_json::from_str(&world.value(&sql).unwrap()).unwrap();
    u32::try_from(runner["pid"].as_u64().unwrap()).unwrap()
}

#[test]
fn a_new_session_is_there_while_its_set_up_runs() {
    let world = World::new();
    let (command, gate) = gated(
        &world,
        "pwd > ready.txt; echo \"$ORCHESTRA_BRANCH\" >> ready.txt",
    );
    settle(&world, &command);
    let words = ["new", "--name", "one", "--prompt", "Greet amp"];
    world.run(&words).ok().says("its set-up runs");
    let made = world.made("one");
    assert_eq!(status_of(&world, "one"), "initializing");
    assert_eq!(setup_of(&world, "one"), "running");
    world.run(&["list"]).ok().says("initializing, set-up");
    world
        .run(&["commit", "one", "-m", "x"])
        .refuses(3, "its set-up runs");
    let mut iterating = world.start(&["iterate", "one"]);
    // What it waits for is shown, so it waits.
    assert!(first_line(&mut iterating).starts_with("set-up: "));
    std::fs::write(gate, "").unwrap();
    ended(iterating)
        .ok()
        .says("waiting for the set-up")
        .says("begun");
    let ready = world.tree(&made).read("ready.txt");
    let expected = format!("{}\n{}\n", made.worktree.display(), made.branch);
    assert_eq!(ready, expected);
    assert_eq!(setup_of(&world, "one"), "passed");
    let runs = "SELECT script || ' ' || command FROM script_runs";
    assert!(world.value(runs).unwrap().starts_with("setup echo begun"));
    world.wait_until_quiet();
}

#[test]
fn nothing_to_set_up_is_no_run_at_all() {
    let world = World::new();
    world.session_with("one", &["--wait-setup"]);
    assert_eq!(world.count("SELECT count(*) FROM script_runs"), 0);
    assert_eq!(setup_of(&world, "one"), "none");
    world
        .run(&["setup", "one"])
        .refuses(3, "there is nothing to set up");
}

#[test]
fn a_failed_set_up_is_a_state_with_its_log() {
    let world = with_setup("echo out of eggs; test -f eggs");
    let words = ["new", "--name", "one", "--prompt", "x", "--wait-setup"];
    world
        .run(&words)
        .ends_with(5)
        .says("out of eggs")
        .says("the set-up failed");
    let made = world.made("one");
    assert_eq!(status_of(&world, "one"), "idle");
    assert_eq!(setup_of(&world, "one"), "failed");
    world.run(&["list"]).ok().says("idle, set-up failed");
    world.run(&["status", "one"]).ok().says("its set-up failed");
    let needs = world.json(&["list", "--needs-me"]);
    assert_eq!(needs["sessions"][0]["name"], "one");
    let run = &needs["sessions"][0]["setup_run"];
    let log = std::fs::read_to_string(run["log"].as_str().unwrap()).unwrap();
    assert!(log.contains("set-up: echo out of eggs"), "{log}");
    let hint = format!("orchestra session setup {}", made.id);
    world
        .run(&["iterate", "one"])
        .refuses(3, "failed")
        .says(&hint);
    world.run(&["set", "one", "script", "true"]).ok();
    world.run(&["run", "one"]).refuses(3, "--without-setup");
    world.run(&["run", "one", "--without-setup"]).ok();
    world.run(&["iterate", "one", "--without-setup"]).ok();
    world.tree(&made).write("eggs", "");
    world.run(&["setup", "one", "--follow"]).ok().says("passed");
    assert_eq!(setup_of(&world, "one"), "passed");
    world.run(&["iterate", "one"]).ok();
    world.wait_until_quiet();
}

#[test]
fn a_set_up_that_was_not_allowed_did_not_run() {
    let world = World::new();
    world.repository.write(
        ".orchestra/config.toml",
        "[commands]\nsetup = \"touch ready\"\n",
    );
    let words = ["new", "--name", "one", "--prompt", "x"];
    let next = world.run(&words).ok().says("the set-up did not run");
    let made = world.made("one");
    let allow = next
        .stderr
        .find(&format!("orchestra session setup {} --yes", made.id));
    let iterate = next.stderr.find("orchestra session iterate");
    assert!(allow.is_some() && allow < iterate, "{}", next.stderr);
    assert_eq!(setup_of(&world, "one"), "not_allowed");
    assert!(!made.worktree.join("ready").exists());
    world
        .run(&["iterate", "one"])
        .refuses(3, "is not allowed yet");
    world.run(&["setup", "one"]).refuses(3, "touch ready");
    world.run(&["setup", "one", "--follow", "--yes"]).ok();
    assert!(made.worktree.join("ready").exists());
    world.session_with("two", &["--wait-setup"]);
    assert_eq!(setup_of(&world, "two"), "passed");
    let third = World::new();
    third
        .repository
        .write(".orchestra/config.toml", "[commands]\nsetup = \"true\"\n");
    third.session_with("one", &["--yes", "--wait-setup"]);
    assert_eq!(setup_of(&third, "one"), "passed");
}

#[test]
fn a_set_up_takes_no_longer_than_it_may() {
    let world = World::new();
    world.settle("[commands]\nsetup = \"sleep 600\"\ntimeout = \"300ms\"\n");
    let words = ["new", "--name", "one", "--prompt", "x", "--wait-setup"];
    world
        .run(&words)
        .ends_with(5)
        .says("timed out")
        .says("it took longer than 300ms")
        .says("commands.timeout");
    assert_eq!(setup_of(&world, "one"), "failed");
    world
        .run(&["status", "one"])
        .ok()
        .says("it took longer than 300ms")
        .says("`commands.timeout` says how long it may take")
        .says(".orchestra/config.toml, which can shorten")
        .says("`orchestra config set commands.timeout <time> --repo`");
    world.wait_until_quiet();
}

#[test]
fn a_set_up_that_cannot_work_has_failed_and_says_why() {
    let world = with_setup("true");
    let settings = "[commands]\nsetup = \"true\"\n";
    let wrong = format!("{settings}[worktree.variables]\nA = \"{{nope}}\"\n");
    world.repository.write(".orchestra/config.toml", &wrong);
    let words = ["new", "--name", "one", "--prompt", "x", "--wait-setup"];
    world.run(&words).ends_with(5).says("the set-up failed: ");
    let session = &world.json(&["status", "one"])["session"];
    assert_eq!(
        (&session["setup"], &session["status"]),
        (&"failed".into(), &"idle".into())
    );
    let run = &session["setup_run"];
    let problem = &run["problem"];
    assert_eq!(
        (&run["state"], &problem["code"]),
        (&"failed".into(), &"environment.unknown_placeholder".into())
    );
    let hint = problem["hint"].as_str().unwrap();
    assert!(hint.contains("known are"), "{hint}");
    let log = std::fs::read_to_string(run["log"].as_str().unwrap()).unwrap();
    assert!(log.contains("unknown placeholder `{nope}`"), "{log}");
    assert!(log.contains("hint: known are"), "{log}");
    world
        .run(&["status", "one"])
        .ok()
        .says("failed, just now: `{nope}` has the unknown placeholder")
        .says("hint: known are");
    world
        .run(&["setup", "one"])
        .refuses(3, "unknown placeholder");
    world.settle(settings);
    world.run(&["setup", "one", "--follow"]).ok();
    let session = &world.json(&["status", "one"])["session"];
    assert_eq!(
        (&session["setup"], &session["setup_run"]["problem"]),
        (&"passed".into(), &Value::Null)
    );
    world.run(&["iterate", "one"]).ok();
}

#[test]
fn a_set_up_can_be_stopped_while_it_copies() {
    let world = World::new();
    world.repository.write(".gitignore", "/data/\n");
    world.repository.commit("rules");
    world.repository.write("data/a", "a");
    world.settle("[worktree]\ncopy = [\"data\"]\n");
    // As if somebody was so fast that the first look finds it.
    let store = world.writable_store();
    let stop = "CREATE TRIGGER stop AFTER INSERT ON script_runs BEGIN
        INSERT INTO controls (session, target, control, created_at)
        VALUES (NEW.session, 'script ' || NEW.key, 'stop', 0); END";
    store.execute_batch(stop).unwrap();
    let made = world.session("one");
    world.run(&["wait", "one"]);
    assert_eq!(setup_of(&world, "one"), "interrupted");
    assert!(!made.worktree.join("data").exists());
    store.execute_batch("DROP TRIGGER stop").unwrap();
    world.run(&["setup", "one", "--follow"]).ok();
    assert_eq!(world.tree(&made).read("data/a"), "a");
}

#[test]
fn a_set_up_can_be_stopped_and_done_again() {
    let world = World::new();
    let (command, gate) = gated(&world, "true");
    settle(&world, &command);
    world.session("one");
    world.run(&["stop", "one"]).ok().says("the set-up of");
    assert_eq!(setup_of(&world, "one"), "interrupted");
    std::fs::write(gate, "").unwrap();
    world
        .run(&["setup", "one"])
        .ok()
        .says("runs in the background");
    world.run(&["wait", "one"]).ok();
    assert_eq!(setup_of(&world, "one"), "passed");
}

#[test]
fn a_set_up_whose_runner_was_killed_is_interrupted() {
    let world = World::new();
    let (command, gate) = gated(&world, "true");
    settle(&world, &command);
    let made = world.session("one");
    let runner = runner_of_setup(&world, &made);
    signal(&world.sandbox, "KILL", runner.into());
    world.wait_until_quiet();
    assert_eq!(setup_of(&world, "one"), "interrupted");
    assert_eq!(status_of(&world, "one"), "idle");
    world.run(&["iterate", "one"]).refuses(3, "was interrupted");
    std::fs::write(gate, "").unwrap();
    world.run(&["setup", "one", "--follow"]).ok();
    world.run(&["iterate", "one"]).ok();
}

#[test]
fn waiting_for_a_set_up_can_be_given_up() {
    let world = World::new();
    let (command, gate) = gated(&world, "true");
    settle(&world, &command);
    world.session("one");
    let mut iterating = world.start(&["iterate", "one"]);
    // What the set-up said is shown, so the command listens.
    assert!(first_line(&mut iterating).starts_with("set-up: "));
    signal(&world.sandbox, "INT", iterating.id().into());
    ended(iterating).ends_with(130).says("goes on");
    assert_eq!(setup_of(&world, "one"), "running");
    std::fs::write(gate, "").unwrap();
    world.run(&["wait", "one"]).ok();
    assert_eq!(world.count("SELECT count(*) FROM iterations"), 0);
}

#[test]
fn names_of_the_product_are_no_names_of_scripts() {
    let world = World::new();
    world.settle("[scripts]\nsetup = \"true\"\n");
    world.session("one");
    world
        .run(&["run", "one", "setup"])
        .refuses(2, "is not a name for a script");
}
