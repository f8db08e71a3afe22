//! `run`: a script in a session's worktree, with live output, a kept log and a recorded end.

use std::io::{BufRead, BufReader};

use orchestra_testkit::wait_until;

use crate::ran::{ran, signal};
use crate::world::{PATIENCE, World};

#[test]
fn output_log_and_exit_code() {
    let world = World::new();
    let made = world.session_with("one", &["--script", "echo out; echo err >&2; pwd; exit 3"]);
    let run = world.run(&["run", "one"]).ends_with(5).says("exit code 3");
    for part in ["out\n", "err\n", made.worktree.to_str().unwrap()] {
        assert!(run.stdout.contains(part), "{}", run.stdout);
    }
    let answer = world.run(&["run", "one", "--json"]).ends_with(5).json();
    let answer = &answer["script_run"];
    assert_eq!(
        (&answer["state"], &answer["exit_code"]),
        (&"failed".into(), &3.into())
    );
    let log = std::fs::read_to_string(answer["log"].as_str().unwrap()).unwrap();
    assert!(log.contains("out\n") && log.contains("err\n"), "{log}");
    let results = world
        .value("SELECT group_concat(result) FROM script_runs")
        .unwrap();
    assert_eq!(results.matches("exited").count(), 2, "{results}");
    world.run(&["set", "one", "script", "true"]).ok();
    world.run(&["run", "one"]).ok().says("passed");
    world.run(&["set", "one", "script", "kill -KILL $$"]).ok();
    world.run(&["run", "one"]).ends_with(5);
}

#[test]
fn a_last_line_without_a_break_stands_alone() {
    let world = World::new();
    let script = "echo out; echo err >&2; printf 'no newline'; exit 7";
    world.session_with("one", &["--script", script]);
    let shown = world.run(&["run", "one"]).ends_with(5).stdout;
    let mut lines: Vec<&str> = shown.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["err", "no newline", "out"]);
}

#[test]
fn named_scripts_come_from_the_repository() {
    let world = World::new();
    world.settle("[scripts]\ntest = \"echo testing\"\nlint = \"echo linting\"\n");
    world.session("one");
    assert!(world.run(&["run", "one"]).ok().stdout.contains("testing"));
    assert!(
        world
            .run(&["run", "one", "lint"])
            .ok()
            .stdout
            .contains("linting")
    );
    world
        .run(&["run", "one", "build"])
        .ends_with(2)
        .says("lint, test");
    let mut elsewhere = world.session_command(&["run", "one", "lint"]);
    elsewhere.current_dir(world.sandbox.home());
    assert!(
        ran(elsewhere).ok().stdout.contains("linting"),
        "wherever the user stands"
    );
}

#[test]
fn settings_of_the_named_repository_apply() {
    let world = World::new();
    let other = world.sandbox.repository("other");
    other.write(
        ".orchestra/config.toml",
        "[git]\nbranch_pattern = \"theirs/{slug}\"\n",
    );
    let root = other.root().to_str().unwrap();
    world.session_with("one", &["--repo", root]);
    assert_eq!(world.made("one").branch, "theirs/one");
    assert!(world.session("two").branch.starts_with("amp/two/"));
}

#[test]
fn output_is_live() {
    let world = World::new();
    let go = world.sandbox.path("go");
    let script = format!(
        "echo early; while ! test -f '{}'; do sleep 0.05; done; echo late",
        go.display()
    );
    world.session_with("one", &["--script", &script]);
    let mut child = world.start(&["run", "one"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "early");
    std::fs::write(go, "").unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "late");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_run_that_is_followed_can_be_stopped() {
    let world = World::new();
    world.session_with("one", &["--script", "echo up; sleep 600"]);
    let mut child = world.start(&["run", "one"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "up");
    signal(&world.sandbox, "INT", child.id().into());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    wait_until("the script run is closed", PATIENCE, || {
        world.count("SELECT count(*) FROM script_runs WHERE result LIKE '%stopped%'") == 1
    });
    world.wait_until_quiet();
}

#[test]
fn an_unknown_script_leads_to_the_sessions_own() {
    let world = World::new();
    let made = world.session_with("one", &["--script", "true"]);
    world
        .run(&["run", "one", "nope"])
        .refuses(2, "no script called `nope`")
        .says(&format!("session run {}", made.id));
}

#[test]
fn without_a_script_it_says_which_there_are_and_how_to_set_one() {
    let world = World::new();
    world.session("one");
    let said = world
        .run(&["run", "one"])
        .ends_with(2)
        .says("no named scripts yet");
    assert!(
        said.stderr.contains("has no script of its own"),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("session set"), "{}", said.stderr);
    world
        .repository
        .write(".orchestra/config.toml", "[scripts]\nlint = \"true\"\n");
    world
        .run(&["run", "one"])
        .ends_with(2)
        .says("scripts are: lint");
    assert_eq!(world.count("SELECT count(*) FROM script_runs"), 0);
}
