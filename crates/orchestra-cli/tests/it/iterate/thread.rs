//! The conversation with the agent: continued, with notes, questions and answers.

use std::io::Write;
use std::process::Stdio;

use crate::ran::ended;
use crate::world::World;

/// What the user said in the only conversation, turn by turn.
fn told(world: &World) -> Vec<String> {
    let threads = world.threads();
    assert_eq!(threads.len(), 1, "{threads:?}");
    threads[0]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "user")
        .map(|message| message["text"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_next_iteration_continues() {
    let world = World::new();
    let made = world.session_with("one", &["--constraints", "Keep it short", "--notes", "N1"]);
    world.run(&["iterate", "one"]).ok();
    world
        .run(&["iterate", "one", "--notes", "--also the docs"])
        .ok();
    let first = world.iteration(&made, 1, "thread");
    assert!(first.is_some() && first == world.iteration(&made, 2, "thread"));
    assert_eq!(world.threads()[0]["turns"], 2);
    assert_eq!(world.threads()[0]["id"].as_str(), first.as_deref());
    let told = told(&world);
    for part in ["Greet amp", "Keep it short", "N1"] {
        assert!(told[0].contains(part), "{}", told[0]);
    }
    assert!(told[1].contains("--also the docs"), "{}", told[1]);
    assert!(!told[1].contains("Keep it short"), "only what is new");
    assert_eq!(
        world.iteration(&made, 2, "input").as_deref(),
        Some("--also the docs")
    );
}

#[test]
fn a_refused_conversation_is_explained_and_a_new_one_knows_what_happened() {
    let world = World::new();
    let made = world.session("one");
    world.run(&["iterate", "one"]).ok();
    let first = world.iteration(&made, 1, "thread").unwrap();
    world.archive_thread(&first);
    let refused = world.run(&["iterate", "one", "--notes", "Take the second"]);
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(refused.stderr.contains("archived"), "{refused:?}");
    assert!(refused.stderr.contains("iterate") && refused.stderr.contains("--new-thread"));
    let needed = world.run(&["status", "one"]).ok().says("--new-thread");
    assert!(!needed.stderr.contains("tries again"), "{needed:?}");
    world
        .run(&["iterate", "one", "--new-thread", "--notes", "Go on"])
        .ok();
    let third = world.iteration(&made, 3, "thread").unwrap();
    assert_ne!(third, first);
    let threads = world.threads();
    let fresh = threads.iter().find(|thread| thread["id"] == third.as_str());
    let told = fresh.unwrap()["messages"][0]["text"].as_str().unwrap();
    for part in [
        "Greet amp",
        "which you do not remember",
        "User: Take the second",
        "Go on",
    ] {
        assert!(told.contains(part), "{told}");
    }
    world.run(&["iterate", "one"]).ok();
    assert_eq!(world.iteration(&made, 4, "thread"), Some(third));
}

#[test]
fn a_later_turn_hears_what_changed_since_the_last_one() {
    let world = World::new();
    let made = world.session_with("one", &["--constraints", "Keep it short", "--notes", "N1"]);
    world.run(&["iterate", "one"]).ok();
    world.run(&["set", "one", "prompt", "Greet everybody"]).ok();
    world.run(&["set", "one", "constraints", ""]).ok();
    let tree = world.tree(&made);
    tree.write("by-hand.txt", "one\ntwo\n");
    world.run(&["commit", "one", "-m", "Add it by hand"]).ok();
    tree.write("left.txt", "left\n");
    world.run(&["iterate", "one"]).ok();
    world.run(&["set", "one", "notes", "N2"]).ok();
    world.run(&["iterate", "one"]).ok();
    world.run(&["iterate", "one"]).ok();

    let told = told(&world);
    for part in [
        "The task is a new one:\nGreet everybody",
        "The constraints are now:\n(none any more)",
        " Add it by hand\n",
        "manual: changes made before iteration 2",
        "A by-hand.txt +2 -0",
        "A left.txt +1 -0",
    ] {
        assert!(told[1].contains(part), "no `{part}` in {}", told[1]);
    }
    assert!(!told[1].contains("amp: "), "its own commits are known");
    assert!(!told[1].contains("N1"), "the notes are as they were");
    assert_eq!(told[2], "The notes are now:\nN2");
    assert_eq!(told[3], "Continue with the task.");
}

#[test]
fn a_later_turn_hears_of_a_rewritten_branch_and_of_changes_kept_out() {
    let world = World::new();
    let made = world.session("one");
    world
        .orchestra(&["config", "set", "git.human_changes", "keep", "--repo"])
        .ok();
    world.run(&["iterate", "one"]).ok();
    let tree = world.tree(&made);
    tree.git(&["reset", "--quiet", "--hard", "main"]);
    tree.write("left.txt", "left\n");
    world.run(&["iterate", "one"]).ok();
    let told = told(&world);
    for part in [
        "The branch was rewritten",
        "which are not part of your work:\nleft.txt",
    ] {
        assert!(told[1].contains(part), "no `{part}` in {}", told[1]);
    }
}

#[test]
fn what_is_set_while_an_iteration_waits_is_told_in_it() {
    let world = World::new();
    world.session("one");
    world.session("other");
    world
        .orchestra(&["config", "set", "core.max_concurrent_sessions", "1"])
        .ok();
    let slow = world.sandbox.scenario("steps = [{ do = 'hang' }]");
    let prompt = format!("scenario: {}", slow.display());
    world.run(&["set", "other", "prompt", &prompt]).ok();
    world.run(&["iterate", "other", "--detach"]).ok();
    let other = world.made("other");
    world.wait_for_progress(&other, 1, "agent");
    world.run(&["iterate", "one", "--detach"]).ok();
    world.run(&["set", "one", "notes", "Set in the queue"]).ok();
    world.run(&["stop", "other"]).ok();
    world.run(&["wait", "one"]).ok();
    world.run(&["iterate", "one"]).ok();
    let threads = world.threads();
    let told = threads
        .iter()
        .find(|thread| thread["turns"] == 2)
        .map(|thread| thread["messages"].to_string())
        .unwrap();
    assert_eq!(told.matches("Set in the queue").count(), 1, "{told}");
    world.wait_until_quiet();
}

#[test]
fn a_question_that_was_not_taken_for_one_can_be_answered_too() {
    let world = World::with_scenario(
        "
[[turn]]
steps = [{ do = 'message', text = 'Which name? I took x.' }]
[[turn]]
steps = [{ do = 'ask', text = 'Tell me the name' }]
",
    );
    world.session("one");
    world.run(&["iterate", "one"]).ok();
    world.run(&["answer", "one", "Take y"]).ends_with(6);
    assert!(told(&world)[1].contains("Take y"));
}

#[test]
fn a_question_waits_for_its_answer() {
    let world = World::with_scenario(
        "
[[turn]]
steps = [{ do = 'ask', text = 'Which name shall I use?' }]
[[turn]]
steps = [{ do = 'write', path = 'name.txt', text = 'x' }]
",
    );
    let made = world.session("one");
    world
        .run(&["iterate", "one"])
        .ends_with(6)
        .says("orchestra session answer");
    assert_eq!(
        world.json(&["status", "one"])["session"]["status"],
        "awaiting_input"
    );
    let summary = world.iteration(&made, 1, "summary").unwrap();
    assert!(summary.contains("Which name"), "{summary}");
    world.run(&["wait", "one"]).ends_with(6);
    world
        .run(&["iterate", "one"])
        .refuses(3, "waits for an answer")
        .says("session answer");
    world.run(&["answer", "one"]).ends_with(2).says("no answer");
    world.run(&["answer", "one", "  "]).ends_with(2);
    let mut piped = world.session_command(&["answer", "one", "-"]);
    piped.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut piped = piped.stderr(Stdio::piped()).spawn().unwrap();
    let mut input = piped.stdin.take().unwrap();
    input.write_all(b"-x-\n").unwrap();
    drop(input);
    ended(piped).ok();
    assert!(told(&world)[1].contains("-x-"));
    assert!(made.worktree.join("name.txt").exists());
    assert_eq!(world.json(&["status", "one"])["session"]["status"], "idle");
    world.run(&["answer", "one", "more"]).ends_with(3);
}
