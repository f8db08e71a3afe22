//! A server in the background, and the browser that is led to it.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Stdio;

use orchestra_testkit::{Sandbox, processes, wait_until, write_program};
use serde_json::Value;

use crate::world::{PATIENCE, World};

/// A world with a browser that notes what it was asked to show, and stays for a while as browsers do.
fn world() -> (World, PathBuf) {
    let sandbox = Sandbox::new();
    let (programs, shown) = (sandbox.path("programs"), sandbox.path("shown"));
    fs::create_dir(&programs).unwrap();
    let note = format!(
        "#!/bin/sh\ncat \"$1\" >> {}\nexec sleep 1\n",
        shown.display()
    );
    for name in ["xdg-open", "open"] {
        write_program(&programs.join(name), &note);
    }
    let path = std::env::join_paths([programs, "/usr/bin".into(), "/bin".into()]).unwrap();
    (World::of(sandbox.with_variable("PATH", path)), shown)
}

/// Where the server is, and its process.
fn running(world: &World) -> Option<Value> {
    let path = world.sandbox.data_dir().join("server/running.json");
    serde_json::from_str(&fs::read_to_string(path).ok()?).ok()
}

/// What the server answers to a request for a page that needs no token.
fn answer(server: &Value) -> String {
    let address = server["url"]
        .as_str()
        .unwrap()
        .strip_prefix("http://")
        .unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let request =
        format!("GET /api/v1/health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn end(world: &World, server: &Value) {
    let pid = server["pid"].as_u64().unwrap();
    processes::kill(u32::try_from(pid).unwrap());
    world.wait_until_quiet();
}

#[test]
fn the_first_command_that_needs_a_server_starts_it_and_the_next_finds_it() {
    let (world, shown) = world();
    let made = world.session("login");
    let first = world.orchestra(&["ui", "login"]).ok();
    let server = running(&world).expect("a server runs");
    let url = server["url"].as_str().unwrap();
    let page = format!("{url}/sessions/{}#token=", made.id);
    assert!(first.stdout.starts_with(&page), "{}", first.stdout);
    wait_until("the browser was asked", PATIENCE, || {
        fs::read_to_string(&shown).is_ok_and(|text| text.contains(&page))
    });
    assert!(answer(&server).starts_with("HTTP/1.1 "));
    let second = world.orchestra(&["ui", "--no-open"]).ok();
    assert!(second.stdout.starts_with(&format!("{url}/#token=")));
    let third = world.orchestra(&["serve", "--background", "--json"]).ok();
    assert_eq!(third.json()["pid"], server["pid"]);
    end(&world, &server);
}

#[test]
fn of_many_that_start_a_server_at_once_one_serves() {
    let (world, _) = world();
    world.session("login");
    let mut commands: Vec<_> = (0..6)
        .map(|_| {
            let mut command = world.sandbox.orchestra();
            command.args(["ui", "--no-open", "--json"]);
            command.stdout(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    let mut pids = Vec::new();
    for command in commands.drain(..) {
        let output = command.wait_with_output().unwrap();
        assert!(output.status.success());
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        pids.push(told["pid"].clone());
    }
    let server = running(&world).expect("a server runs");
    assert!(pids.iter().all(|pid| *pid == server["pid"]), "{pids:?}");
    end(&world, &server);
}

#[test]
fn a_server_in_the_foreground_opens_a_browser() {
    let (world, shown) = world();
    let mut command = world.sandbox.orchestra();
    command.args(["serve", "--port", "0", "--open"]);
    let mut child = command.spawn().unwrap();
    wait_until("the browser was asked", PATIENCE, || {
        fs::read_to_string(&shown).is_ok_and(|text| text.contains("/#token="))
    });
    assert_eq!(child.try_wait().unwrap(), None, "it serves");
    let server = running(&world).unwrap();
    processes::kill(child.id());
    child.wait().unwrap();
    end(&world, &server);
}
