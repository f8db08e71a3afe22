//! What runs in the background leaves a log, without secrets, that does not grow without end.

use crate::made::Made;
use crate::ran::ran;
use crate::world::World;

fn log_of(world: &World, made: &Made) -> String {
    let log = format!("logs/runner-{}.log", made.id);
    std::fs::read_to_string(world.sandbox.data_dir().join(log)).expect("a log")
}

#[test]
fn warnings_are_kept_without_being_asked_for() {
    let world = World::new();
    let made = world.session("warned");
    // A directory where the agent's log should be fails the agent, and cannot be cleaned.
    let output = world.sandbox.data_dir().join("output").join(&made.id);
    std::fs::create_dir_all(output.join("1.agent.log")).unwrap();
    world.run(&["iterate", "warned"]).ends_with(4);
    world.wait_until_quiet();
    let log = log_of(&world, &made);
    assert!(
        log.contains("WARN") && log.contains("log could not be kept"),
        "{log}"
    );
    assert!(!log.contains("DEBUG") && !log.contains("INFO"), "{log}");
    let checked = world.orchestra(&["doctor"]);
    let logs = world.sandbox.data_dir().join("logs");
    assert!(
        checked.stdout.contains(logs.to_str().unwrap()),
        "{checked:?}"
    );
}

#[test]
fn a_secret_logged_in_detail_is_not_in_the_file() {
    let known = "known-value-of-a-secret";
    let shape = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let world = World::new();
    // The directory is part of every git command that is logged.
    for (name, secret) in [("known", known), ("shape", shape)] {
        let folder = format!("git.folder_pattern={secret}.{{id}}");
        let words = [
            "new",
            "--name",
            name,
            "--prompt",
            "x",
            "--set-config",
            &folder,
        ];
        world.run(&words).ok();
        let mut iterate = world.session_command(&["iterate", name]);
        iterate.env("ORCHESTRA_LOG", "trace").env("MY_TOKEN", known);
        let shown = ran(iterate).ok();
        assert!(!shown.stderr.contains(secret), "{}", shown.stderr);
        world.wait_until_quiet();
        let log = log_of(&world, &world.made(name));
        assert!(log.contains("DEBUG") && log.contains("***"), "{log}");
        assert!(!log.contains(secret), "{log}");
    }
}

#[test]
fn a_log_that_grew_too_large_is_cut() {
    let world = World::new();
    let made = world.session("chatty");
    let log = world
        .sandbox
        .data_dir()
        .join(format!("logs/runner-{}.log", made.id));
    std::fs::write(&log, "an old line\n".repeat(100_000)).unwrap();
    world.run(&["iterate", "chatty"]).ok();
    assert!(std::fs::metadata(&log).unwrap().len() <= 1024 * 1024);
}

#[test]
fn a_filter_that_says_nothing_is_told() {
    let world = World::new();
    for (filter, is_told) in [("banana", true), ("debug", false), ("", false)] {
        let mut list = world.session_command(&["list"]);
        list.env("ORCHESTRA_LOG", filter);
        let listed = ran(list).ok();
        let told = listed.stderr.contains("warning: ORCHESTRA_LOG is `banana`");
        assert_eq!(told, is_told, "{filter}: {}", listed.stderr);
    }
}
