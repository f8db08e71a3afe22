//! Servers: scripts that stay, beside everything else that is done in their session.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod ended;
mod killed;
mod many;
mod ready;
mod taken;
mod taken_over;

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};

use orchestra_testkit::{small_web, wait_until};
use serde_json::Value;

use crate::ran::{ended, first_line, signal};
use crate::world::{PATIENCE, World};

/// A repository whose sessions have a web application, with a port and a database each.
fn world() -> World {
    world_with("")
}

fn world_with(more: &str) -> World {
    let world = World::new();
    world.settle(&small_web::settings("test = \"true\"\n", more));
    world
}

/// The same with a session `one` that is set up.
fn with_one() -> World {
    let world = world();
    world.session_with("one", &["--wait-setup"]);
    world
}

/// A repository with one server, which is this command line.
fn serving(command: &str, settings: &str) -> World {
    let world = World::new();
    world.settle(&format!(
        "[ports]\nweb = 1\n\n[scripts]\ndev = {command:?}\n\n[servers.dev]\n{settings}\n"
    ));
    world.session_with("one", &["--wait-setup"]);
    world
}

/// How the only server of a session stands.
fn server(world: &World, session: &str) -> Value {
    world.json(&["status", session])["session"]["servers"][0].clone()
}

fn state(world: &World, session: &str) -> String {
    let state = &server(world, session)["server"]["state"];
    state.as_str().unwrap_or("none").to_owned()
}

fn wait_for(world: &World, wanted: &str) {
    let what = format!("the server is {wanted}");
    wait_until(&what, PATIENCE, || state(world, "one") == wanted);
}

/// Starts the server of `one` and answers its run.
fn start(world: &World) -> Value {
    world.json(&["run", "one", "dev", "--detach"])["script_run"].clone()
}

/// Ends the server of `one`, and leaves when nothing runs any more.
fn stop(world: &World) {
    world.run(&["run", "one", "dev", "--stop"]).ok();
    world.wait_until_quiet();
}

/// Where the words of the server are.
fn log(world: &World) -> String {
    let log = &server(world, "one")["log"];
    log.as_str().unwrap().to_owned()
}

/// Lets a server go on that waits for the file `go`.
fn let_go(world: &World) {
    world.tree(&world.made("one")).write("go", "");
}

fn port(run: &Value) -> u16 {
    u16::try_from(run["server"]["port"].as_u64().unwrap()).unwrap()
}

