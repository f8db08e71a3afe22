//! When a server is ready, and when it is not.

use orchestra_testkit::wait_until;

use super::{let_go, log, server, serving, start, state, stop, wait_for};
use crate::world::PATIENCE;

#[test]
fn a_line_says_that_it_is_ready() {
    let colored =
        "printf 'one moment\\n'; printf '\\033[32mready\\033[39m in 3 ms\\n'; exec sleep 60";
    let world = serving(colored, "ready = \"ready in [0-9]+ ms\"");
    let run = start(&world);
    assert_eq!(run["server"]["state"], "ready");
    assert_eq!(run["server"]["port"], serde_json::Value::Null);
    stop(&world);
}

#[test]
fn one_that_is_not_ready_in_time_goes_on_and_may_still_be() {
    let world = serving(
        "echo one moment; while ! test -f go; do sleep 0.05; done; echo now; exec sleep 60",
        "port = \"web\"\nready = \"^now$\"\nready_within = \"100ms\"",
    );
    for words in [&["--detach"][..], &["--detach"], &["--restart"]] {
        world
            .run(&[&["run", "one", "dev"], words].concat())
            .refuses(1, "the server `dev` runs, but was not ready within 100ms")
            .says("one moment")
            .says("servers.dev.ready_within");
    }
    let failed = world
        .run(&["run", "one", "dev", "--detach", "--json"])
        .ends_with(1)
        .json();
    assert_eq!(failed["error"]["code"], "server.not_ready");
    assert_eq!(state(&world, "one"), "not_ready");
    let shown = world.run(&["status", "one"]).ok();
    assert!(!shown.stdout.contains("http://"), "{}", shown.stdout);
    let leases = world.orchestra(&["leases", "--json"]).ok().json();
    assert_eq!(leases["ports"][0]["served_by"], serde_json::Value::Null);
    let_go(&world);
    wait_for(&world, "ready");
    let told = "SELECT group_concat(type) FROM events WHERE type LIKE 'server%' ORDER BY seq";
    assert_eq!(
        world.value(told).unwrap(),
        "server_late,server_late,server_ready"
    );
    stop(&world);
}

#[test]
#[cfg(target_os = "linux")]
fn a_stranger_on_its_port_is_not_the_server() {
    use std::net::{Ipv4Addr, TcpListener};

    let program = orchestra_testkit::bin("small-web").display().to_string();
    let command = format!("while ! test -f go; do sleep 0.05; done; exec '{program}'");
    let settings = "port = \"web\"\nready_within = \"2s\"\n[databases.main]\nkind = \"sqlite\"\n";
    let world = serving(&command, settings);
    let mut starting = world.start(&["run", "one", "dev", "--detach"]);
    wait_for(&world, "starting");
    let port = super::port(&server(&world, "one"));
    let stranger = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
    starting.wait().unwrap();
    assert_eq!(state(&world, "one"), "not_ready");
    drop(stranger);
    let_go(&world);
    wait_for(&world, "ready");
    stop(&world);
}

#[test]
fn one_that_dies_is_told_with_its_last_words() {
    let world = serving("echo first; echo out of eggs >&2; exit 3", "port = \"web\"");
    world
        .run(&["run", "one", "dev", "--detach"])
        .refuses(1, "ended with exit code 3 before it was ready")
        .says("out of eggs");
    assert_eq!(state(&world, "one"), "failed");
    world
        .run(&["status", "one"])
        .ok()
        .says("dev has failed with exit code 3");
    world
        .run(&["run", "one", "dev"])
        .ends_with(5)
        .says("out of eggs");
    let needs = world.json(&["list", "--needs-me"]);
    assert_eq!(needs["sessions"].as_array().unwrap().len(), 0);
    world.wait_until_quiet();
}

#[test]
fn one_that_is_only_known_to_run_has_to_for_a_moment() {
    let world = serving("test -f go && exec sleep 60", "ready_within = \"100ms\"");
    world
        .run(&["run", "one", "dev", "--detach"])
        .refuses(1, "ended with exit code 1 before it was ready");
    let_go(&world);
    let run = start(&world);
    assert_eq!(run["server"]["state"], "ready");
    stop(&world);
}

#[test]
fn the_address_is_as_the_settings_say() {
    let world = serving(
        "echo \"$PORT\" | tee port.txt; exec sleep 60",
        "port = \"web\"\nready = \".\"\nurl = \"https://{slug}.test:{port}/app\"",
    );
    start(&world);
    let run = server(&world, "one");
    let port = run["server"]["port"].to_string();
    let url = format!("https://one.test:{port}/app");
    assert_eq!(run["server"]["url"], url.as_str());
    let made = world.made("one");
    wait_until("it was told", PATIENCE, || {
        std::fs::read_to_string(made.worktree.join("port.txt"))
            .is_ok_and(|told| told.trim() == port)
    });
    stop(&world);
}

#[test]
fn a_server_that_says_much_is_not_ended_for_it() {
    let words = "while :; do echo 'one more line that nobody reads'; done | head -c 300000; echo at the end; exec sleep 60";
    let world = serving(words, "ready = \"at the end\"");
    let mut command = world.session_command(&["run", "one", "dev", "--detach"]);
    command.env("ORCHESTRA_CORE_MAX_OUTPUT", "64KiB");
    crate::ran::ran(command).ok().says("dev is ready");
    let log = log(&world);
    let length = std::fs::metadata(log).unwrap().len();
    assert!(length < 200_000, "{length}");
    stop(&world);
}
