//! Limits on time and silence, and an overloaded provider.

use orchestra_testkit::Sandbox;

use crate::world::World;

const HANG: &str = "
[[step]]
do = 'write'
path = 'half.txt'
text = 'half'
[[step]]
do = 'hang'
";

fn with_setting(name: &str, value: &str) -> World {
    let sandbox = Sandbox::new();
    let scenario = sandbox.scenario(HANG);
    let sandbox = sandbox.with_knob("scenario", &scenario.to_string_lossy());
    World::of(sandbox.with_variable(name, value))
}

fn assert_limited(world: &World, cause: &str, words: &str) {
    let made = world.made("one");
    world.run(&["iterate", "one"]).ends_with(4).says(words);
    let outcome = world.iteration(&made, 1, "outcome").unwrap();
    assert!(outcome.contains(cause), "{outcome}");
    assert_eq!(world.json(&["status", "one"])["session"]["status"], "error");
    assert_eq!(world.tree(&made).git(&["show", "HEAD:half.txt"]), "half");
    world.wait_until_quiet();
}

#[test]
fn an_iteration_may_take_only_so_long() {
    let world = with_setting("ORCHESTRA_CORE_SESSION_TIMEOUT", "2s");
    world.session("one");
    assert_limited(&world, "timed_out", "core.session_timeout");
}

#[test]
fn a_session_may_have_its_own_limit() {
    let world = with_setting("ORCHESTRA_CORE_SESSION_TIMEOUT", "1h");
    let made = world.session_with("one", &["--timeout", "2s"]);
    let hint = format!("orchestra session set {} timeout", made.id);
    assert_limited(&world, "timed_out", &hint);
    world.orchestra(&[]).ok().says(&hint);
}

#[test]
fn a_session_limit_of_nothing_is_none() {
    let sandbox = Sandbox::new();
    let scenario = sandbox.scenario("[[step]]\ndo = 'sleep'\nmilliseconds = 2500\n");
    let sandbox = sandbox.with_knob("scenario", &scenario.to_string_lossy());
    let world = World::of(sandbox.with_variable("ORCHESTRA_CORE_SESSION_TIMEOUT", "1s"));
    world.session_with("one", &["--timeout", "0"]);
    world.run(&["iterate", "one"]).ok();
    world.session("two");
    world.run(&["set", "two", "timeout", "0"]).ok();
    world.run(&["iterate", "two"]).ok();
    world.wait_until_quiet();
}

#[test]
fn an_agent_may_be_silent_only_so_long() {
    let world = with_setting("ORCHESTRA_CORE_IDLE_TIMEOUT", "2s");
    world.session("one");
    assert_limited(&world, "silent", "said nothing");
}

#[test]
fn an_overloaded_provider_blocks() {
    let sandbox = Sandbox::new().with_variable("ORCHESTRA_AGENTS_RETRIES", "0");
    let scenario = sandbox.scenario(
        "[[turn]]\nfault = 'overloaded'\n[[turn]]\nsteps = [{ do = 'write', path = 'a.txt', text = 'a' }]\n",
    );
    let world = World::of(sandbox.with_knob("scenario", &scenario.to_string_lossy()));
    let made = world.session("one");
    world
        .run(&["iterate", "one"])
        .ends_with(4)
        .says("verloaded");
    assert!(
        world
            .iteration(&made, 1, "outcome")
            .unwrap()
            .contains("blocked")
    );
    assert_eq!(
        world.json(&["status", "one"])["session"]["status"],
        "blocked"
    );
    assert_eq!(
        world.json(&["list", "--status", "blocked"])["sessions"][0]["name"],
        "one"
    );
    world.run(&["iterate", "one"]).ok();
    assert_eq!(world.json(&["status", "one"])["session"]["status"], "idle");
}
