//! Whole sessions through the Agent Client Protocol.

use std::time::{Duration, Instant};

use orchestra_testkit::{Sandbox, wait_until};

use crate::made::Made;
use crate::ran::signal;
use crate::world::{PATIENCE, World};

/// A world whose agent is one that the settings describe.
fn world(scenario: &str) -> World {
    let sandbox = Sandbox::new();
    let path = sandbox.scenario(scenario);
    let world = World::of(sandbox.with_knob("scenario", &path.to_string_lossy()));
    let command = format!("{} acp", world.sandbox.agent_command());
    for (key, value) in [
        ("agents.fake.protocol", "acp"),
        ("agents.fake.command", &command),
        ("agents.default", "fake"),
        ("agents.retries", "0"),
    ] {
        world.orchestra(&["config", "set", key, value]).ok();
    }
    world
}

fn kept(world: &World, text: &str) -> i64 {
    world.count(&format!(
        "SELECT count(*) FROM transcript WHERE event LIKE '%{text}%'"
    ))
}

fn outcome(world: &World, made: &Made, number: u32) -> String {
    world.iteration(made, number, "outcome").unwrap_or_default()
}

/// What the agent printed in an iteration, as it was kept.
fn output(world: &World, made: &Made) -> String {
    let folder = world.sandbox.data_dir().join("output").join(&made.id);
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
    texts.collect()
}

#[test]
fn a_whole_session_on_one_conversation() {
    let world = world(
        "[[turn]]\nsteps = [{ do = 'thinking', text = 'Hm.' }, { do = 'write', path = 'a.txt', text = \"one\\n\" }, { do = 'ask', text = 'Shall I go on?' }]\n\
         [[turn]]\nsteps = [{ do = 'edit', path = 'a.txt', old = 'one', new = 'two' }, { do = 'usage', input_tokens = 900, output_tokens = 120 }, { do = 'message', text = 'It says two now.' }]\n\
         [[turn]]\nsteps = [{ do = 'append', path = 'a.txt', text = \"three\\n\" }]\n",
    );
    let made = world.session("one");
    let asked = world.run(&["iterate", "one"]).ends_with(6);
    assert!(asked.stdout.contains("Shall I go on?"), "{asked:?}");
    world.run(&["answer", "one", "Yes"]).ok();
    world.run(&["iterate", "one"]).ok();

    let tree = world.tree(&made);
    assert_eq!(tree.git(&["show", "HEAD:a.txt"]), "two\nthree");
    let threads = world.threads();
    assert_eq!((threads.len(), &threads[0]["turns"]), (1, &3.into()));
    for number in 1..=3 {
        let thread = world.iteration(&made, number, "thread");
        assert_eq!(thread.as_deref(), threads[0]["id"].as_str());
        let model = world.iteration(&made, number, "model");
        assert_eq!(model.as_deref(), Some("small"));
    }
    assert_eq!(
        kept(&world, "\"text\":\"It says two now.\""),
        1,
        "not told again"
    );
    assert_eq!(kept(&world, "\"kind\":\"edit\""), 0, "the calls tell it");
    assert_eq!(kept(&world, "\"kind\":\"unrecognized\""), 0);
    let usage = world.iteration(&made, 2, "usage").unwrap();
    assert!(usage.contains("\"input_tokens\":912"), "{usage}");
    let shown = world.run(&["transcript", "one"]).ok();
    for text in ["Greet amp", "Hm.", "edit_file", "It says two now."] {
        assert!(shown.stdout.contains(text), "no {text} in {}", shown.stdout);
    }
    let changed = shown.stdout.lines().filter(|line| line.trim() == "+two");
    assert_eq!(changed.count(), 1, "{}", shown.stdout);
}

#[test]
fn a_mode_is_set_where_the_agent_offers_it() {
    let world = world("[[step]]\ndo = 'write'\npath = 'a.txt'\n");
    let made = world.session_with("one", &["--mode", "ask", "--model", "large"]);
    world.run(&["iterate", "one"]).ok();
    let told = output(&world, &made);
    assert!(told.contains("\"currentModeId\":\"ask\""), "{told}");
    assert_eq!(kept(&world, "\"mode\":\"ask\""), 1);
    assert_eq!(kept(&world, "\"kind\":\"unrecognized\""), 0);
    let model = world.iteration(&made, 1, "model");
    assert_eq!(model.as_deref(), Some("large"));

    world.run(&["set", "one", "mode", "plan"]).ok();
    world
        .run(&["iterate", "one"])
        .ends_with(4)
        .says("it does not offer the mode `plan`, only ask, code");
    assert!(outcome(&world, &made, 2).contains("bad_input"));
    assert_eq!(world.threads()[0]["turns"], 1, "nothing was said to it");
    world.run(&["iterate", "one", "/agent-mode default"]).ok();
    world.run(&["iterate", "one"]).ok();
    world.wait_until_quiet();
}

#[test]
fn stopping_cancels_the_turn_and_leaves_no_process() {
    let pids = tempfile::NamedTempFile::new().unwrap();
    let world = world(&format!(
        "[[step]]\ndo = 'write'\npath = 'half.txt'\ntext = 'half'\n[[step]]\ndo = 'spawn'\nshape = 'setsid'\npid_file = '{}'\n\
         [[step]]\ndo = 'message'\ntext = 'Now I hang.'\n[[step]]\ndo = 'hang'\n",
        pids.path().display()
    ));
    let made = world.session("one");
    world.run(&["iterate", "one", "--detach"]).ok();
    wait_until("the agent hangs", PATIENCE, || {
        output(&world, &made).contains("Now I hang.")
    });
    world.run(&["stop", "one"]).ok();
    assert!(outcome(&world, &made, 1).contains("stopped"));
    let told = output(&world, &made);
    assert!(told.contains("\"stopReason\":\"cancelled\""), "{told}");
    assert_eq!(kept(&world, "Now I hang."), 1);
    assert_eq!(world.tree(&made).git(&["show", "HEAD:half.txt"]), "half");
    world.wait_until_quiet();
}

