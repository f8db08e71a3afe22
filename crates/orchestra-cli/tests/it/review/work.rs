//! A script that was started by hand is work like an iteration: it is seen, waited for and stopped, and nothing else
//! begins beside it.

use std::io::{BufRead, BufReader};

use orchestra_testkit::wait_until;
use serde_json::Value;

use crate::made::Made;
use crate::ran::{ended, first_line, ran, signal};
use crate::world::{PATIENCE, World};

/// A session whose script runs in the background until a file appears, and the file.
fn with_running_script(world: &World) -> (Made, std::path::PathBuf) {
    let go = world.sandbox.path("go");
    let script = format!(
        "echo up; while ! test -f '{}'; do sleep 0.05; done; exit 3",
        go.display()
    );
    let made = world.session_with("one", &["--script", &script]);
    let run = &world.json(&["run", "one", "--detach"])["script_run"];
    assert_eq!(run["state"], "running");
    let log = run["log"].as_str().unwrap().to_owned();
    wait_until("the script is up", PATIENCE, || {
        std::fs::read_to_string(&log).is_ok_and(|text| text.contains("up"))
    });
    (made, go)
}

fn script_result(world: &World) -> Option<String> {
    world.value("SELECT result FROM script_runs ORDER BY key DESC LIMIT 1")
}

#[test]
fn it_is_seen_everywhere() {
    let world = World::new();
    let (made, go) = with_running_script(&world);
    let row = &world.json(&["queue"])["queue"][0];
    assert_eq!(
        (&row["session_id"], &row["kind"]),
        (&made.id.as_str().into(), &"script".into())
    );
    assert_eq!(row["session_name"], "one");
    assert_eq!(row["script_run"]["state"], "running");
    assert!(row.get("iteration").is_none(), "{row}");
    world.run(&["queue"]).ok().says("one   script");
    let shown = &world.json(&["status", "one"])["session"];
    assert_eq!(shown["status"], "evaluating");
    assert!(shown["script_run"]["started_at"].is_string(), "{shown}");
    world.run(&["status", "one"]).ok().says("script, started");
    world.run(&["list"]).ok().says("evaluating, script");
    let listed = world.json(&["list", "--status", "evaluating"]);
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 1);

    let mut attached = world.start(&["attach", "one"]);
    assert_eq!(first_line(&mut attached), "up\n");
    std::fs::write(go, "").unwrap();
    let waited = world.run(&["wait", "one"]).ends_with(5);
    assert!(waited.stderr.contains("exit code 3"), "{}", waited.stderr);
    ended(attached).ends_with(5).says("exit code 3");
    assert_eq!(world.json(&["status", "one"])["session"]["status"], "idle");
    world.run(&["queue"]).ok().says("nothing runs");
    let changes = world.value(
        "SELECT group_concat(json_extract(body, '$.to')) FROM (SELECT body FROM events
         WHERE type = 'session_status_changed' ORDER BY seq)",
    );
    assert_eq!(changes.as_deref(), Some("idle,evaluating,idle"));
}

#[test]
fn nothing_begins_beside_it() {
    let world = World::new();
    let (made, _go) = with_running_script(&world);
    world.tree(&made).write("by-hand.txt", "x");
    let refused: [&[&str]; 5] = [
        &["iterate", "one"],
        &["run", "one"],
        &["commit", "one", "--message", "x"],
        &["archive", "one"],
        &["set", "one", "agent", "amp"],
    ];
    for words in refused {
        let said = world
            .run(words)
            .ends_with(3)
            .says("the script `script` runs");
        assert!(said.stderr.contains("session stop"), "{}", said.stderr);
    }
    assert_eq!(world.count("SELECT count(*) FROM iterations"), 0);
    assert_eq!(world.count("SELECT count(*) FROM script_runs"), 1);
    assert_eq!(world.tree(&made).head(), world.repository.head());
    world.run(&["stop", "one"]).ok();
    world.run(&["commit", "one", "--message", "x"]).ok();
    world.run(&["archive", "one"]).ok();
    world.run(&["run", "one"]).ends_with(3).says("--undo");
}

#[test]
fn stop_answers_when_it_has_stopped() {
    let world = World::new();
    with_running_script(&world);
    world.run(&["stop", "one"]).ok().says("is stopped");
    assert!(script_result(&world).unwrap().contains("stopped"));
    let asked = "SELECT count(*) FROM events WHERE type = 'control_requested'";
    assert_eq!(world.count(asked), 1);
    world
        .run(&["stop", "one"])
        .ends_with(3)
        .says("nothing runs");
    world.wait_until_quiet();
}

