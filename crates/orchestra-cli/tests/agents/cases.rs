//! What every agent must come through.

pub(crate) mod permissions;

use std::time::Duration;

use orchestra_testkit::provider::Reply;
use orchestra_testkit::{processes, wait_until};
use serde_json::Value;

use crate::installed::Installed;
use crate::world::{Answer, PATIENCE, World, named};

const FAILED: i32 = 4;
const AWAITS_INPUT: i32 = 6;

/// Several times as long as the first wait for another try.
const OVERLOAD: Duration = Duration::from_secs(15);

/// Scripts that write a file of their own name and say so.
fn script_writing(world: &World, name: &str) {
    let write = Reply::write(&format!("{name}.txt"), &format!("{name}\n"));
    let replies = [write, Reply::say(&format!("Wrote {name}."))];
    world.provider.script(name, replies);
}

/// The model heard the earlier prompts too: it is one conversation.
#[track_caller]
fn assert_heard(world: &World, script: &str, earlier: &[&str]) {
    let heard = world.provider.heard(script).join("\n");
    for earlier in earlier {
        assert!(heard.contains(&format!("script: {earlier}")), "{heard}");
    }
}

/// Each turn of two requests tells its own tokens, not those of the turns before.
#[track_caller]
fn assert_tokens(world: &World, answer: &Answer) {
    let usage = &answer.value["iteration"]["usage"];
    let expected = world.agent.output_tokens_of_two();
    assert_eq!(usage["output_tokens"], expected, "{answer}");
}

/// The transcript has what the agent ran, with its result, and nothing that could not be read.
#[track_caller]
fn assert_told(world: &World) {
    let events = world.events();
    let texts = |kind: &str| {
        let of_kind = events.iter().filter(|event| event["kind"] == kind);
        let texts: Vec<_> = of_kind.map(Value::to_string).collect();
        texts.join("\n")
    };
    assert_eq!(texts("unrecognized"), "");
    let calls = texts("tool_call");
    assert!(calls.contains("echo listed"), "{calls}");
    let results = texts("tool_result");
    assert!(results.contains("listed"), "{results}");
}

/// After any mishap the next iteration works.
#[track_caller]
fn assert_works_again(world: &World) {
    script_writing(world, "again");
    world.iterate("again").ends(0, "succeeded");
    assert_eq!(world.committed("again.txt"), "again");
}

pub(crate) fn iterates_and_asks_on_one_thread(agent: Installed) {
    let world = World::of(agent);
    script_writing(&world, "one");
    script_writing(&world, "two");
    script_writing(&world, "three");
    let question = Reply::say("There are two ways.\n\nWhich name shall I use?");
    world
        .provider
        .script("ask", [Reply::run("echo listed"), question]);
    world.session("one");
    let first = world.run(&["iterate", "x"], &[]).ends(0, "succeeded");
    assert_eq!(world.committed("one.txt"), "one");
    assert_tokens(&world, &first);
    let second = world.iterate("two").ends(0, "succeeded");
    assert_tokens(&world, &second);
    assert_eq!(world.committed("two.txt"), "two");
    assert_heard(&world, "two", &["one"]);
    world.iterate("ask").ends(AWAITS_INPUT, "awaiting_input");
    assert_eq!(world.status()["status"], "awaiting_input");
    let answer = format!("The shorter one.\n{}", named("three"));
    world
        .run(&["answer", "x", &answer], &[])
        .ends(0, "succeeded");
    assert_eq!(world.committed("three.txt"), "three");
    assert_heard(&world, "three", &["one", "two", "ask"]);
    let transcript = world.transcript();
    for said in ["Wrote one.", "Which name shall I use?", "Wrote three."] {
        assert!(transcript.contains(said), "no {said:?} in\n{transcript}");
    }
    assert_told(&world);
    world.passed("four turns on one thread, a question answered");
}

/// Costs are estimated for agents that tell none, and those of a turn are not those of the turns before.
pub(crate) fn tells_its_model_and_what_a_turn_cost(agent: Installed) {
    let world = World::of(agent);
    script_writing(&world, "one");
    script_writing(&world, "two");
    world.session("one");
    let model = world.run(&["set", "x", "model", agent.model()], &[]);
    assert_eq!(model.code, 0, "{model}");
    let first = world.run(&["iterate", "x"], &[]).ends(0, "succeeded");
    let second = world.iterate("two").ends(0, "succeeded");
    for answer in [first, second] {
        let iteration = &answer.value["iteration"];
        assert_eq!(iteration["model"], agent.told_model(), "{answer}");
        assert_eq!(iteration["cost"], agent.cost(), "{answer}");
    }
    assert_eq!(world.committed("two.txt"), "two");
    world.passed("told its model and what turns cost");
}

pub(crate) fn is_stopped_with_all_it_started(agent: Installed) {
    let world = World::of(agent);
    // A child that leaves its session survives the agents' own attempts to end it.
    let run = "echo $$ > pids; setsid sh -c 'echo $$ >> pids; exec sleep 600' & sleep 600";
    world.provider.script("sleep", [Reply::run(run)]);
    world.session("sleep");
    let pids = world.worktree().join("pids");
    let detached = world.run(&["iterate", "x", "--detach"], &[]);
    assert_eq!(detached.code, 0, "{detached}");
    wait_until("the tool runs", PATIENCE, || {
        processes::recorded(&pids).len() == 2
    });
    world.run(&["stop", "x"], &[]).ends(0, "stopped");
    world.wait_until_quiet();
    assert_eq!(processes::survivors(&pids), [0_u32; 0]);
    assert_works_again(&world);
    world.passed("stopped with what its tool had started");
}