#[test]
fn a_deaf_agent_is_ended_within_the_grace() {
    let world = world(
        "[[step]]\ndo = 'ignore_signals'\n[[step]]\ndo = 'message'\ntext = 'Deaf.'\n[[step]]\ndo = 'hang'\n",
    );
    world
        .orchestra(&["config", "set", "core.stop_grace", "2s"])
        .ok();
    let made = world.session("one");
    world.run(&["iterate", "one", "--detach"]).ok();
    wait_until("the agent hangs", PATIENCE, || {
        output(&world, &made).contains("Deaf.")
    });
    world.run(&["stop", "one"]).ok();
    assert!(outcome(&world, &made, 1).contains("stopped"));
    world.wait_until_quiet();
}

#[test]
fn an_agent_that_stays_after_its_answer_is_sent_away_soon() {
    let world =
        world("[[step]]\ndo = 'write'\npath = 'a.txt'\n[[step]]\ndo = 'hang_after_result'\n");
    let made = world.session("one");
    let begun = Instant::now();
    world.run(&["iterate", "one"]).ok();
    assert!(
        begun.elapsed() < Duration::from_secs(25),
        "{:?}",
        begun.elapsed()
    );
    assert!(outcome(&world, &made, 1).contains("succeeded"));
    world.wait_until_quiet();
}

#[test]
fn failures_of_the_provider_are_told_apart() {
    for (fault, cause) in [
        ("overloaded", "overloaded"),
        ("unauthorized", "not_logged_in"),
        ("offline", "offline"),
    ] {
        let world = world(&format!(
            "[[turn]]\nfault = '{fault}'\n[[turn]]\nsteps = [{{ do = 'write', path = 'a.txt' }}]\n"
        ));
        world
            .orchestra(&["config", "set", "agents.retries", "0"])
            .ok();
        let made = world.session("one");
        world.run(&["iterate", "one", "--detach"]).ok();
        wait_until("the turn failed", PATIENCE, || {
            outcome(&world, &made, 1).contains(cause)
        });
        world.wait_until_quiet();
    }
}

#[test]
fn a_conversation_that_is_gone_is_said_to_be() {
    let world = world("[[step]]\ndo = 'write'\npath = 'a.txt'\n");
    let made = world.session("one");
    world.run(&["iterate", "one"]).ok();
    std::fs::remove_dir_all(world.sandbox.path("fake-amp/threads")).unwrap();
    world.run(&["iterate", "one"]).ends_with(4);
    let outcome = outcome(&world, &made, 2);
    assert!(outcome.contains("thread_unavailable"), "{outcome}");
}

#[test]
fn what_a_killed_runner_had_not_kept_is_read_again() {
    let world = world("[[step]]\ndo = 'message'\ntext = 'Half of it'\n[[step]]\ndo = 'hang'\n");
    let made = world.session("one");
    world.run(&["iterate", "one", "--detach"]).ok();
    wait_until("the agent hangs", PATIENCE, || {
        output(&world, &made).contains("Half of it")
    });
    assert_eq!(kept(&world, "Half of it"), 0, "more of it could come");
    signal(&world.sandbox, "KILL", world.runner(&made, 1).into());
    world.wait_until_quiet();
    world.run(&["status", "one"]).says("interrupted");
    assert_eq!(kept(&world, "Half of it"), 1);
    let thread = world.iteration(&made, 1, "thread");
    assert_eq!(thread.as_deref(), world.threads()[0]["id"].as_str());
}

#[test]
fn a_model_is_asked_for_where_it_is_offered() {
    let world = world("[[step]]\ndo = 'message'\ntext = 'Done.'\n");
    let large = world.session_with("one", &["--model", "Large"]);
    world.run(&["iterate", "one"]).ok();
    let model = world.iteration(&large, 1, "model");
    assert_eq!(model.as_deref(), Some("large"));
    let other = world.session_with("two", &["--model", "huge"]);
    world.run(&["iterate", "two"]).ok();
    let model = world.iteration(&other, 1, "model");
    assert_eq!(model.as_deref(), Some("small"));
    assert_eq!(kept(&world, "does not offer the model `huge`"), 1);
}

/// Models write in pieces, so a secret is in none of the lines.
#[test]
fn a_secret_in_pieces_is_not_put_together() {
    let piece = |text: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{{\"update\":{{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{{\"type\":\"text\",\"text\":\"{text}\"}}}}}}}}\\n"
        )
    };
    let (start, end) = orchestra_testkit::API_KEY.split_at(9);
    let steps = format!(
        "[[step]]\ndo = 'emit_raw'\nescaped = '{}{}'\n[[step]]\ndo = 'ask'\ntext = ' is the key?'\n",
        piece(start),
        piece(end)
    );
    let world = world(&steps);
    world.session("one");
    let told = world.run(&["iterate", "one"]).ends_with(6);
    assert!(
        !told.stdout.contains(orchestra_testkit::API_KEY),
        "{told:?}"
    );
    assert!(kept(&world, "is the key?") > 0);
    assert_eq!(kept(&world, orchestra_testkit::API_KEY), 0);
}
