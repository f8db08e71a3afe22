//! What agents come through that ask before they use a tool.

use orchestra_testkit::provider::Reply;

use super::{AWAITS_INPUT, assert_works_again};
use crate::installed::Installed;
use crate::world::{World, named};

/// A session that asks, with a turn that wants to do something.
fn asking(agent: Installed, script: &str, wanted: Reply) -> World {
    let world = World::of(agent);
    let replies = [wanted, Reply::say("I leave it at that.")];
    world.provider.script(script, replies);
    world.session(script);
    let set = world.run(&["set", "x", "permissions", "ask"], &[]);
    assert_eq!(set.code, 0, "{set}");
    world
}

/// Runs a turn until it asks, and asserts what it asks for and that it was not done.
#[track_caller]
fn assert_asks(world: &World, words: &[&str], file: &str) {
    let asked = world.run(words, &[]);
    assert_eq!(asked.code, AWAITS_INPUT, "{asked}");
    let status = world.status();
    assert_eq!(status["status"], "awaiting_input", "{status:#}");
    let what = status["questions"][0]["what"].to_string();
    assert!(what.contains(file), "{status:#}");
    assert!(!world.worktree().join(file).exists());
}

/// The turn ends with the question; the next one tells the agent what was decided.
pub(crate) fn end_the_turn_with_a_question(agent: Installed) {
    let run = |name: &str| Reply::run(&format!("echo {name} > {name}.txt"));
    let world = asking(agent, "permit", run("allowed"));
    assert_asks(&world, &["iterate", "x"], "allowed.txt");
    let replies = [run("allowed"), run("allowed"), Reply::say("Done.")];
    world.provider.script("permit", replies);
    world
        .run(&["answer", "x", "--allow"], &[])
        .ends(0, "succeeded");
    assert_eq!(world.committed("allowed.txt"), "allowed");

    let replies = [run("rejected"), Reply::say("I leave it at that.")];
    world.provider.script("refuse", replies);
    let words = ["iterate", "x", "--notes", &named("refuse")];
    assert_asks(&world, &words, "rejected.txt");
    world
        .run(&["answer", "x", "--reject", "Not that"], &[])
        .ends(0, "succeeded");
    assert!(!world.worktree().join("rejected.txt").exists());
    let heard = world.provider.heard("refuse").join("\n");
    assert!(heard.contains("Not that"), "{heard}");
    assert_goes_on(
        world,
        "asked in two turns, did what was allowed and no more",
    );
}

/// The agent waits for the decision and goes on in the same turn.
pub(crate) fn are_waited_for_in_the_turn(agent: Installed) {
    let write = |name: &str| Reply::write(&format!("{name}.txt"), &format!("{name}\n"));
    let world = asking(agent, "permit", write("allowed"));
    // Edits are allowed unless a rule of the session says otherwise.
    let rules = world.run(&["set", "x", "rules", "ask edit"], &[]);
    assert_eq!(rules.code, 0, "{rules}");
    assert_asks(&world, &["iterate", "x"], "allowed.txt");
    let allowed = world
        .run(&["answer", "x", "--allow"], &[])
        .ends(0, "succeeded");
    assert_eq!(allowed.value["iteration"]["number"], 1, "{allowed}");
    assert_eq!(world.committed("allowed.txt"), "allowed");

    let replies = [write("rejected"), Reply::say("I leave it at that.")];
    world.provider.script("refuse", replies);
    let words = ["iterate", "x", "--notes", &named("refuse")];
    assert_asks(&world, &words, "rejected.txt");
    world
        .run(&["answer", "x", "--reject", "Not that"], &[])
        .ends(0, "succeeded");
    assert!(!world.worktree().join("rejected.txt").exists());
    assert_goes_on(
        world,
        "waited twice for a decision, edited what was allowed and no more",
    );
}

/// An agent that asks nobody does nothing in a session that asks.
pub(crate) fn are_missed_before_it_starts(agent: Installed) {
    let write = Reply::write("unasked.txt", "unasked\n");
    let world = asking(agent, "unasked", write);
    let refused = world.run(&["iterate", "x"], &[]);
    let code = &refused.value["error"]["code"];
    assert_eq!(code, "agent.asks_nobody", "{refused}");
    assert_eq!(world.provider.asked("unasked"), 0);
    assert!(!world.worktree().join("unasked.txt").exists());
    assert_goes_on(world, "was not started where it would have to ask");
}

/// What was decided holds for what was asked, and the policy can be changed at any time.
fn assert_goes_on(world: World, what: &str) {
    let set = world.run(&["set", "x", "permissions", "allow"], &[]);
    assert_eq!(set.code, 0, "{set}");
    assert_works_again(&world);
    world.passed(what);
}