pub(crate) fn is_blocked_while_its_provider_is_overloaded(agent: Installed) {
    let world = World::of(agent);
    let busy = Reply::refuse(agent.overloaded(), Some(1));
    world.provider.script("busy", [busy]);
    world.session("busy");
    let detached = world.run(&["iterate", "x", "--detach"], &[]);
    assert_eq!(detached.code, 0, "{detached}");
    wait_until("the session is blocked", PATIENCE, || {
        world.status()["status"] == "blocked"
    });
    let requests = world.provider.asked("busy");
    script_writing(&world, "busy");
    let waited = world.run(&["wait", "x"], &[]);
    assert_eq!(waited.code, 0, "{waited}");
    assert_eq!(world.committed("busy.txt"), "busy");
    world.passed(&format!(
        "blocked after {requests} refused request(s), then went on by itself"
    ));
}

/// All of them meet the overload once. Until it is over, one asks at a time, with as many requests as the agent makes in a turn
/// that is refused.
pub(crate) fn fleet_spares_an_overloaded_provider(agent: Installed, requests: usize) {
    const FLEET: [&str; 4] = ["a", "b", "c", "d"];
    let world = World::of(agent);
    let busy = Reply::refuse(agent.overloaded(), Some(1));
    world.provider.script("busy", [busy]);
    for name in FLEET {
        world.start(name, "busy");
    }
    wait_until("all are blocked", PATIENCE, || {
        let mut statuses = FLEET.iter().map(|name| world.status_of(name));
        statuses.all(|session| session["status"] == "blocked")
    });
    let met = world.provider.asked("busy");
    std::thread::sleep(OVERLOAD);
    let more = world.provider.asked("busy") - met;
    // The waits double from two seconds on, so there is time for three tries.
    assert!(more <= 3 * requests, "{more} more requests");
    script_writing(&world, "busy");
    for name in FLEET {
        let waited = world.run(&["wait", name], &[]);
        assert_eq!(waited.code, 0, "{waited}");
    }
    let seconds = OVERLOAD.as_secs();
    world.passed(&format!(
        "4 sessions blocked after {met} request(s), {more} more in {seconds} s of overload"
    ));
}

pub(crate) fn tells_why_its_provider_refuses(agent: Installed) {
    let world = World::of(agent);
    world.session("unused");
    for (status, outcome, cause) in [
        (401, "failed", "unauthorized"),
        (402, "failed", "out_of_credit"),
        (429, "blocked", "overloaded"),
    ] {
        let script = format!("status-{status}");
        world
            .provider
            .script(&script, [Reply::refuse(status, Some(1))]);
        let words = ["iterate", "x", "--notes", &named(&script)];
        let refused = world.run(&words, &[("ORCHESTRA_AGENTS_RETRIES", "0")]);
        let iteration = &refused.value["iteration"];
        assert_eq!(iteration["outcome"], outcome, "{status}: {refused}");
        assert_eq!(iteration["cause"], cause, "{status}: {refused}");
    }
    world.passed("told why its provider refused");
}

pub(crate) fn explains_a_thread_that_is_gone(agent: Installed) {
    let world = World::of(agent);
    script_writing(&world, "one");
    world.session("one");
    world.run(&["iterate", "x"], &[]).ends(0, "succeeded");
    world.forget_threads();
    script_writing(&world, "two");
    let gone = world.iterate("two").ends(FAILED, "failed");
    let cause = &gone.value["iteration"]["cause"];
    assert_eq!(cause, "thread_unavailable", "{gone}");
    world.passed("explained a thread that is gone");
}

pub(crate) fn survives_a_short_overload(agent: Installed) {
    let world = World::of(agent);
    let busy = Reply::refuse(agent.overloaded(), Some(1)).only(1);
    let write = Reply::write("late.txt", "late\n");
    world
        .provider
        .script("late", [busy, write, Reply::say("At last.")]);
    world.session("late");
    world.run(&["iterate", "x"], &[]).ends(0, "succeeded");
    assert_eq!(world.committed("late.txt"), "late");
    world.passed("went on after a short overload");
}

pub(crate) fn is_ended_when_its_provider_says_nothing(agent: Installed) {
    let world = World::of(agent);
    world.provider.script("silence", [Reply::silence()]);
    world.session("silence");
    let patience = [("ORCHESTRA_CORE_IDLE_TIMEOUT", "20s")];
    let ended = world.run(&["iterate", "x"], &patience);
    assert_eq!(ended.code, FAILED, "{ended}");
    world.wait_until_quiet();
    assert_works_again(&world);
    world.passed("ended after 20 s of silence");
}

pub(crate) fn is_ended_when_every_connection_breaks(agent: Installed) {
    let world = World::of(agent);
    world.provider.script("cut", [Reply::cut()]);
    world.session("cut");
    let patience = [
        ("ORCHESTRA_CORE_IDLE_TIMEOUT", "20s"),
        ("ORCHESTRA_CORE_SESSION_TIMEOUT", "40s"),
    ];
    let ended = world.run(&["iterate", "x"], &patience);
    assert_eq!(ended.code, FAILED, "{ended}");
    world.wait_until_quiet();
    let requests = world.provider.asked("cut");
    assert_works_again(&world);
    world.passed(&format!("ended after {requests} broken connection(s)"));
}
