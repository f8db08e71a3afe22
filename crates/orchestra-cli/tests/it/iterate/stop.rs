//! Stopping an iteration: from the terminal, from elsewhere, and what a closed terminal does.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use orchestra_testkit::{processes, wait_until};

use crate::made::Made;
use crate::ran::{ended, signal};
use crate::world::{PATIENCE, World};

const EDIT_THEN_HANG: &str = "
[[step]]
do = 'write'
path = 'half.txt'
text = 'half'
[[step]]
do = 'message'
text = 'Now I hang.'
[[step]]
do = 'hang'
";

fn stubborn(pids: &std::path::Path) -> String {
    format!(
        "[[step]]\ndo = 'ignore_signals'\n[[step]]\ndo = 'spawn'\nshape = 'ignore_signals'\npid_file = '{}'\n{EDIT_THEN_HANG}",
        pids.display()
    )
}

fn hanging(world: &World, made: &Made, number: u32) {
    world.wait_for_progress(made, number, "agent");
    wait_until("the agent has written", PATIENCE, || {
        made.worktree.join("half.txt").exists()
    });
}

/// What was done is kept: committed on the session's branch.
fn assert_kept(world: &World, made: &Made) {
    let tree = world.tree(made);
    assert_eq!(tree.git(&["show", "HEAD:half.txt"]), "half");
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
    assert!(
        world
            .iteration(made, 1, "outcome")
            .unwrap()
            .contains("stopped")
    );
    world.wait_until_quiet();
}

#[test]
fn ctrl_c_stops_the_agent_and_keeps_the_work() {
    let world = World::with_scenario(EDIT_THEN_HANG);
    let made = world.session("one");
    let child = world.start(&["iterate", "one"]);
    hanging(&world, &made, 1);
    signal(&world.sandbox, "INT", child.id().into());
    let ran = ended(child).ends_with(130).says("press Ctrl-C again");
    assert!(ran.stdout.contains("Now I hang."), "{}", ran.stdout);
    assert_kept(&world, &made);
    world.run(&["wait", "one"]).ends_with(130);
    let shown = world
        .run(&["transcript", "one"])
        .ok()
        .says("stopped by the user");
    assert!(!shown.stdout.contains("failed:"), "{}", shown.stdout);
}

#[test]
fn whoever_stops_a_frozen_runner_is_told_what_is_waited_for() {
    let world = World::with_scenario(EDIT_THEN_HANG);
    let made = world.session("one");
    world.run(&["iterate", "one", "--detach"]).ok();
    hanging(&world, &made, 1);
    let runner = world.runner(&made, 1);
    signal(&world.sandbox, "STOP", runner.into());
    let mut child = world.start(&["stop", "one"]);
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    let waited_for = format!("waiting for iteration 1 of {}", made.id);
    assert!(said.any(|line| line.unwrap().contains(&waited_for)));
    signal(&world.sandbox, "CONT", runner.into());
    assert!(child.wait().unwrap().success());
    assert_kept(&world, &made);
}

#[test]
fn ctrl_c_while_the_script_runs_speaks_of_the_script() {
    let world = World::new();
    let made = world.session_with("one", &["--script", "sleep 600"]);
    let child = world.start(&["iterate", "one"]);
    world.wait_for_progress(&made, 1, "script");
    signal(&world.sandbox, "INT", child.id().into());
    let stopped = ended(child).says("stopping the script; press Ctrl-C again");
    assert!(!stopped.stderr.contains("agent"), "{}", stopped.stderr);
    world.wait_until_quiet();
}

#[test]
fn a_second_ctrl_c_ends_it_at_once() {
    let sandbox = orchestra_testkit::Sandbox::new();
    let pids = sandbox.path("pids");
    let scenario = sandbox.scenario(&stubborn(&pids));
    let sandbox = sandbox.with_knob("scenario", &scenario.to_string_lossy());
    let world = World::of(sandbox.with_variable("ORCHESTRA_CORE_STOP_GRACE", "5m"));
    let made = world.session("one");
    let child = world.start(&["iterate", "one"]);
    hanging(&world, &made, 1);
    signal(&world.sandbox, "INT", child.id().into());
    wait_until("the stop was passed on", PATIENCE, || {
        world.count("SELECT count(*) FROM controls WHERE taken_at IS NOT NULL") == 1
    });
    signal(&world.sandbox, "INT", child.id().into());
    ended(child).ends_with(130).says("ending the agent");
    processes::wait_for_none(&pids, PATIENCE);
    assert_kept(&world, &made);
}

#[test]
fn a_closed_terminal_leaves_it_running() {
    let sandbox = orchestra_testkit::Sandbox::new();
    let go = sandbox.path("go");
    let scenario = sandbox.scenario(&format!(
        "[[step]]\ndo = 'wait_for_file'\npath = '{}'\n[[step]]\ndo = 'write'\npath = 'late.txt'\ntext = 'late'\n",
        go.display()
    ));
    let world = World::of(sandbox.with_knob("scenario", &scenario.to_string_lossy()));
    let made = world.session("one");
    let mut command = world.session_command(&["iterate", "one"]);
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0);
    let mut child = command.spawn().unwrap();
    world.wait_for_progress(&made, 1, "agent");
    signal(&world.sandbox, "HUP", -i64::from(child.id()));
    assert!(!child.wait().unwrap().success());
    assert_eq!(
        world.json(&["status", "one"])["session"]["status"],
        "running"
    );
    std::fs::write(go, "").unwrap();
    world.run(&["wait", "one"]).ok();
    assert_eq!(world.tree(&made).git(&["show", "HEAD:late.txt"]), "late");
}

#[test]
fn stop_from_elsewhere() {
    let world = World::with_scenario(EDIT_THEN_HANG);
    let made = world.session("one");
    let child = world.start(&["iterate", "one"]);
    hanging(&world, &made, 1);
    world.run(&["iterate", "one"]).ends_with(3).says("running");
    world
        .run(&["commit", "one", "-m", "x"])
        .ends_with(3)
        .says("running");
    world.run(&["archive", "one"]).ends_with(3);
    world.run(&["stop", "one"]).ok().says("its work is kept");
    ended(child).ends_with(130);
    assert_kept(&world, &made);
    world
        .run(&["stop", "one"])
        .ends_with(3)
        .says("nothing runs");
}

#[test]
fn stop_now_does_not_ask() {
    let sandbox = orchestra_testkit::Sandbox::new();
    let pids = sandbox.path("pids");
    let scenario = sandbox.scenario(&stubborn(&pids));
    let sandbox = sandbox.with_knob("scenario", &scenario.to_string_lossy());
    let world = World::of(sandbox.with_variable("ORCHESTRA_CORE_STOP_GRACE", "5m"));
    let made = world.session("one");
    world.run(&["iterate", "one", "--detach"]).ok();
    hanging(&world, &made, 1);
    let start = Instant::now();
    world.run(&["stop", "one", "--now"]).ok();
    assert!(
        start.elapsed() < Duration::from_secs(40),
        "{:?}",
        start.elapsed()
    );
    processes::wait_for_none(&pids, PATIENCE);
    assert_kept(&world, &made);
}
