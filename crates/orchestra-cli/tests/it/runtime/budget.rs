//! Budgets: an agent that has used what its session may use is stopped, and its work is kept.

use std::fs;

use orchestra_testkit::Sandbox;

use crate::world::World;

/// Every message of this agent costs half a cent at a dollar for a thousand tokens.
const TALK: &str = "
[[step]]
do = 'write'
path = 'kept.txt'
text = 'kept'
[[step]]
do = 'usage'
output_tokens = 5
[[step]]
do = 'message'
text = 'one'
[[step]]
do = 'usage'
output_tokens = 5
[[step]]
do = 'message'
text = 'two'
[[step]]
do = 'sleep'
milliseconds = 400
[[step]]
do = 'usage'
output_tokens = 5
[[step]]
do = 'message'
text = 'three'
[[step]]
do = 'hang'
";

fn talking(scenario: &str, prices: Option<&str>) -> World {
    let sandbox = Sandbox::new();
    let path = sandbox.scenario(scenario);
    let sandbox = sandbox.with_knob("scenario", &path.to_string_lossy());
    let file = sandbox.path("prices.tsv");
    fs::write(&file, prices.unwrap_or_default()).unwrap();
    World::of(sandbox.with_variable("ORCHESTRA_AGENTS_PRICE_FILE", &file))
}

#[test]
fn a_budget_of_one_cent_stops_within_one_message() {
    let world = talking(TALK, Some("amp\t0\t1000\t0\t0\n"));
    let made = world.session_with("one", &["--budget", "0.01"]);
    world
        .run(&["iterate", "one"])
        .ends_with(4)
        .says("and $0.01 were allowed")
        .says("budget");
    let outcome = world.iteration(&made, 1, "outcome").unwrap();
    assert!(outcome.contains("budget_spent"), "{outcome}");
    let said = world.run(&["transcript", "one"]).ok().stdout;
    let heard = ["one", "two", "three"]
        .iter()
        .filter(|word| said.lines().any(|line| line.trim() == **word))
        .count();
    println!("messages heard {heard}, allowed 2");
    assert!(heard <= 2, "{said}");
    assert_eq!(world.tree(&made).git(&["show", "HEAD:kept.txt"]), "kept");
    let shown = world.run(&["status", "one"]).ok().stdout;
    assert!(shown.contains("budget    $0.01, about $0.0"), "{shown}");
    let used = &world.json(&["status", "one"])["budget"];
    assert_eq!(used["allowed"], "$0.01");
    assert!(
        used["usage"]["output_tokens"].as_u64() >= Some(10),
        "{used}"
    );
    world
        .run(&["iterate", "one"])
        .refuses(3, "is spent")
        .says("set");
    world.wait_until_quiet();
}

#[test]
fn tokens_are_counted_over_all_iterations() {
    let scenario = "
[[step]]
do = 'usage'
output_tokens = 60
[[step]]
do = 'message'
text = 'done'
";
    let world = talking(scenario, None);
    world.session_with("one", &["--budget", "1000tokens"]);
    world.run(&["iterate", "one"]).ok();
    let used = world.json(&["status", "one"]);
    let usage = &used["session"]["last_iteration"]["usage"];
    let total: u64 = usage
        .as_object()
        .unwrap()
        .values()
        .filter_map(serde_json::Value::as_u64)
        .sum();
    let exact = format!("{total}tokens");
    world.run(&["set", "one", "budget", &exact]).ok();
    world
        .run(&["iterate", "one"])
        .refuses(3, &format!("{total} were allowed"));
    let more = format!("{}tokens", total + 1);
    world.run(&["set", "one", "budget", &more]).ok();
    // It may end before it is stopped.
    world.run(&["iterate", "one"]);
    world.run(&["iterate", "one"]).refuses(3, "is spent");
    world.run(&["set", "one", "budget", ""]).ok();
    world.run(&["iterate", "one"]).ok();
}

#[test]
fn dollars_that_nobody_can_count_are_not_spent() {
    let world = talking(TALK, None);
    let words = ["new", "--name", "one", "--prompt", "Greet", "--budget", "5"];
    world.run(&words).ok().says("agents.price_file");
    let made = world.made("one");
    world
        .run(&["iterate", "one"])
        .ends_with(4)
        .says("nobody knows what")
        .says("if nobody knows its price, tell it in agents.price_file");
    let outcome = world.iteration(&made, 1, "outcome").unwrap();
    assert!(outcome.contains("budget_spent"), "{outcome}");
    world
        .run(&["set", "one", "budget", "-1"])
        .refuses(2, "is no budget");
}

#[test]
fn an_agent_that_tells_nothing_gets_no_budget() {
    let sandbox = Sandbox::new()
        .with_variable("ORCHESTRA_AGENTS_SHELL_PROTOCOL", "command")
        .with_variable("ORCHESTRA_AGENTS_SHELL_COMMAND", "true");
    let world = World::of(sandbox);
    let why = "tells neither tokens nor costs";
    let new = [
        "new", "--name", "one", "--prompt", "Greet", "--agent", "shell",
    ];
    for more in [&["--budget", "1"][..], &["--budget", "9tokens", "--run"]] {
        world.run(&[&new[..], more].concat()).refuses(3, why);
    }
    assert_eq!(world.count("SELECT count(*) FROM sessions"), 0);
    world.run(&new).ok();
    world.run(&["set", "one", "budget", "1"]).refuses(3, why);
    world
        .run(&["iterate", "one", "--set-config", "limits.budget=1"])
        .refuses(3, why)
        .says("limits.budget");
    world.run(&["iterate", "one"]);
    assert_eq!(world.count("SELECT count(*) FROM iterations"), 1);
}

#[test]
fn an_agent_that_tells_late_is_said_to() {
    let sandbox = Sandbox::new()
        .with_variable("ORCHESTRA_AGENTS_LATE_PROTOCOL", "codex")
        .with_variable("ORCHESTRA_AGENTS_LATE_COMMAND", "true");
    let world = World::of(sandbox);
    let new = [
        "new", "--name", "one", "--prompt", "Greet", "--budget", "9tokens",
    ];
    let late = "one turn can go beyond the budget";
    world
        .run(&[&new[..], &["--agent", "late"]].concat())
        .ok()
        .says(late);
    let other = [
        "new", "--name", "two", "--prompt", "Greet", "--budget", "9tokens",
    ];
    assert!(!world.run(&other).ok().stderr.contains(late));
}

#[test]
fn rubbish_among_prices_is_told() {
    let world = talking(TALK, Some("amp\t0\t1000\t0\t0\nrubbish\nmodel 1\n"));
    let listed = world.run(&["list"]).ok();
    listed
        .says("prices.tsv")
        .says("says nothing that can be read in line 2, 3");
    let said = world.run(&["new", "--name", "one", "--prompt", "Greet", "--budget", "5"]);
    assert!(!said.ok().stderr.contains("does not tell what it costs"));
}
