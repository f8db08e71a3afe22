//! Servers, killed at each of their places: none is left that nobody carries, none is taken for another, and the same again
//! starts it.

use std::net::{Ipv4Addr, TcpListener, TcpStream};

use orchestra_testkit::{processes, small_web, wait_until};
use serde_json::Value;

use super::scenario;
use crate::concurrency::world::{Made, PATIENCE, World, shown};

/// Places in the start of a server, in the face and in its runner.
pub(super) const START: &[&str] = &["server.recorded", "script.recorded"];
/// Places in a runner whose server is there already.
pub(super) const RUN: &[&str] = &["server.readiness_recorded"];
/// Places in a runner that takes a server over.
pub(super) const TAKE_OVER: &[&str] = &["server.taking_over", "server.taken_over"];
/// Places in the start of a server whose port somebody took.
pub(super) const MOVE: &[&str] = &["server.ports_moved"];
/// Places in the recovery of a server.
pub(super) const RECOVER: &[&str] = &["server.swept"];
/// Places in `cleanup` of a session with a server.
pub(super) const CLEANUP: &[&str] = &["servers.ended", "cleanup.intended", "cleanup.done"];

const START_IT: &[&str] = &["run", "victim", "dev", "--detach", "--json"];
const STOP_IT: &[&str] = &["run", "victim", "dev", "--stop"];

/// A session with a web application.
fn world() -> (World, Made) {
    world_with("", "")
}

/// The same with more scripts and servers.
fn world_with(scripts: &str, servers: &str) -> (World, Made) {
    let world = World::new(&scenario());
    let settings = small_web::settings(scripts, servers);
    world.repository.write(".orchestra/config.toml", &settings);
    world.repository.commit("settings");
    world.allow_commands();
    let session = world.create("victim", &["--wait-setup"]);
    (world, session)
}

impl World {
    fn serve(&self) -> u16 {
        let started: Value = serde_json::from_str(&self.succeed(START_IT)).unwrap();
        let server = &started["script_run"]["server"];
        assert_eq!(server["state"], "ready");
        u16::try_from(server["port"].as_u64().unwrap()).unwrap()
    }

    fn kill_runners(&self) {
        self.runners().into_iter().for_each(processes::kill);
        wait_until("no runner is left", PATIENCE, || self.runners().is_empty());
    }

    fn leased_ports(&self) -> i64 {
        self.count("SELECT count(*) FROM ports")
    }
}

#[test]
fn a_server_that_was_cut_off_is_started_by_the_same_again() {
    for place in START {
        let (world, session) = world();
        world.abort_at(place, START_IT);
        world.wait_until_nobody_works();
        world.recover_twice_killed(place);
        assert_eq!(world.leased_ports(), 1, "{place}");
        world.serve();
        world.succeed(STOP_IT);
        world.goes_on(&session, place);
    }
    println!(
        "failpoints in the start of a server {}, lost 0",
        START.len()
    );
}

#[test]
fn ports_that_were_moved_are_moved_whole() {
    for place in MOVE {
        let (world, session) = world();
        let port = world.serve();
        world.succeed(STOP_IT);
        let stranger = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
        let output = world.abort_at(place, START_IT);
        assert!(!output.status.success(), "{place}");
        world.recover_twice_killed(place);
        assert_eq!(world.leased_ports(), 1, "{place}");
        assert_ne!(world.serve(), port, "{place}");
        drop(stranger);
        world.succeed(STOP_IT);
        world.goes_on(&session, place);
    }
}

#[test]
fn a_server_goes_on_when_its_runner_is_cut_off() {
    for place in RUN {
        let (world, session) = world();
        world.abort_at(place, START_IT);
        world.heal();
        let port = world.serve();
        assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok());
        let runs = "SELECT count(*) FROM script_runs WHERE is_server";
        assert_eq!(world.count(runs), 1, "{place}");
        world.succeed(STOP_IT);
        world.goes_on(&session, place);
    }
}

#[test]
fn a_server_is_taken_over_whatever_was_cut_off_before() {
    for place in TAKE_OVER {
        let (world, session) = world();
        let port = world.serve();
        world.kill_runners();
        let looked = world.abort_at(place, &["status", "victim"]);
        assert!(looked.status.success(), "{place}: {}", shown(&looked));
        assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok());
        world.heal();
        assert_eq!(world.serve(), port, "{place}: the same one");
        world.kill_runners();
        // Whoever wants it gone does not need a runner for that.
        let stopped = world.abort_at(place, STOP_IT);
        assert!(stopped.status.success(), "{place}: {}", shown(&stopped));
        assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err());
        world.wait_until_nobody_works();
        world.recover_twice_killed(place);
        world.goes_on(&session, place);
    }
    println!(
        "failpoints in taking a server over {}, lost 0",
        TAKE_OVER.len()
    );
}

#[test]
fn a_server_that_is_stopped_takes_no_other_along() {
    let (world, session) = world_with("api = \"sleep 600\"\n", "\n[servers.api]\n");
    world.serve();
    world.succeed(&["run", "victim", "api", "--detach"]);
    let runner =
        world.column("SELECT CAST(runner ->> 'pid' AS TEXT) FROM script_runs WHERE script = 'api'");
    let runner: u32 = runner[0].parse().unwrap();
    processes::kill(runner);
    wait_until("it is gone", PATIENCE, || !processes::alive(runner));
    let stopped = world.abort_at("server.taking_over", STOP_IT);
    assert!(stopped.status.success(), "{}", shown(&stopped));
    let ended = world.column("SELECT script FROM script_runs WHERE is_server AND result NOT NULL");
    assert_eq!(ended, ["dev"]);
    world.heal();
    let again = world.succeed(&["run", "victim", "api", "--detach", "--json"]);
    let again: Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again["was_running"], true);
    world.succeed(&["run", "victim", "api", "--stop"]);
    world.goes_on(&session, "beside another");
}

#[test]
fn a_recovery_that_was_cut_off_is_finished_by_the_next() {
    for place in RECOVER {
        let (world, session) = world();
        world.serve();
        let guardians = world.guardians();
        world.kill_runners();
        guardians.into_iter().for_each(processes::kill);
        wait_until("no guardian is left", PATIENCE, || {
            world.guardians().is_empty()
        });
        let output = world.abort_at(place, &["status", "victim"]);
        assert!(!output.status.success(), "{place}: {}", shown(&output));
        world.recover_twice_killed(place);
        world.serve();
        world.succeed(STOP_IT);
        world.goes_on(&session, place);
    }
}

#[test]
fn a_cleanup_that_was_cut_off_leaves_no_server_beside_the_trash() {
    for place in CLEANUP {
        let (world, session) = world();
        world.serve();
        let output = world.abort_at(place, &["cleanup", "victim"]);
        assert!(!output.status.success(), "{place}");
        world.wait_until_nobody_works();
        world.heal();
        if session.worktree.exists() {
            world.succeed(&["cleanup", "victim"]);
        }
        assert!(!session.worktree.exists(), "{place}");
        assert_eq!(world.leased_ports(), 0, "{place}");
        world.succeed(&["undo", "victim"]);
        world.serve();
        world.succeed(STOP_IT);
        world.goes_on(&session, place);
    }
}
