//! Everything that a caller does is recorded under its name, and what the user does is not.

use serde_json::{Value, json};

use crate::world::World;

#[test]
fn every_call_that_changes_something_names_its_caller() {
    let world = World::with_scenario(
        "
[[step]]
do = 'write'
path = 'greeting.txt'
text = 'hello'
",
    );
    let mut client = world.serve(&["--name", "claude", "--allow-land"]);
    let id = client.made("one");
    let one = json!({ "session": "one" });
    client.ok(
        "session_squash",
        &json!({ "session": "one", "message": "Greet" }),
    );
    client.refused("session_cleanup", &one, "grant.deletion");
    let answer = json!({ "session": "one", "text": "Yes" });
    client.refused("session_answer", &answer, "session.wrong_state");
    world.run(&["approve", "one"]).ok();
    client.ok("session_merge", &one);
    client.close();
    world.run(&["undo", "one"]).ok();

    let log = world.json(&["log", "one"]);
    let calls: Vec<(&str, Option<&str>)> = log["calls"]
        .as_array()
        .unwrap()
        .iter()
        .inspect(|call| assert_eq!(call["caller"], "mcp:claude"))
        .map(|call| (call["tool"].as_str().unwrap(), call["refused"].as_str()))
        .collect();
    assert_eq!(
        calls,
        [
            ("session_create", None),
            ("session_squash", None),
            ("session_cleanup", Some("grant.deletion")),
            ("session_answer", None),
            ("session_merge", None),
        ]
    );
    let failed: Vec<&Value> = log["calls"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|call| !call["failed"].is_null())
        .map(|call| &call["failed"])
        .collect();
    assert_eq!(failed, ["session.wrong_state"]);
    let operations = world.json(&["operations", "one"]);
    let by: Vec<(&str, Option<&str>)> = operations["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["kind"].as_str().unwrap(), it["caller"].as_str()))
        .collect();
    let caller = Some("mcp:claude");
    assert_eq!(by, [("squash", caller), ("merge", caller), ("undo", None)]);
    world
        .run(&["operations", "one"])
        .ok()
        .says("(by mcp:claude)");
    world
        .run(&["log", "one"])
        .ok()
        .says("session_merge by mcp:claude")
        .says("session_answer by mcp:claude, failed: session.wrong_state");
    world.run(&["status", &id]).ok().says("by mcp:claude");
    world.wait_until_quiet();
}

#[test]
fn a_refused_creation_is_recorded_too() {
    let world = World::new();
    let mut client = world.serve(&["--name", "claude", "--sessions", "0"]);
    client.refused(
        "session_create",
        &json!({ "name": "one", "prompt": "x" }),
        "grant.sessions",
    );
    client.close();
    let recorded = world.value("SELECT body FROM events WHERE type = 'tool_called'");
    let recorded = recorded.unwrap();
    assert!(
        recorded.contains("mcp:claude") && recorded.contains("grant.sessions"),
        "{recorded}"
    );
}

#[test]
fn a_caller_without_a_usable_name_is_not_served() {
    let world = World::new();
    for name in ["--force", "../up", "a b", ""] {
        world
            .orchestra(&["mcp", "serve", &format!("--name={name}")])
            .ends_with(2)
            .says("names no caller");
    }
    world
        .orchestra(&["mcp", "serve", "--budget", "10tokens"])
        .ends_with(2)
        .says("expected dollars");
}
