//! Twenty sessions of one repository with a server each: none meets another, whatever is killed.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Stdio};
use std::time::Duration;

use orchestra_testkit::{Sandbox, processes, small_web, wait_until};
use serde_json::Value;

use super::killed::pid_in;
use super::{ask, assert_healthy, listens, port};
use crate::dice::Dice;
use crate::made::Made;
use crate::ran::ended;
use crate::world::{PATIENCE, World};

const SESSIONS: usize = 20;
const PORTS: u16 = 40;
const STRANGERS: usize = 6;
const KILLS: usize = 24;

/// A range of ports in which some are taken.
fn range_with_strangers(dice: &mut Dice) -> (String, Vec<TcpListener>) {
    let first = 20_000 + u16::try_from(dice.below(9_000)).unwrap();
    let last = first + PORTS - 1;
    let every = usize::from(PORTS) / STRANGERS;
    let chosen = (first..=last).step_by(every).take(STRANGERS);
    let strangers = chosen.filter_map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok());
    (format!("{first}-{last}"), strangers.collect())
}

fn world(range: &str) -> World {
    let sandbox = Sandbox::new().with_variable("ORCHESTRA_WORKTREE_PORT_RANGE", range);
    let world = World::of(sandbox);
    world.settle(&small_web::settings("", ""));
    world
}

/// Starts a command for every session at once.
fn start_each(world: &World, sessions: &[Made], words: &[&str], more: &[&str]) -> Vec<Child> {
    let start = |made: &Made| world.start(&[words, &[&made.id], more].concat());
    sessions.iter().map(start).collect()
}

/// Every server, as the store and the kernel know it.
fn servers(world: &World) -> Vec<Value> {
    let listing = world.json(&["list", "--no-refresh"]);
    let sessions = listing["sessions"].as_array().unwrap();
    let runs = sessions.iter().map(|session| session["servers"][0].clone());
    runs.collect()
}

/// A server that is said to be ready is the session's own, and has what its session wrote and nothing else.
fn assert_own(run: &Value) {
    let session = run["session_id"].as_str().unwrap();
    let told = ask(port(run), "GET /");
    assert_eq!(told["session"], session);
    assert!(told["database"].as_str().unwrap().contains(session));
    assert_eq!(told["rows"], serde_json::json!([session]));
}

fn kill_runner(world: &World, made: &Made) {
    let runner = format!(
        "SELECT max(runner) FROM script_runs WHERE is_server AND result IS NULL AND session = '{}'",
        made.id
    );
    if let Some(runner) = world.value(&runner) {
        processes::kill(pid_in(&runner));
    }
}

/// Faces and runners are killed at moments nobody chose.
fn kill_at_random(world: &World, sessions: &[Made], dice: &mut Dice) {
    for _ in 0..KILLS {
        let made = &sessions[dice.below(sessions.len())];
        let restart = ["run", &made.id, "dev", "--restart"];
        let look = ["status", &made.id];
        let words = match dice.below(2) {
            0 => &restart[..],
            _ => {
                // Then it is taken over while something is killed again.
                kill_runner(world, made);
                &look
            }
        };
        let mut command = world.session_command(words);
        let mut face = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(dice.below(400) as u64));
        match dice.below(3) {
            0 => kill_runner(world, made),
            1 => processes::kill(face.id()),
            _ => {
                kill_runner(world, made);
                processes::kill(face.id());
            }
        }
        face.wait().unwrap();
    }
}

#[test]
fn twenty_servers_never_meet() {
    // Another range of ports in every run, because others may run on this machine.
    let seed = u64::from(std::process::id());
    println!("seed {seed}");
    let mut dice = Dice::new(seed);
    let (range, strangers) = range_with_strangers(&mut dice);
    let world = world(&range);
    let names: Vec<String> = (1..=SESSIONS).map(|number| format!("s{number}")).collect();
    let sessions: Vec<Made> = names.iter().map(|name| world.session(name)).collect();

    let started = start_each(&world, &sessions, &["run"], &["dev", "--detach", "--json"]);
    let mut ports = BTreeSet::new();
    for (child, made) in started.into_iter().zip(&sessions) {
        let run = ended(child).ok().json()["script_run"].clone();
        assert_eq!(run["server"]["state"], "ready", "{run}");
        ports.insert(port(&run));
        ask(port(&run), &format!("POST /{}", made.id));
    }
    assert_eq!(ports.len(), SESSIONS);
    let taken = strangers.iter().map(|it| it.local_addr().unwrap().port());
    assert!(taken.into_iter().all(|port| !ports.contains(&port)));
    servers(&world).iter().for_each(assert_own);

    kill_at_random(&world, &sessions, &mut dice);
    wait_until("everything has come to rest", PATIENCE, || {
        let starting = |run: &Value| run["server"]["state"] == "starting";
        !servers(&world).iter().any(starting)
    });
    assert_healthy(&world);
    let known = servers(&world);
    for run in &known {
        match run["server"]["state"].as_str() {
            Some("ready") => assert_own(run),
            _ => wait_until("it is gone", PATIENCE, || !listens(port(run))),
        }
    }
    let ready = known.iter().filter(|run| run["server"]["state"] == "ready");
    let leases = world.orchestra(&["leases", "--json"]).ok().json();
    let leases = leases["ports"].as_array().unwrap().clone();
    let served = leases.iter().filter(|lease| lease["served_by"] == "dev");
    assert_eq!((leases.len(), served.count()), (SESSIONS, ready.count()));

    for child in start_each(&world, &sessions, &["archive"], &[]) {
        ended(child).ok();
    }
    let leases = world.orchestra(&["leases", "--json"]).ok().json();
    assert_eq!(leases["ports"].as_array().unwrap().len(), 0);
    assert!(
        !ports.into_iter().any(listens),
        "a server outlived its session"
    );
    world.wait_until_quiet();
    println!(
        "servers {SESSIONS}, kills {KILLS}, strangers {}",
        strangers.len()
    );
}
