//! The conversation with the agent: continued, with notes, questions and answers.

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
    world.run(&["answer", "one"]).ends_with(2).says("no answer");
    world.run(&["answer", "one", "  "]).ends_with(2);
    world.run(&["answer", "one", "-x-"]).ok();
    assert!(told(&world)[1].contains("-x-"));
    assert!(made.worktree.join("name.txt").exists());
    assert_eq!(world.json(&["status", "one"])["session"]["status"], "idle");
    world.run(&["answer", "one", "more"]).ends_with(3);
}
