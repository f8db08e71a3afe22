//! Servers whose face is killed, or whose runner and guardian are both.

use orchestra_testkit::{processes, wait_until};
use serde_json::Value;

use super::{ask, assert_healthy, listens, port, server, start, state, stop, wait_for, with_one};
use crate::world::{PATIENCE, World};

/// The process that carries the only server that has no end.
pub(super) fn runner(world: &World) -> u32 {
    let runner = world.value("SELECT runner FROM script_runs WHERE is_server AND result IS NULL");
    pid_in(&runner.unwrap())
}

/// The process that a recorded runner is.
pub(super) fn pid_in(runner: &str) -> u32 {
    let runner: Value = serde_json::from_str(runner).unwrap();
    u32::try_from(runner["pid"].as_u64().unwrap()).unwrap()
}

/// Everything that is marked as part of the only server that has no end: the guardian and what it guards.
pub(super) fn marked(world: &World) -> Vec<u32> {
    let mark = world.value(
        "SELECT (SELECT value FROM meta WHERE key = 'epoch') || ':' || session || ':script-' || key
         FROM script_runs WHERE is_server AND result IS NULL",
    );
    processes::with_variable("ORCHESTRA_RUN", &mark.unwrap())
}

pub(super) fn guardian(world: &World) -> u32 {
    let guardians = processes::mentioning("__guardian");
    let mut served = marked(world).into_iter();
    served.find(|pid| guardians.contains(pid)).unwrap()
}

/// Nothing is left that could keep the only server, or end it.
fn kill_runner_and_guardian(world: &World) {
    let guardian = guardian(world);
    processes::kill(runner(world));
    processes::kill(guardian);
    wait_until("both are gone", PATIENCE, || !processes::alive(guardian));
}

#[test]
fn a_face_that_is_killed_changes_nothing() {
    let world = with_one();
    let made = world.made("one");
    let mut shown = world.start(&["run", "one", "dev"]);
    crate::ran::first_line(&mut shown);
    processes::kill(shown.id());
    shown.wait().unwrap();
    wait_for(&world, "ready");
    let port = port(&server(&world, "one"));
    assert_eq!(ask(port, "GET /")["session"], made.id.as_str());
    world.run(&["run", "one", "dev", "--stop"]).ok();
    assert!(!listens(port));
    world.wait_until_quiet();
}

#[test]
#[cfg(target_os = "linux")]
fn what_outlives_its_guardian_is_found_by_its_mark() {
    let world = with_one();
    let port = port(&start(&world));
    kill_runner_and_guardian(&world);
    world.orchestra(&["doctor"]).ends_with(1).says("`dev` died");
    let others = world.orchestra(&["doctor", "--fix"]).ok();
    assert!(!listens(port), "{}", others.stdout);
    world
        .run(&["status", "one"])
        .ok()
        .says("dev was interrupted");
    assert_eq!(state(&world, "one"), "interrupted");
    let leases = world.orchestra(&["leases", "--json"]).ok().json();
    assert_eq!(leases["ports"][0]["first"], port);
    assert_eq!(leases["ports"][0]["served_by"], Value::Null);
    let again = world.json(&["run", "one", "dev", "--detach"]);
    assert_eq!(super::port(&again["script_run"]), port);
    world.run(&["run", "one", "dev", "--stop"]).ok();
    assert_healthy(&world);
    world.wait_until_quiet();
}

#[test]
#[cfg(target_os = "linux")]
fn what_ended_it_is_told() {
    let world = with_one();
    start(&world);
    processes::kill(guardian(&world));
    wait_for(&world, "failed");
    world
        .run(&["status", "one"])
        .ok()
        .says("dev has failed: signal 9 ended it or its guardian");
    let run = world.json(&["log", "one"])["script_runs"][1].clone();
    assert_eq!(run["exit_code"], Value::Null, "{run}");
    assert_eq!(run["problem"]["code"], "script.signalled");
    let message = "signal 9 ended it or its guardian";
    assert_eq!(run["problem"]["message"], message);
    assert_healthy(&world);
    world.wait_until_quiet();
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_that_died_and_an_iteration_that_goes_on_are_told_apart() {
    let world = World::with_scenario(
        "[[step]]\ndo = 'wait_for_file'\npath = 'go'\n[[step]]\ndo = 'message'\ntext = 'Done.'\n",
    );
    world.settle("[scripts]\ndev = \"exec sleep 600\"\n[servers.dev]\nready_within = \"1s\"\n");
    let made = world.session("one");
    start(&world);
    world.run(&["iterate", "one", "--detach"]).ok();
    world.wait_for_progress(&made, 1, "agent");
    kill_runner_and_guardian(&world);
    wait_for(&world, "interrupted");
    let session = &world.json(&["status", "one"])["session"];
    assert_eq!(session["status"], "running");

    start(&world);
    processes::kill(world.runner(&made, 1));
    wait_until("it is noticed", PATIENCE, || {
        world.json(&["status", "one"])["session"]["status"] == "interrupted"
    });
    assert_eq!(state(&world, "one"), "ready");
    stop(&world);
}
