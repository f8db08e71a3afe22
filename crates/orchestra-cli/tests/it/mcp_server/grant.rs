//! What is not granted is refused, with the reason, and nothing happens.

use std::fs;

use orchestra_testkit::Sandbox;
use serde_json::json;

use super::client::Client;
use crate::world::World;

const SPENDS: &str = "
[[step]]
do = 'usage'
output_tokens = 10
[[step]]
do = 'message'
text = 'done'
";

/// An agent that costs a cent a turn.
fn spending() -> World {
    let sandbox = Sandbox::new();
    let path = sandbox.scenario(SPENDS);
    let sandbox = sandbox.with_knob("scenario", &path.to_string_lossy());
    let file = sandbox.path("prices.tsv");
    fs::write(&file, "amp\t0\t1000\t0\t0\n").unwrap();
    World::of(sandbox.with_variable("ORCHESTRA_AGENTS_PRICE_FILE", &file))
}

#[test]
fn sessions_are_counted_for_the_caller_and_not_for_the_process() {
    let world = World::new();
    let create = |name: &str| json!({ "name": name, "prompt": "Greet amp", "run": false });
    let mut first = world.serve(&["--name", "claude", "--sessions", "2"]);
    first.ok("session_create", &create("one"));
    first.ok("session_create", &create("two"));
    let error = first.refused("session_create", &create("three"), "grant.sessions");
    assert!(error["message"].as_str().unwrap().contains("2 session(s)"));
    let mut second = world.serve(&["--name", "claude", "--sessions", "2"]);
    second.refused("session_create", &create("three"), "grant.sessions");
    // Others have their own count, and what is put away does not count.
    let mut other = world.serve(&["--name", "amp", "--sessions", "1"]);
    other.ok("session_create", &create("three"));
    world.run(&["archive", "one"]).ok();
    second.ok("session_create", &create("four"));
    assert_eq!(world.value("SELECT count(*) FROM sessions").unwrap(), "4");
    first.close();
    second.close();
    other.close();
}

#[test]
fn a_session_that_goes_on_after_it_landed_counts_again() {
    let world = World::new();
    let words = ["--name", "claude", "--sessions", "1", "--allow-land"];
    let mut client = world.serve(&words);
    client.made("one");
    world.run(&["approve", "one"]).ok();
    client.ok("session_merge", &json!({ "session": "one" }));
    let two = json!({ "name": "two", "prompt": "x", "run": false });
    client.ok("session_create", &two);
    let one = json!({ "session": "one" });
    client.refused("session_iterate", &one, "grant.sessions");
    world.run(&["archive", "two"]).ok();
    client.ok("session_iterate", &one);
    let three = json!({ "name": "three", "prompt": "x", "run": false });
    client.refused("session_create", &three, "grant.sessions");
    client.ok("session_wait", &one);
    client.close();
    world.wait_until_quiet();
}

#[test]
fn many_that_ask_at_once_get_no_more_than_granted() {
    let world = World::new();
    let mut clients: Vec<Client> = (0..4)
        .map(|_| world.serve(&["--name", "claude", "--sessions", "3"]))
        .collect();
    let asked: Vec<(usize, u64)> = (0..12)
        .map(|number| {
            let arguments = json!({ "name": format!("s{number}"), "prompt": "x", "run": false });
            let call = json!({ "name": "session_create", "arguments": arguments });
            (number % 4, clients[number % 4].ask("tools/call", &call))
        })
        .collect();
    let mut made = 0;
    for (client, id) in asked {
        let answer = clients[client].answer_to(id);
        match answer["result"]["isError"] == false {
            true => made += 1,
            false => assert_eq!(
                answer["result"]["structuredContent"]["error"]["code"],
                "grant.sessions"
            ),
        }
    }
    println!("asked 12, granted 3, made {made}");
    assert_eq!(made, 3);
    clients.into_iter().for_each(Client::close);
}

#[test]
fn what_sessions_may_cost_together_is_held() {
    let world = spending();
    let mut client = world.serve(&["--name", "claude", "--sessions", "2", "--budget", "0.10"]);
    let wish = |name: &str, budget: &str| json!({ "name": name, "prompt": "x", "budget": budget });
    client.refused("session_create", &wish("one", "0.11"), "grant.budget");
    // Nothing wished for: an even share for two.
    let created = client.ok("session_create", &json!({ "name": "one", "prompt": "x" }));
    assert_eq!(created["session"]["runtime"]["budget"], "$0.05");
    client.refused("session_create", &wish("two", "0.06"), "grant.budget");
    client.ok("session_wait", &json!({ "session": "one" }));
    // What one did not use is free again when it is put away; the cent it cost is not.
    world.run(&["archive", "one"]).ok();
    client.close();
    let mut next = world.serve(&["--name", "claude", "--sessions", "2", "--budget", "0.10"]);
    let error = next.refused("session_create", &wish("two", "0.10"), "grant.budget");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("$0.09 are left"),
        "{error}"
    );
    next.ok("session_create", &wish("two", "0.09"));
    next.ok("session_wait", &json!({ "session": "two" }));
    // To go on with one, what two may still use would have to be given twice.
    world.run(&["archive", "one", "--undo"]).ok();
    next.refused(
        "session_iterate",
        &json!({ "session": "one" }),
        "grant.budget",
    );
    next.close();
    world.wait_until_quiet();
}

#[test]
fn a_session_without_a_budget_is_not_continued_on_one() {
    let world = spending();
    let mut free = world.serve(&["--name", "claude"]);
    free.made("one");
    free.close();
    let mut bound = world.serve(&["--name", "claude", "--budget", "1", "--allow-delete"]);
    bound.refused(
        "session_iterate",
        &json!({ "session": "one" }),
        "grant.uncounted",
    );
    bound.refused(
        "session_forget",
        &json!({ "session": "one" }),
        "grant.forgets",
    );
    bound.close();
}

