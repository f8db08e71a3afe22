//! Servers whose runner is killed: they go on, and whoever looks next takes them over.

#![cfg(target_os = "linux")]

use std::fs;

use orchestra_testkit::{processes, wait_until};

use super::killed::{guardian, marked, runner};
use super::{
    ask, assert_healthy, let_go, listens, log, port, server, serving, start, state, stop, wait_for,
    with_one, world,
};
use crate::ran::{ended, first_line, ran, signal};
use crate::world::{PATIENCE, World};

/// A server that says a line for every file it finds, and then takes the file away.
const SPEAKS: &str = "echo up; while :; do for f in say-*; do test -f $f && { echo $f; rm $f; }; done; sleep 0.02; done";

fn kill_runner(world: &World) {
    let runner = runner(world);
    processes::kill(runner);
    wait_until("the runner is gone", PATIENCE, || !processes::alive(runner));
}

/// What is served is neither the guardian nor gone.
fn served(world: &World) -> Vec<u32> {
    let guardian = guardian(world);
    let mut served = marked(world);
    served.retain(|pid| *pid != guardian);
    served
}

/// Tells the server a word, which it says.
fn say(world: &World, word: &str) {
    let made = world.made("one");
    let file = made.worktree.join(format!("say-{word}"));
    fs::write(&file, "").unwrap();
    wait_until("it was said", PATIENCE, || !file.exists());
}

#[test]
fn it_goes_on_in_the_same_place_with_the_same_run() {
    let world = with_one();
    let made = world.made("one");
    let before = start(&world);
    let (port, processes) = (port(&before), served(&world));
    let first = runner(&world);
    for number in 1..=3 {
        kill_runner(&world);
        assert_eq!(ask(port, "GET /")["session"], made.id.as_str());
        world
            .orchestra(&["doctor"])
            .ends_with(1)
            .says("`dev` died; the server goes on");
        let told = world.run(&["status", "one"]).ok();
        assert!(
            told.stderr.contains("one: the server `dev` was taken over"),
            "{number}: {}",
            told.stderr
        );
        assert_ne!(runner(&world), first);
        let now = server(&world, "one");
        assert_eq!(now, before, "{number}");
        assert_eq!(served(&world), processes, "{number}");
    }
    let told = "SELECT count(*) FROM events WHERE type = 'recovered'";
    assert_eq!(world.count(told), 3);
    world.run(&["list"]).ok().says("idle +dev");
    world
        .run(&["run", "one", "dev"])
        .ok()
        .says("it ran already");
    assert_healthy(&world);
    world
        .run(&["run", "one", "dev", "--stop"])
        .ok()
        .says("is stopped");
    assert!(!listens(port));
    assert_eq!(state(&world, "one"), "stopped");
    world.wait_until_quiet();
    assert_eq!(sockets(&world), [] as [String; 0]);
}

/// The meeting places of guardians.
fn sockets(world: &World) -> Vec<String> {
    let entries = fs::read_dir(world.sandbox.data_dir().join("guards")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".socket")).collect()
}

#[test]
fn one_that_loses_its_guardian_leaves_no_meeting_place() {
    let world = with_one();
    start(&world);
    assert_eq!(sockets(&world).len(), 1);
    processes::kill(guardian(&world));
    wait_for(&world, "failed");
    world.wait_until_quiet();
    assert_eq!(sockets(&world), [] as [String; 0]);
}

#[test]
fn nobody_who_only_looks_says_that_it_has_ended() {
    let world = with_one();
    start(&world);
    kill_runner(&world);
    let seen = world.orchestra(&["leases", "--json"]).ok().json();
    assert_eq!(seen["ports"][0]["served_by"], "dev");
    world.run(&["run", "one", "dev", "--restart"]).ok();
    kill_runner(&world);
    world
        .run(&["run", "one", "dev", "--stop"])
        .ok()
        .says("is stopped");
    world.wait_until_quiet();
}

