//! Ports and databases: who has which, and what programs are told of it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::net::{Ipv4Addr, TcpListener};

use serde_json::Value;

use crate::world::World;

const SETTINGS: &str = "\
[ports]
web = 2
api = 1

[databases.main]
kind = \"sqlite\"

[worktree.variables]
API_URL = \"http://{hostname}:{port.api}/\"
";

fn settled(settings: &str) -> World {
    let world = World::new();
    world.repository.write(".orchestra/config.toml", settings);
    world
}

/// What a script of the session is told.
fn variables(world: &World, session: &str) -> BTreeMap<String, String> {
    let printed = world.run(&["run", session]).ok().stdout;
    let pairs = printed.lines().filter_map(|line| line.split_once('='));
    pairs
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn leases(world: &World) -> Value {
    world.orchestra(&["leases", "--json"]).ok().json()
}

fn ports(world: &World) -> Vec<u64> {
    let listing = leases(world);
    let blocks = listing["ports"].as_array().unwrap();
    let numbers = |block: &Value| {
        let first = block["first"].as_u64().unwrap();
        first..first + block["count"].as_u64().unwrap()
    };
    blocks.iter().flat_map(numbers).collect()
}

#[test]
fn programs_are_told_what_the_session_has_for_itself() {
    let world = settled(SETTINGS);
    let made = world.session_with("one", &["--script", "env"]);
    let told = variables(&world, "one");
    let blocks = leases(&world)["ports"].clone();
    let first = |name: &str| {
        let blocks = blocks.as_array().unwrap().iter();
        let mut named = blocks.filter(|block| block["name"] == name);
        named.next().unwrap()["first"].as_u64().unwrap()
    };
    let (web, api) = (first("web"), first("api"));
    assert_eq!(told["PORT"], web.to_string());
    assert_eq!(told["ORCHESTRA_PORT_WEB"], web.to_string());
    assert_eq!(told["ORCHESTRA_PORT_WEB_2"], (web + 1).to_string());
    assert_eq!(told["ORCHESTRA_PORT_API"], api.to_string());
    let hostname = format!("one-{}.localhost", made.id);
    assert_eq!(told["ORCHESTRA_HOSTNAME"], hostname);
    assert_eq!(told["API_URL"], format!("http://{hostname}:{api}/"));
    assert_eq!(told["COMPOSE_PROJECT_NAME"], format!("one-{}", made.id));
    assert_eq!(told["ORCHESTRA_SESSION"], made.id);
    let file = &told["ORCHESTRA_DATABASE_MAIN"];
    assert!(
        file.contains(&made.id) && file.ends_with("/main.db"),
        "{file}"
    );
    assert_eq!(told["DATABASE_URL"], format!("sqlite://{file}"));
    let detail = world.json(&["status", "one"]);
    assert_eq!(detail["ports"].as_array().unwrap().len(), 2);
    assert_eq!(detail["databases"][0]["state"], "reserved");
    std::fs::write(file, "").unwrap();
    let detail = world.json(&["status", "one"]);
    assert_eq!(detail["databases"][0]["state"], "ready");
    let shown = format!("web {web}-{}", web + 1);
    world.run(&["status", "one"]).ok().says(&shown);
    let root = world.repository.root().to_string_lossy().into_owned();
    let shown = world.orchestra(&["leases"]).ok().says("3 lease(s)");
    for part in [made.id.as_str(), "one", &root, "ports web", "(ready)"] {
        assert!(shown.stdout.contains(part), "{part}: {}", shown.stdout);
    }
    for leased in ["ports", "databases"] {
        let row = &leases(&world)[leased][0];
        assert_eq!(row["session_id"], made.id);
        assert_eq!(
            (&row["session_name"], &row["repository"]),
            (&"one".into(), &root.clone().into())
        );
    }
}

#[test]
fn the_agent_has_the_same_variables() {
    let world = World::with_scenario("[[step]]\ndo = 'print_env'\npath = 'told.txt'\n");
    world.repository.write(".orchestra/config.toml", SETTINGS);
    let made = world.session("one");
    world.run(&["iterate", "one"]).ok();
    let told = world.tree(&made).read("told.txt");
    let port = leases(&world)["ports"][0]["first"].to_string();
    assert!(told.contains(&port) && told.contains("API_URL"), "{told}");
}

#[test]
fn no_two_sessions_meet_and_nothing_stays_leased() {
    let world = settled(SETTINGS);
    for name in ["one", "two", "three", "four"] {
        world.session_with(name, &["--wait-setup"]);
    }
    let all = ports(&world);
    let different: BTreeSet<_> = all.iter().collect();
    assert_eq!((all.len(), different.len()), (12, 12), "{all:?}");
    world.run(&["cleanup", "one"]).ok();
    world.run(&["archive", "two"]).ok();
    assert_eq!(ports(&world).len(), 6);
    world.run(&["undo", "one"]).ok();
    world.run(&["set", "one", "script", "env"]).ok();
    assert!(variables(&world, "one").contains_key("PORT"));
    assert_eq!(ports(&world).len(), 9);
}

#[test]
fn sessions_of_the_same_name_have_names_of_their_own() {
    let world = World::new();
    let first = world.session_with("one", &["--script", "env"]);
    let told = variables(&world, "one");
    world.run(&["cleanup", "one"]).ok();
    world.orchestra(&["trash", "empty", "--all", "--yes"]).ok();
    world.session_with("one", &["--script", "env"]);
    let again = world.json(&["status", "one"])["session"]["id"].clone();
    assert_ne!(again, first.id.as_str());
    let later = variables(&world, "one");
    for name in ["ORCHESTRA_HOSTNAME", "COMPOSE_PROJECT_NAME"] {
        assert_ne!(told[name], later[name], "{name}");
    }
}

#[test]
fn another_name_changes_nothing_that_programs_go_by() {
    let world = World::new();
    world.session_with("one", &["--script", "env"]);
    let told = variables(&world, "one");
    world.run(&["set", "one", "name", "two"]).ok();
    world.run(&["set", "two", "name", "three"]).ok();
    let later = variables(&world, "three");
    for name in ["ORCHESTRA_HOSTNAME", "COMPOSE_PROJECT_NAME"] {
        assert_eq!(told[name], later[name], "{name}");
    }
}

#[test]
fn a_port_of_a_stranger_is_skipped() {
    let world = World::new();
    let stranger = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let taken = stranger.local_addr().unwrap().port();
    let range = format!("{}-{}", taken - 1, taken + 1);
    world
        .repository
        .write(".orchestra/config.toml", "[ports]\nweb = 1\n");
    let set = format!("worktree.port_range={range}");
    for name in ["one", "two"] {
        world.session_with(name, &["--set-config", &set]);
    }
    assert!(!ports(&world).contains(&u64::from(taken)));
    let words = ["new", "--name", "three", "--prompt", "x", "--set-config"];
    let words: Vec<&str> = words.into_iter().chain([set.as_str()]).collect();
    world.run(&words).ok().says("no block of 1 free port(s)");
}

#[test]
fn settings_that_cannot_be_filled_in_are_named() {
    for (settings, message) in [
        ("[worktree.variables]\nA = \"{nope}\"\n", "`{nope}`"),
        (
            "[worktree.variables]\nNODE_OPTIONS = \"x\"\n",
            "cannot choose the value of `NODE_OPTIONS`",
        ),
    ] {
        let world = settled(settings);
        world.session_with("one", &["--script", "env"]);
        world.run(&["run", "one"]).refuses(3, message);
    }
}
