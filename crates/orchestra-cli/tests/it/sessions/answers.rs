//! Answers in JSON: one form for every command that is about one session.

use serde_json::Value;

use crate::ran::{Ran, ended};
use crate::world::World;

const TWICE: &str = "
[[turn]]
steps = [{ do = 'write', path = 'one.txt', text = \"one\\n\" }, { do = 'ask', text = 'Which?' }]
[[turn]]
steps = [{ do = 'write', path = 'two.txt', text = \"two\\n\" }]
";

/// The session as it is, and the newest event it includes.
#[track_caller]
fn require_form(world: &World, answer: &Value, words: &[&str]) {
    assert_eq!(answer["session"]["name"], "x", "{words:?}: {answer}");
    assert!(answer["session"]["status"].is_string(), "{words:?}");
    let last = world.count("SELECT max(seq) FROM events");
    assert_eq!(answer["seq"], last, "{words:?}");
}

#[track_caller]
fn last_value(world: &World, words: &[&str], exit: i32) -> Value {
    let answered = world.run(&[words, &["--json"]].concat()).ends_with(exit);
    let last = answered.stdout.lines().last().unwrap();
    let answer = serde_json::from_str(last).unwrap_or_else(|_| answered.json());
    require_form(world, &answer, words);
    answer
}

#[test]
fn every_command_answers_with_the_session_and_the_event_it_is_true_at() {
    let world = World::with_scenario(TWICE);
    let new = ["new", "--name", "x", "--prompt", "Go", "--script", "true"];
    last_value(&world, &new, 0);
    let asked = last_value(&world, &["iterate", "x"], 6);
    assert_eq!(asked["iteration"]["outcome"], "awaiting_input");
    let answered = last_value(&world, &["answer", "x", "This"], 0);
    assert_eq!(answered["iteration"]["number"], 2);
    let run = last_value(&world, &["run", "x"], 0);
    assert_eq!(run["script_run"]["state"], "passed");
    assert_eq!(run["script_run"]["session_id"], run["session"]["id"]);
    let set = last_value(&world, &["set", "x", "notes", "Later"], 0);
    assert_eq!(set["session"]["notes"], "Later");
    for words in [
        &["status", "x"][..],
        &["log", "x"],
        &["diff", "x"],
        &["wait", "x"],
        &["attach", "x"],
    ] {
        require_form(&world, &world.json(words), words);
    }
    world.tree(&world.made("x")).write("mine.txt", "mine\n");
    let commit = ["commit", "x", "-m", "Mine"];
    let committed = world.json(&commit);
    require_form(&world, &committed, &commit);
    assert_eq!(committed["files"][0]["path"], "mine.txt");
    assert_eq!(committed["left_out"], serde_json::json!([]));
    let archived = world.json(&["archive", "x"]);
    require_form(&world, &archived, &["archive"]);
    assert!(archived["session"]["archived_at"].is_string(), "{archived}");
}

#[test]
fn of_two_answers_the_first_counts_and_the_second_is_told() {
    let asks = "[[turn]]\nsteps = [{ do = 'ask', text = 'Which?' }]\n[[turn]]\nsteps = [{ do = 'hang' }]\n";
    let world = World::with_scenario(asks);
    world.session("x");
    world.run(&["iterate", "x"]).ends_with(6);
    let answer = |text: &str| world.start(&["answer", "x", text, "--detach"]);
    let (one, other) = (answer("The left"), answer("The right"));
    let both = [ended(one), ended(other)];
    assert_eq!(
        both.iter().filter(|ran| ran.code == 0).count(),
        1,
        "{both:?}"
    );
    let refused = both.into_iter().find(|ran| ran.code != 0);
    let first = world.value("SELECT input FROM iterations WHERE number = 2");
    let is_told = |ran: Ran| {
        ran.refuses(3, "it was answered already")
            .says(&format!("\"{}\"", first.as_deref().unwrap()))
    };
    is_told(refused.unwrap());
    is_told(world.run(&["answer", "x", "The middle"]));
    assert_eq!(world.count("SELECT count(*) FROM iterations"), 2);
    world.run(&["stop", "x"]).ok();
    world.wait_until_quiet();
}

#[test]
fn what_was_stopped_is_answered_with_its_session() {
    let world =
        World::with_scenario("[[turn]]\nsteps = [{ do = 'sleep', milliseconds = 600000 }]\n");
    world.session("x");
    let made = world.made("x");
    world.run(&["iterate", "x", "--detach"]).ok();
    world.wait_for_progress(&made, 1, "agent");
    let stopped = world.json(&["stop", "x"]);
    require_form(&world, &stopped, &["stop"]);
    assert_eq!(stopped["iteration"]["outcome"], "stopped");
    world.run(&["set", "x", "script", "sleep 600"]).ok();
    world.run(&["run", "x", "--detach"]).ok();
    let stopped = world.json(&["stop", "x"]);
    require_form(&world, &stopped, &["stop"]);
    assert_eq!(stopped["script_run"]["state"], "stopped");
    world.wait_until_quiet();
}

#[test]
fn lists_say_the_event_they_are_true_at() {
    let world = World::new();
    world.session("x");
    world.run(&["iterate", "x"]).ok();
    let last = world.count("SELECT max(seq) FROM events");
    assert_eq!(world.json(&["list"])["seq"], last);
    assert_eq!(world.json(&["queue"])["seq"], last);
    for words in [
        &["worktree", "list", "--json"][..],
        &["worktree", "prune", "--json"],
    ] {
        assert_eq!(world.orchestra(words).ok().json()["seq"], last, "{words:?}");
    }
}