#[test]
fn its_log_goes_on() {
    let world = serving(SPEAKS, "ready = \"^up$\"");
    start(&world);
    let log = log(&world);
    say(&world, "before");
    wait_until("it was written", PATIENCE, || {
        fs::read_to_string(&log).unwrap().contains("say-before")
    });
    kill_runner(&world);
    // The first one may be the rest of a line that was lost.
    for word in ["lost", "during-1", "during-2"] {
        say(&world, word);
    }
    let mut watched = world.start(&["run", "one", "dev", "--follow"]);
    assert_eq!(first_line(&mut watched), "up\n");
    say(&world, "after");
    let expected = [
        "up",
        "say-before",
        "orchestra: the server `dev` was taken over: what ran it had died; a line may be missing here",
        "say-during-1",
        "say-during-2",
        "say-after",
    ];
    wait_until("all of it is there", PATIENCE, || {
        let written = fs::read_to_string(&log).unwrap();
        written.lines().collect::<Vec<_>>() == expected
    });
    signal(&world.sandbox, "INT", watched.id().into());
    ended(watched).ok().says("dev goes on");
    stop(&world);
}

#[test]
fn one_that_cannot_be_followed_now_is_not_ended() {
    let world = with_one();
    let run = start(&world);
    let port = port(&run);
    let log = run["log"].as_str().unwrap();
    let processes = served(&world);
    kill_runner(&world);
    fs::remove_file(log).unwrap();
    fs::create_dir(log).unwrap();
    let told = world.run(&["status", "one"]).ok();
    let line = "one: the server `dev` goes on without a runner: ";
    assert_eq!(told.stderr.matches(line).count(), 1, "{}", told.stderr);
    world
        .orchestra(&["doctor", "--fix"])
        .ends_with(1)
        .says("its guardian waits");
    assert!(listens(port));
    assert_eq!(state(&world, "one"), "ready");
    fs::remove_dir(log).unwrap();
    let told = world.run(&["status", "one"]).ok();
    assert!(told.stderr.contains("was taken over"), "{}", told.stderr);
    assert_eq!(served(&world), processes);
    stop(&world);
}

#[test]
fn its_secrets_stay_out_of_its_log() {
    let world = World::new();
    let command = "echo up; while ! test -f go; do sleep 0.02; done; echo; echo it is $APP_TOKEN; exec sleep 60";
    world.settle(&format!(
        "[scripts]\ndev = {command:?}\n\n[servers.dev]\nready = \"^up$\"\n"
    ));
    world
        .orchestra(&["config", "set", "security.pass_env", "APP_TOKEN"])
        .ok();
    world.session_with("one", &["--wait-setup"]);
    let mut start = world.session_command(&["run", "one", "dev", "--detach"]);
    start.env("APP_TOKEN", "hedgehogs-at-night");
    ran(start).ok();
    kill_runner(&world);
    world.run(&["status", "one"]).ok();
    let_go(&world);
    let log = log(&world);
    let written = || fs::read_to_string(&log).unwrap();
    wait_until("it was said", PATIENCE, || written().contains("it is "));
    assert!(!written().contains("hedgehogs"), "{}", written());
    stop(&world);
}

#[test]
fn one_that_was_not_ready_may_become_so() {
    let world = serving(
        "while ! test -f go; do sleep 0.05; done; echo now; exec sleep 60",
        "ready = \"^now$\"",
    );
    let starting = world.start(&["run", "one", "dev", "--detach"]);
    wait_until("it runs", PATIENCE, || {
        state(&world, "one") == "starting" && !marked(&world).is_empty()
    });
    wait_until("it is guarded", PATIENCE, || marked(&world).len() > 1);
    processes::kill(runner(&world));
    let_go(&world);
    ended(starting).ok().says("dev is ready");
    assert_eq!(state(&world, "one"), "ready");
    stop(&world);
}

