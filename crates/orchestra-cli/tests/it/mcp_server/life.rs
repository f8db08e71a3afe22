//! The way of a session through the tools.

use orchestra_testkit::wait_until;
use serde_json::json;

use crate::world::{PATIENCE, World};

const WRITES: &str = "
[[step]]
do = 'write'
path = 'greeting.txt'
text = 'hello'
[[step]]
do = 'message'
text = 'done'
";

const HANGS: &str = "
[[step]]
do = 'message'
text = 'begun'
[[step]]
do = 'hang'
";

#[test]
fn an_agent_takes_a_session_from_its_prompt_to_the_base() {
    let world = World::with_scenario(WRITES);
    let mut client = world.serve(&["--name", "claude", "--allow-land"]);
    let id = client.made("one");
    let listed = client.ok("sessions_list", &json!({ "mine": true }));
    assert_eq!(listed["sessions"][0]["id"], id.as_str());
    assert_eq!(listed["sessions"][0]["made_by"], "mcp:claude");

    let diff = client.ok("session_diff", &json!({ "session": "one" }));
    assert_eq!(diff["is_cut"], false);
    assert_eq!(diff["files"][0]["path"], "greeting.txt");
    assert!(
        diff["files"][0]["patch"]
            .as_str()
            .unwrap()
            .contains("+hello")
    );
    let cut = client.ok(
        "session_diff",
        &json!({ "session": "one", "max_bytes": 10 }),
    );
    assert_eq!(cut["is_cut"], true);
    assert_eq!(cut["files"][0]["patch_too_large"], true);

    let part = client.ok(
        "session_transcript",
        &json!({ "session": "one", "after": 0 }),
    );
    assert!(part["items"].to_string().contains("done"), "{part}");
    let few = client.ok(
        "session_transcript",
        &json!({ "session": "one", "after": 0, "limit": 1 }),
    );
    assert_eq!(few["items"].as_array().unwrap().len(), 1);
    assert_eq!(few["has_more"], true);

    let squashed = json!({ "session": "one", "message": "Greet" });
    client.ok(
        "session_iterate",
        &json!({ "session": "one", "notes": "once more" }),
    );
    client.ok("session_wait", &json!({ "session": "one" }));
    client.ok("session_squash", &squashed);
    client.ok("session_rebase", &json!({ "session": "one" }));
    // That somebody looked at it is for the user to say.
    let one = json!({ "session": "one" });
    assert_eq!(client.ok("session_check", &one)["passes"], false);
    let error = client.refused("session_merge", &one, "merge.checks");
    assert_eq!(
        error["hint"],
        "reviewed: that is for the user, who looks at it and approves it"
    );
    world.run(&["approve", "one"]).ok();
    assert_eq!(client.ok("session_check", &one)["passes"], true);
    let landed = client.ok("session_merge", &one);
    assert_eq!(landed["into"], "main");
    assert_eq!(
        world.repository.git(&["show", "main:greeting.txt"]),
        "hello"
    );
    let status = client.ok("session_status", &json!({ "session": id }));
    assert_eq!(status["session"]["status"], "completed");
    client.close();
    world.wait_until_quiet();
}

#[test]
fn answers_are_what_the_verbs_print() {
    let world = World::with_scenario(WRITES);
    let mut client = world.serve(&[]);
    client.made("one");
    for (tool, verb) in [("session_check", "check"), ("session_status", "status")] {
        let keys = |value: &serde_json::Value| -> Vec<String> {
            value.as_object().unwrap().keys().cloned().collect()
        };
        let answer = client.ok(tool, &json!({ "session": "one" }));
        let printed = world.run(&[verb, "one", "--json"]).json();
        assert_eq!(keys(&answer), keys(&printed), "{tool}");
        assert_eq!(answer["session"]["id"], printed["session"]["id"]);
    }
    client.close();
}

#[test]
fn several_sessions_land_one_after_another() {
    let world = World::with_scenario(
        "
[[step]]
do = 'message'
text = 'nothing to do'
",
    );
    let mut client = world.serve(&["--allow-land"]);
    for name in ["one", "two"] {
        client.made(name);
        let made = world.made(name);
        let tree = world.tree(&made);
        tree.write(&format!("{name}.txt"), name);
        tree.git(&["add", "."]);
        tree.git(&["commit", "-q", "-m", "Add a file"]);
    }
    let both = json!({ "sessions": ["one", "two"] });
    let result = client.call("session_land", &both);
    assert_eq!(result["isError"], true, "{result}");
    let answer = &result["structuredContent"];
    assert_eq!(answer["error"]["code"], "merge.checks", "{answer}");
    world
        .orchestra(&["config", "set", "landing.required_checks", "clean,base"])
        .ok();
    let landed = client.ok("session_land", &both);
    assert_eq!(landed["complete"], true, "{landed}");
    assert_eq!(world.repository.git(&["show", "main:two.txt"]), "two");
    client.close();
}

#[test]
fn a_wait_tells_how_far_it_is_and_can_be_given_up() {
    let world = World::with_scenario(HANGS);
    let mut client = world.serve(&[]);
    client.ok(
        "session_create",
        &json!({ "name": "one", "prompt": "Hang" }),
    );
    let short = json!({ "session": "one", "timeout_seconds": 0 });
    assert_eq!(client.ok("session_wait", &short)["at_rest"], false);

    let wait = json!({
        "name": "session_wait",
        "arguments": { "session": "one", "timeout_seconds": 600 },
        "_meta": { "progressToken": "p1" },
    });
    let id = client.ask("tools/call", &wait);
    let is_progress = |told: &serde_json::Value| {
        told["method"] == "notifications/progress" && told["params"]["progressToken"] == "p1"
    };
    wait_until("progress is told", PATIENCE, || {
        client.ok("sessions_list", &json!({}));
        client.told.iter().any(is_progress)
    });
    client.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    }));
    // The agent has heard nothing of it.
    let status = client.ok("session_status", &json!({ "session": "one" }));
    assert_eq!(status["session"]["status"], "running");
    let stopped = client.ok("session_stop", &json!({ "session": "one" }));
    assert_eq!(stopped["iteration"]["outcome"], "stopped", "{stopped}");
    client.close();
    world.wait_until_quiet();
}

#[test]
fn an_agent_outlives_the_server_that_started_it() {
    let world = World::with_scenario(HANGS);
    let mut client = world.serve(&["--name", "claude"]);
    client.ok(
        "session_create",
        &json!({ "name": "one", "prompt": "Hang" }),
    );
    let made = world.made("one");
    wait_until("the agent speaks", PATIENCE, || {
        let said = world.run(&["transcript", "one"]).ok().stdout;
        said.contains("begun")
    });
    client.child.kill().unwrap();
    client.child.wait().unwrap();
    let status = world.json(&["status", &made.id]);
    assert_eq!(status["session"]["status"], "running");

    let mut next = world.serve(&["--name", "claude"]);
    next.ok("session_stop", &json!({ "session": "one" }));
    next.close();
    world.wait_until_quiet();
}
