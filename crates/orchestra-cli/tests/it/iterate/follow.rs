//! Following what runs from other processes: detach, attach, wait, transcript.

use std::time::{Duration, Instant};

use orchestra_testkit::Sandbox;
use serde_json::Value;

use crate::ran::{ended, first_line};
use crate::world::World;

/// An agent that says something, waits for a file, and says something else.
fn two_words() -> (World, std::path::PathBuf) {
    let sandbox = Sandbox::new();
    let go = sandbox.path("go");
    let scenario = sandbox.scenario(&format!(
        "[[step]]\ndo = 'message'\ntext = 'first words'\n[[step]]\ndo = 'tool_call'\nname = 'Read'\nresult = 'x'\n\
         [[step]]\ndo = 'wait_for_file'\npath = '{}'\n[[step]]\ndo = 'message'\ntext = 'last words'\n",
        go.display()
    ));
    let world = World::of(sandbox.with_knob("scenario", &scenario.to_string_lossy()));
    (world, go)
}

#[test]
fn many_can_follow_one_run() {
    let (world, go) = two_words();
    let made = world.session("one");
    let said = world.run(&["iterate", "one", "--detach"]).ok();
    assert!(said.stderr.contains("attach"), "{}", said.stderr);
    let start = Instant::now();
    world.run(&["wait", "one", "--timeout", "1s"]).ends_with(1);
    assert!(start.elapsed() >= Duration::from_secs(1));
    let mut attached = world.start(&["attach", "one"]);
    let mut followed = world.start(&["transcript", "one", "--follow"]);
    let mut lines = world.start(&["attach", "one", "--json"]);
    first_line(&mut attached);
    first_line(&mut followed);
    let first = first_line(&mut lines);
    std::fs::write(go, "").unwrap();
    for child in [attached, followed] {
        let ran = ended(child).ok();
        let first = ran.stdout.find("first words").expect("the beginning");
        let last = ran.stdout.find("last words").expect("the end");
        assert!(first < last);
    }
    let lines = first + &ended(lines).ok().stdout;
    let items: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (end, items) = items.split_last().unwrap();
    assert_eq!(end["iteration"]["outcome"], "succeeded");
    let count = world.count("SELECT count(*) FROM transcript");
    assert_eq!(items.len() as i64, count, "nothing is left out");
    assert!(
        items
            .windows(2)
            .all(|pair| pair[0]["position"].as_u64() < pair[1]["position"].as_u64())
    );
    world.run(&["wait", "one", "--timeout", "1m"]).ok();
    world.run(&["attach", "one"]).ok().says("nothing runs");
    let again = world.run(&["transcript", "one"]).ok().stdout;
    assert!(again.contains("first words") && again.contains("last words"));
    assert!(
        world
            .iteration(&made, 1, "outcome")
            .unwrap()
            .contains("succeeded")
    );
    world.wait_until_quiet();
}

#[test]
fn a_transcript_of_one_iteration() {
    let (world, go) = two_words();
    std::fs::write(go, "").unwrap();
    world.session("one");
    world.run(&["iterate", "one"]).ok();
    let second = world
        .run(&["iterate", "one", "--notes", "second notes"])
        .ok()
        .stdout;
    assert_eq!(
        second.matches("first words").count(),
        1,
        "earlier iterations are not shown again:\n{second}"
    );
    let only = world
        .run(&["transcript", "one", "--iteration", "1"])
        .ok()
        .stdout;
    assert!(!only.contains("second notes"), "{only}");
    let both = world.run(&["transcript", "one"]).ok().stdout;
    assert!(both.contains("second notes"), "{both}");
    world
        .run(&["transcript", "one", "--iteration", "9"])
        .ends_with(2)
        .says("no iteration 9");
}

#[test]
fn json_of_a_run_is_one_value_per_line() {
    let (world, go) = two_words();
    std::fs::write(go, "").unwrap();
    world.session("one");
    let ran = world.run(&["iterate", "one", "--json"]).ok();
    assert!(ran.stderr.is_empty(), "{}", ran.stderr);
    for line in ran.stdout.lines() {
        let item: Value = serde_json::from_str(line).expect("JSON on every line");
        assert!(item["iteration"] == 1 || item["iteration"]["number"] == 1);
    }
    let started = world.json(&["iterate", "one", "--detach"]);
    assert_eq!(started["iteration"]["number"], 2);
    world.run(&["wait", "one"]).ok();
}