#[test]
fn nothing_is_run_beside_an_iteration() {
    let world = World::with_scenario("[[step]]\ndo = 'sleep'\nmilliseconds = 600000\n");
    let made = world.session_with("one", &["--script", "true"]);
    world.run(&["iterate", "one", "--detach"]).ok();
    world.wait_for_progress(&made, 1, "agent");
    world.run(&["run", "one"]).ends_with(3).says("is running");
    world.run(&["archive", "one"]).ends_with(3).says("stop");
    world
        .run(&["resume", "one"])
        .ends_with(3)
        .says("session attach");
    world.run(&["stop", "one", "--now"]).ok();
    world.run(&["run", "one"]).ok();
    world.wait_until_quiet();
}

#[test]
fn one_whose_runner_died_is_closed() {
    let world = World::new();
    let (_made, go) = with_running_script(&world);
    let runner = world.value("SELECT runner FROM script_runs").unwrap();
    let runner: Value = serde_json::from_str(&runner).unwrap();
    signal(&world.sandbox, "KILL", runner["pid"].as_i64().unwrap());
    world.wait_until_quiet();
    let mut doctor = world.sandbox.orchestra();
    doctor.arg("doctor");
    ran(doctor).ends_with(1).says("what worked on it died");
    world.run(&["queue"]).ok().says("nothing runs");
    assert_eq!(world.json(&["status", "one"])["session"]["status"], "idle");
    assert!(script_result(&world).unwrap().contains("interrupted"));
    std::fs::write(go, "").unwrap();
    world.run(&["iterate", "one"]).ends_with(5);
}

/// Writes a run down as a face does that is about to start its runner.
fn recorded_run(world: &World, made: &Made, script: &str) -> i64 {
    let store = rusqlite::Connection::open(world.sandbox.data_dir().join("orchestra.db")).unwrap();
    store.busy_timeout(PATIENCE).unwrap();
    store
        .execute(
            "INSERT INTO script_runs (session, script, command, started_at, runner)
             VALUES (?1, ?2, 'true', 0, '{\"pid\":1,\"started\":0}')",
            [&made.id, script],
        )
        .unwrap();
    store.last_insert_rowid()
}

#[test]
fn one_that_cannot_be_run_is_closed_and_says_why() {
    let world = World::new();
    let made = world.session("one");
    let key = recorded_run(&world, &made, "gone").to_string();
    world.orchestra(&[orchestra_engine::RUNNER_MODE, "script", &made.id, &key]);
    assert!(script_result(&world).unwrap().contains("unrunnable"));
    let run = &world.json(&["log", "one"])["script_runs"][0];
    assert_eq!(run["state"], "failed");
    assert!(run["problem"]["hint"].is_string(), "{run}");
    let log = std::fs::read_to_string(run["log"].as_str().unwrap()).unwrap();
    assert!(log.contains("no script called `gone`"), "{log}");
}

#[cfg(unix)]
#[test]
fn a_lease_that_cannot_be_asked_is_not_taken_for_a_death() {
    let world = World::new();
    let made = world.session("one");
    recorded_run(&world, &made, "script");
    // A link to itself cannot be opened, whoever asks.
    let lease = world
        .sandbox
        .data_dir()
        .join(format!("leases/{}.run", made.id));
    std::os::unix::fs::symlink(&lease, &lease).unwrap();
    assert_eq!(
        world.json(&["status", "one"])["session"]["status"],
        "unknown"
    );
    world
        .run(&["wait", "one"])
        .ends_with(3)
        .says("cannot be told");
    world.run(&["archive", "one"]).ends_with(1).says("lock");
    world.run(&["iterate", "one"]).ends_with(1).says("lock");
    world
        .run(&["set", "one", "agent", "amp"])
        .ends_with(3)
        .says("cannot be told");
    for words in [&["doctor"][..], &["doctor", "--fix"]] {
        let said = world.orchestra(words).ends_with(1).says("cannot be told");
        assert!(!said.stdout.contains("died"), "{}", said.stdout);
    }
    assert_eq!(script_result(&world), None);
    std::fs::remove_file(lease).unwrap();
    assert_eq!(world.json(&["status", "one"])["session"]["status"], "idle");
    assert!(script_result(&world).unwrap().contains("interrupted"));
}

#[test]
fn a_followed_one_goes_on_when_its_follower_dies() {
    let world = World::new();
    let script = "echo up; sleep 600";
    world.session_with("one", &["--script", script]);
    let mut child = world.start(&["run", "one"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "up");
    child.kill().unwrap();
    child.wait().unwrap();
    let shown = world.json(&["status", "one"]);
    assert_eq!(shown["session"]["status"], "evaluating");
    world.run(&["stop", "one", "--now"]).ok();
    world.wait_until_quiet();
}
