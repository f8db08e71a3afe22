//! `land`: several sessions, one on top of the other.

use super::work::{change, with_commit, with_commit_and};
use crate::world::World;

/// Name and state of each session, in the order they land in.
fn states(answer: &serde_json::Value) -> Vec<String> {
    let rows = answer["sessions"].as_array().unwrap().iter();
    rows.map(|row| {
        let text = |name: &str| row[name].as_str().unwrap();
        format!("{} {}", text("session_name"), text("state"))
    })
    .collect()
}

#[test]
fn sessions_land_on_top_of_each_other_in_order() {
    let world = World::new();
    for name in ["one", "two", "three"] {
        let path = format!("{name}.txt");
        with_commit(&world, name, &path, "x\n");
        world.run(&["approve", name]).ok();
    }
    let words = [
        "land",
        "one",
        "two",
        "--depends-on",
        "three",
        "--depends-on",
        "one:two",
    ];
    let answer = world.json(&words);
    assert_eq!(
        states(&answer),
        ["three landed", "two landed", "one landed"]
    );
    assert_eq!(answer["complete"], true);
    let log = world.repository.git(&["log", "--format=%s", "-3"]);
    assert_eq!(log, "Change one.txt\nChange two.txt\nChange three.txt");
    assert_eq!(
        world.repository.git(&["log", "--merges", "--format=%s"]),
        ""
    );
    assert_eq!(world.repository.git(&["status", "--porcelain"]), "");
    let again = world.run(&words).ok();
    assert!(again.stdout.contains("landed before"), "{again:?}");
    world.repository.fsck();
}

#[test]
fn it_stops_at_the_first_that_fails_and_goes_on_later() {
    let world = World::new();
    let script = ["--script", "test ! -e one.txt || test -e fixed.txt"];
    with_commit(&world, "one", "one.txt", "x\n");
    let two = with_commit_and(&world, "two", "two.txt", "x\n", &script);
    with_commit(&world, "three", "three.txt", "x\n");
    for name in ["one", "two", "three"] {
        world.run(&["approve", name]).ok();
    }
    world.run(&["run", "two"]).ok();
    let words = ["land", "one", "two", "three"];
    let stopped = world.run(&[&words[..], &["--json"]].concat()).ends_with(5);
    let answer = stopped.json();
    assert_eq!(
        states(&answer),
        ["one landed", "two failed", "three waiting"]
    );
    assert_eq!(answer["sessions"][1]["script_run"]["state"], "failed");
    assert!(!world.repository.path("two.txt").exists());

    change(&world, &two, "fixed.txt", "x\n", "Put it right");
    let shown = world.run(&words).ends_with(3);
    for text in [
        "landed before",
        "failed",
        "not tried",
        "it has changed since",
        "orchestra session approve",
    ] {
        assert!(
            shown.stdout.contains(text) || shown.stderr.contains(text),
            "{text}: {shown:?}"
        );
    }
    world.run(&["approve", "two"]).ok();
    let answer = world.json(&words);
    assert_eq!(
        states(&answer),
        ["one landed_before", "two landed", "three landed"]
    );
    assert_eq!(
        world.json(&["status", "three"])["session"]["status"],
        "completed"
    );
}

#[test]
fn conflicts_and_circles_are_told() {
    let world = World::new();
    for name in ["one", "two"] {
        with_commit(&world, name, "README.md", &format!("{name}\n"));
        world.run(&["approve", name]).ok();
    }
    let circle = [
        "land",
        "one",
        "two",
        "--depends-on",
        "one:two",
        "--depends-on",
        "two:one",
    ];
    world.run(&circle).refuses(2, "in a circle");
    world
        .run(&["land", "one", "--depends-on", "nobody"])
        .refuses(2, "no session matches `nobody`");
    let stopped = world.run(&["land", "one", "two", "--json"]).ends_with(1);
    let answer = stopped.json();
    assert_eq!(states(&answer), ["one landed", "two failed"]);
    assert_eq!(answer["sessions"][1]["error"]["code"], "merge.conflicts");
    assert_eq!(world.repository.read("README.md"), "one\n");
}