#[test]
fn what_is_said_of_it_does_not_make_it_ready() {
    let world = serving(
        "exec sleep 60",
        "ready = \"server\"\nready_within = \"1ms\"",
    );
    world.run(&["run", "one", "dev", "--detach"]);
    for _ in 0..3 {
        kill_runner(&world);
        assert_eq!(state(&world, "one"), "not_ready");
    }
    stop(&world);
}

#[test]
fn the_settings_of_whoever_comes_by_are_not_its_own() {
    let world = serving(SPEAKS, "ready = \"^up$\"");
    start(&world);
    kill_runner(&world);
    world
        .run(&["status", "one", "--set-config", "core.max_output=1KiB"])
        .ok();
    let runner = runner(&world);
    let started = fs::read_to_string(format!("/proc/{runner}/cmdline")).unwrap();
    assert!(!started.contains("max_output"), "{started}");
    stop(&world);
}

#[test]
fn one_that_ended_while_nobody_looked_is_told_as_it_was() {
    let world = serving(
        "echo up; while ! test -f go; do sleep 0.05; done; echo; echo out of eggs; exit 3",
        "ready = \"^up$\"",
    );
    start(&world);
    let processes = served(&world);
    kill_runner(&world);
    let_go(&world);
    wait_until("it has ended", PATIENCE, || {
        !processes.iter().any(|pid| processes::alive(*pid))
    });
    wait_for(&world, "failed");
    world
        .run(&["status", "one"])
        .ok()
        .says("dev has failed with exit code 3");
    let log = log(&world);
    let written = fs::read_to_string(log).unwrap();
    assert!(written.ends_with("out of eggs\n"), "{written}");
    world.wait_until_quiet();
}

#[test]
fn a_stop_that_was_asked_of_a_dead_runner_still_counts() {
    let world = with_one();
    let run = start(&world);
    // Nobody obeys it any more once it is marked as taken.
    kill_runner(&world);
    let store = world.writable_store();
    store
        .execute(
            "INSERT INTO controls (session, target, control, created_at, taken_at)
             SELECT session, 'script ' || key, 'stop', 0, 0 FROM script_runs WHERE is_server",
            [],
        )
        .unwrap();
    wait_for(&world, "stopped");
    assert!(!listens(port(&run)));
    world.wait_until_quiet();
}

#[test]
fn a_session_that_goes_away_takes_it_along() {
    let world = world();
    for (name, command) in [("one", "archive"), ("two", "cleanup")] {
        world.session_with(name, &["--wait-setup"]);
        let started = world.json(&["run", name, "dev", "--detach"]);
        kill_runner(&world);
        world.run(&[command, name]).ok();
        assert!(!listens(port(&started["script_run"])), "{command}");
        assert_eq!(state(&world, name), "stopped", "{command}");
    }
    world.wait_until_quiet();
    assert_healthy(&world);
}

#[test]
fn one_whose_data_is_gone_ends() {
    let world = with_one();
    let run = start(&world);
    kill_runner(&world);
    fs::remove_dir_all(world.sandbox.data_dir()).unwrap();
    let port = port(&run);
    wait_until("nothing serves any more", PATIENCE, || !listens(port));
}

#[test]
fn a_database_that_is_lost_takes_it_along() {
    let world = with_one();
    let run = start(&world);
    kill_runner(&world);
    let data = world.sandbox.data_dir();
    for name in ["orchestra.db-wal", "orchestra.db-shm"] {
        fs::remove_file(data.join(name)).ok();
    }
    fs::write(data.join("orchestra.db"), "no database\n".repeat(500)).unwrap();
    let fixed = world.orchestra(&["doctor", "--fix"]);
    assert!(fixed.stdout.contains("fixed"), "{}", fixed.stdout);
    let port = port(&run);
    wait_until("nothing serves any more", PATIENCE, || !listens(port));
    world.wait_until_quiet();
}