/// What the web application on a port answers.
fn ask(port: u16, request: &str) -> Value {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    write!(stream, "{request} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (_head, body) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

fn listens(port: u16) -> bool {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// What can be put right is, and nothing is left to be.
fn assert_healthy(world: &World) {
    world.orchestra(&["doctor", "--fix"]).ok();
    world.orchestra(&["doctor"]).ok();
}

#[test]
fn a_server_runs_beside_everything_else() {
    let world = with_one();
    let made = world.made("one");
    let started = world.json(&["run", "one", "dev", "--detach"]);
    assert_eq!(started["was_running"], false);
    let run = &started["script_run"];
    assert_eq!(run["server"]["state"], "ready");
    let port = port(run);
    let url = format!("http://one-{}.localhost:{port}/", made.id);
    assert_eq!(run["server"]["url"], url.as_str());
    assert_eq!(ask(port, "GET /")["session"], made.id.as_str());
    let local = format!("http://127.0.0.1:{port}/");
    assert_eq!(run["server"]["local_url"], local.as_str());
    let both = format!("{url} or {local}");
    world.run(&["status", "one"]).ok().says(&both);
    world.run(&["list"]).ok().says("idle +dev");
    let leases = world.orchestra(&["leases", "--json"]).ok().json();
    assert_eq!(leases["ports"][0]["served_by"], "dev");
    world.orchestra(&["leases"]).ok().says("(served by dev)");
    world
        .orchestra(&["queue"])
        .ok()
        .says("nothing runs and nothing waits");

    world.run(&["iterate", "one"]).ok();
    world.run(&["run", "one", "test"]).ok().says("passed");
    world.tree(&made).write("by-hand.txt", "x\n");
    world.run(&["commit", "one", "-m", "By hand"]).ok();
    world.run(&["squash", "one", "--message", "One"]).ok();
    assert_eq!(ask(port, "GET /")["session"], made.id.as_str());

    world
        .run(&["stop", "one"])
        .refuses(3, "nothing runs")
        .says("dev --stop");
    world.run(&["attach", "one"]).ok().says("dev --follow");
    world.run(&["wait", "one"]).ok();
    let again = world.json(&["run", "one", "dev", "--detach"]);
    assert_eq!(again["was_running"], true);
    assert_eq!(again["script_run"]["id"], run["id"]);
    world
        .run(&["run", "one", "dev"])
        .ok()
        .says("it ran already")
        .says(&url);
    world
        .run(&["run", "one", "dev", "--stop"])
        .ok()
        .says("is stopped");
    assert!(!listens(port));
    assert_eq!(state(&world, "one"), "stopped");
    world
        .run(&["run", "one", "dev", "--stop"])
        .ok()
        .says("does not run");
    let needs = world.json(&["list", "--needs-me"]);
    assert_eq!(needs["sessions"].as_array().unwrap().len(), 0);
    assert_healthy(&world);
    world.wait_until_quiet();
}

#[test]
fn what_it_says_is_shown_until_ctrl_c_ends_it() {
    let world = with_one();
    let made = world.made("one");
    let mut shown = world.start(&["run", "one", "dev"]);
    assert!(first_line(&mut shown).starts_with("listening on port"));
    wait_for(&world, "ready");
    let port = port(&server(&world, "one"));
    signal(&world.sandbox, "INT", shown.id().into());
    ended(shown)
        .ends_with(130)
        .says(&format!(
            "dev is ready at http://one-{}.localhost:",
            made.id
        ))
        .says("stopping the server");
    assert!(!listens(port));
    assert_eq!(state(&world, "one"), "stopped");
    world.wait_until_quiet();
}

#[test]
fn one_that_runs_can_be_watched_and_left() {
    let world = with_one();
    world
        .run(&["run", "one", "dev", "--follow"])
        .refuses(3, "does not run");
    let run = start(&world);
    let mut watched = world.start(&["run", "one", "dev", "--follow"]);
    assert!(first_line(&mut watched).starts_with("listening on port"));
    signal(&world.sandbox, "INT", watched.id().into());
    ended(watched).ok().says("dev goes on");
    assert!(listens(port(&run)));
    stop(&world);
}

#[test]
#[cfg(target_os = "linux")]
fn one_that_was_watched_in_json_is_told_when_it_is_left() {
    let world = with_one();
    start(&world);
    let mut watched = world.start(&["run", "one", "dev", "--follow", "--json"]);
    let pid = watched.id();
    wait_until("it hears interrupts", PATIENCE, || {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let caught = status.lines().find_map(|it| it.strip_prefix("SigCgt:"));
        u64::from_str_radix(caught.unwrap().trim(), 16).unwrap() & 2 != 0
    });
    wait_until("it is left", PATIENCE, || {
        signal(&world.sandbox, "INT", pid.into());
        watched.try_wait().unwrap().is_some()
    });
    let left = ended(watched).ok().json();
    assert_eq!(left["was_running"], true);
    assert_eq!(left["script_run"]["server"]["state"], "ready");
    stop(&world);
}

#[test]
fn a_restart_is_another_run_in_the_same_place() {
    let world = with_one();
    let first = world.json(&["run", "one", "dev", "--restart"]);
    assert_eq!(first["was_running"], false);
    let second = world.json(&["run", "one", "dev", "--restart"]);
    assert_eq!(second["was_running"], true);
    assert_ne!(first["script_run"]["id"], second["script_run"]["id"]);
    assert_eq!(
        first["script_run"]["server"]["port"],
        second["script_run"]["server"]["port"]
    );
    stop(&world);
}

#[test]
fn a_restart_that_could_not_begin_ends_nothing() {
    let world = with_one();
    start(&world);
    let before = server(&world, "one");
    let elsewhere = ["--set-config", "servers.dev.port=nowhere"];
    let words = ["run", "one", "dev", "--restart"];
    world
        .run(&[&words[..], &elsewhere].concat())
        .refuses(3, "there are none called so");
    let wrong = ["--set-config", "servers.dev.url=http://{nobody}/"];
    world.run(&[&words[..], &wrong].concat()).ends_with(3);
    let after = server(&world, "one");
    assert_eq!(after["id"], before["id"]);
    assert_eq!(after["server"]["state"], "ready");
    stop(&world);
}

#[test]
fn only_servers_are_stopped_watched_and_restarted_by_name() {
    let world = with_one();
    for wish in ["--stop", "--restart", "--follow"] {
        world
            .run(&["run", "one", "test", wish])
            .refuses(2, "`test` is not a server");
        world.run(&["run", "one", wish]).ends_with(2);
    }
    world
        .run(&["run", "one", "dev", "--stop", "--detach"])
        .ends_with(2);
}

#[test]
fn a_server_of_the_repository_runs_only_when_it_is_allowed() {
    let world = World::new();
    world.repository.write(
        ".orchestra/config.toml",
        "[scripts]\ndev = \"touch ran; sleep 60\"\n[servers.dev]\nready_within = \"1s\"\n",
    );
    let made = world.session("one");
    world
        .run(&["run", "one", "dev", "--detach"])
        .refuses(3, "is not allowed yet");
    assert!(!made.worktree.join("ran").exists());
    world.run(&["run", "one", "dev", "--detach", "--yes"]).ok();
    wait_until("it runs", PATIENCE, || made.worktree.join("ran").exists());
    world.orchestra(&["commands", "forget", "scripts.dev"]).ok();
    world
        .run(&["run", "one", "dev", "--restart"])
        .refuses(3, "is not allowed yet");
    assert_eq!(
        state(&world, "one"),
        "ready",
        "it was not ended for nothing"
    );
    stop(&world);
}
