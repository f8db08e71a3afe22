//! A server that goes away in the middle of something, and one that is asked for much at once.

use orchestra_testkit::wait_until;
use serde_json::{Value, json};

use super::client::Client;
use crate::world::{PATIENCE, World};

const WRITES: &str = "
[[step]]
do = 'write'
path = 'greeting.txt'
text = 'hello'
";

/// Places between the first and the last step of a landing.
const PLACES: &[&str] = &[
    "rebase.intended",
    "rebase.done",
    "merge.intended",
    "merge.done",
];

#[test]
fn a_landing_that_was_cut_off_is_finished_by_the_next_server() {
    for place in PLACES {
        let world = World::with_scenario(WRITES);
        let words = ["--name", "claude", "--allow-land"];
        let mut client = world.serve(&words);
        client.made("one");
        client.close();
        world.repository.write("other.txt", "theirs");
        world.repository.git(&["add", "."]);
        world.repository.git(&["commit", "-q", "-m", "Add a file"]);
        world.run(&["approve", "one"]).ok();

        let mut command = world.sandbox.orchestra();
        command.args(["mcp", "serve"]).args(words);
        command.env("ORCHESTRA_FAILPOINT", place);
        let mut doomed = Client::of(command);
        let land = json!({ "name": "session_land", "arguments": { "sessions": ["one"] } });
        doomed.ask("tools/call", &land);
        let status = doomed.child.wait().unwrap();
        assert!(!status.success(), "{place} was never passed");

        let mut next = world.serve(&words);
        let one = json!({ "session": "one" });
        let is_over = |status: &Value| status["session"]["status"] == "completed";
        if !is_over(&next.ok("session_status", &one)) {
            world.run(&["approve", "one"]).ok();
            let landed = next.ok("session_land", &json!({ "sessions": ["one"] }));
            assert_eq!(landed["complete"], true, "{place}: {landed}");
        }
        assert!(is_over(&next.ok("session_status", &one)), "{place}");
        next.close();
        let main = |path: &str| world.repository.git(&["show", &format!("main:{path}")]);
        assert_eq!(
            (main("greeting.txt"), main("other.txt")),
            ("hello".into(), "theirs".into())
        );
        assert_eq!(
            world.repository.git(&["status", "--porcelain"]),
            "",
            "{place}"
        );
        require_callers(&world, place);
    }
}

/// What recovery finished is still the doing of whoever asked for it.
fn require_callers(world: &World, place: &str) {
    let operations = world.json(&["operations", "one"]);
    let operations = operations["operations"].as_array().unwrap();
    assert!(!operations.is_empty());
    for operation in operations {
        assert_eq!(operation["caller"], "mcp:claude", "{place}: {operation}");
        assert_ne!(operation["state"], "open", "{place}: {operation}");
    }
}

#[test]
fn sixteen_calls_at_once_are_answered() {
    let world = World::new();
    world.session("one");
    let mut client = world.serve(&[]);
    let check = json!({ "name": "session_check", "arguments": { "session": "one" } });
    let asked: Vec<u64> = (0..16).map(|_| client.ask("tools/call", &check)).collect();
    for id in asked {
        let answer = client.answer_to(id);
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
    client.close();
}

#[test]
fn a_call_more_than_is_answered_at_a_time_is_refused() {
    let world = World::with_scenario("[[step]]\ndo = 'hang'\n");
    let mut client = world.serve(&[]);
    let one = json!({ "name": "one", "prompt": "Hang" });
    client.ok("session_create", &one);
    let wait = json!({ "session": "one", "timeout_seconds": 600 });
    let wait = json!({ "name": "session_wait", "arguments": wait });
    let asked: Vec<u64> = (0..33).map(|_| client.ask("tools/call", &wait)).collect();
    wait_until("one is refused", PATIENCE, || {
        client.request("ping", &json!({}));
        !client.told.is_empty()
    });
    world.run(&["stop", "one"]).ok();
    let answers: Vec<Value> = asked.into_iter().map(|id| client.answer_to(id)).collect();
    let refused: Vec<&Value> = answers
        .iter()
        .map(|answer| &answer["result"])
        .filter(|result| result["isError"] == true)
        .map(|result| &result["structuredContent"]["error"]["code"])
        .collect();
    assert_eq!(refused, [&json!("mcp.busy")]);
    client.close();
    world.wait_until_quiet();
}