#[test]
fn landing_and_deletion_are_granted_by_themselves() {
    let world = World::new();
    let mut client = world.serve(&[]);
    client.made("one");
    let one = json!({ "session": "one" });
    let head = world.repository.git(&["rev-parse", "main"]);
    client.refused("session_merge", &one, "grant.landing");
    client.refused(
        "session_land",
        &json!({ "sessions": ["one"] }),
        "grant.landing",
    );
    for tool in ["session_cleanup", "session_discard", "session_forget"] {
        client.refused(tool, &one, "grant.deletion");
    }
    assert_eq!(world.repository.git(&["rev-parse", "main"]), head);
    assert!(world.made("one").worktree.exists());
    let names = |client: &mut Client| -> Vec<String> {
        let tools = client.tools();
        let names = tools.iter().map(|tool| tool["name"].as_str().unwrap());
        names.map(str::to_owned).collect()
    };
    let few = names(&mut client);
    client.close();
    let mut client = world.serve(&["--allow-land", "--allow-delete"]);
    let all = names(&mut client);
    println!(
        "tools {} without more, {} with everything granted",
        few.len(),
        all.len()
    );
    for name in [
        "session_merge",
        "session_land",
        "session_cleanup",
        "session_forget",
    ] {
        assert!(!few.iter().any(|it| it == name) && all.iter().any(|it| it == name));
    }
    let cleaned = client.ok(
        "session_cleanup",
        &json!({ "session": "one", "even_unlanded": true }),
    );
    assert!(cleaned["trash"].is_string(), "{cleaned}");
    client.close();
}

#[test]
fn what_others_made_is_looked_at_only() {
    let world = World::new();
    world.session("mine");
    world.run(&["iterate", "mine"]).ok();
    let mine = json!({ "session": "mine" });
    let mut client = world.serve(&["--allow-land"]);
    client.ok("session_status", &mine);
    client.ok("session_diff", &mine);
    client.ok("session_check", &mine);
    for tool in [
        "session_iterate",
        "session_stop",
        "session_merge",
        "session_rebase",
    ] {
        client.refused(tool, &mine, "grant.not_own");
    }
    client.close();
    let mut client = world.serve(&["--all-sessions"]);
    client.ok("session_iterate", &mine);
    client.ok("session_wait", &mine);
    client.close();
    world.wait_until_quiet();
}

#[test]
fn other_repositories_are_out_of_reach() {
    let world = World::new();
    let other = world.sandbox.repository("other");
    let mut command = world.sandbox.orchestra();
    let words = ["session", "new", "--name", "far", "--prompt", "x", "--repo"];
    command.args(words).arg(other.root());
    crate::ran::ran(command).ok();
    let mut client = world.serve(&[]);
    client.refused(
        "session_status",
        &json!({ "session": "far" }),
        "grant.repository",
    );
    assert_eq!(
        client.ok("sessions_list", &json!({}))["sessions"],
        json!([])
    );
    let there = json!({ "name": "x", "prompt": "x", "repository": other.root() });
    client.refused("session_create", &there, "grant.repository");
    client.close();
    let refused =
        "SELECT count(*) FROM events WHERE type = 'tool_called' AND body LIKE '%grant.repository%'";
    assert_eq!(world.value(refused).unwrap(), "2");
    let root = other.root().to_str().unwrap();
    let mut client = world.serve(&["--repository", ".", "--repository", root]);
    client.ok("session_status", &json!({ "session": "far" }));
    client.ok("session_create", &there);
    client.close();
    world.wait_until_quiet();
}

#[test]
fn an_agent_does_not_change_the_session_it_runs_in() {
    let world = World::new();
    let made = world.session("inside");
    let epoch = world
        .value("SELECT value FROM meta WHERE key = 'epoch'")
        .unwrap();
    let inside = json!({ "session": "inside" });
    let serve = [
        "mcp",
        "serve",
        "--all-sessions",
        "--allow-land",
        "--allow-delete",
    ];
    let mut marked = world.sandbox.orchestra();
    marked
        .args(serve)
        .env("ORCHESTRA_RUN", format!("{epoch}:{}:1", made.id));
    let mut standing = world.sandbox.orchestra();
    standing.args(serve).current_dir(&made.worktree);
    for command in [marked, standing] {
        let mut client = Client::of(command);
        client.ok("session_status", &inside);
        for tool in [
            "session_iterate",
            "session_merge",
            "session_stop",
            "session_cleanup",
        ] {
            client.refused(tool, &inside, "grant.inside");
        }
        client.refused(
            "session_land",
            &json!({ "sessions": ["inside"] }),
            "grant.inside",
        );
        client.close();
    }
}

#[test]
fn a_mode_that_may_decide_what_is_asked_is_for_the_user_to_name() {
    let world = World::new();
    let command = format!("{} acp", world.sandbox.agent_command());
    for (key, value) in [
        ("agents.fake.protocol", "acp"),
        ("agents.fake.command", command.as_str()),
        ("agents.default", "fake"),
    ] {
        world.orchestra(&["config", "set", key, value]).ok();
    }
    let mut client = world.serve(&[]);
    let wish = |mode: &str| json!({ "name": "one", "prompt": "x", "mode": mode, "run": false });
    client.refused("session_create", &wish("ask"), "grant.mode");
    let modes = ["config", "set", "environments.production.modes", "ask"];
    world.orchestra(&modes).ok();
    client.refused("session_create", &wish("code"), "mode.not_allowed");
    client.ok("session_create", &wish("ask"));
    client.close();
}
