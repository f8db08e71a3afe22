//! `land`: several sessions, one on top of the other.

use super::work::{base_moves, change, with_commit, with_commit_and};
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
    let stopped = world.run(&["land", "one", "two", "--json"]).ends_with(7);
    let answer = stopped.json();
    assert_eq!(states(&answer), ["one landed", "two failed"]);
    assert_eq!(answer["sessions"][1]["error"]["code"], "merge.conflicts");
    assert_eq!(world.repository.read("README.md"), "one\n");
}

/// A script that lets somebody commit to the base the first `times` it runs, and fails where that is in the worktree.
fn script_that_moves_the_base(world: &World, times: u32) -> String {
    let count = world.sandbox.path("count");
    let (root, count) = (world.repository.root().display(), count.display());
    let git = format!("git -C '{root}' -c user.name=x -c user.email=x@example.com");
    format!(
        "echo >> '{count}'; [ $(wc -l < '{count}') -gt {times} ] || \
         {{ echo >> '{root}/moved.txt'; {git} add moved.txt; {git} commit -q -m Moved; }}; test ! -e not-wanted.txt"
    )
}

fn runs(world: &World) -> usize {
    let count = std::fs::read_to_string(world.sandbox.path("count"));
    count.unwrap_or_default().lines().count()
}

#[test]
fn only_what_was_tested_lands() {
    let world = World::new();
    let script = script_that_moves_the_base(&world, 1);
    let made = with_commit_and(&world, "one", "one.txt", "x\n", &["--script", &script]);
    world.run(&["approve", "one"]).ok();
    world
        .run(&["land", "one"])
        .ok()
        .says("its base has moved meanwhile")
        .says("one: landed in `main`");
    assert_eq!(runs(&world), 2);
    let log = world.repository.git(&["log", "--format=%s", "-2"]);
    assert_eq!(log, "Change one.txt\nMoved", "on top, not beside it");
    assert_eq!(world.repository.head(), world.tree(&made).head());

    let script = script_that_moves_the_base(&world, 3).replace("moved.txt", "not-wanted.txt");
    with_commit_and(&world, "two", "two.txt", "x\n", &["--script", &script]);
    world.run(&["approve", "two"]).ok();
    world.run(&["land", "two"]).ends_with(5);
    assert!(!world.repository.path("two.txt").exists());
    world.repository.fsck();
}

#[test]
fn a_base_that_never_rests_is_told() {
    let world = World::new();
    let script = script_that_moves_the_base(&world, 9);
    with_commit_and(&world, "one", "one.txt", "x\n", &["--script", &script]);
    world.run(&["approve", "one"]).ok();
    let stopped = world.run(&["land", "one"]).ends_with(3);
    assert!(
        stopped
            .stderr
            .contains("`main` has moved 3 times while session")
    );
    assert_eq!(runs(&world), 3);
    assert!(!world.repository.path("one.txt").exists());
    assert!(!stopped.stderr.contains("landed in"), "{stopped:?}");
}

#[test]
fn what_can_be_said_at_once_is_said_before_anything_runs() {
    let world = World::new();
    let script = format!("echo >> '{}'", world.sandbox.path("count").display());
    let made = with_commit_and(&world, "one", "one.txt", "x\n", &["--script", &script]);
    with_commit(&world, "two", "two.txt", "x\n");
    world.run(&["approve", "two"]).ok();
    base_moves(&world, "base.txt", "x\n");
    let (before, head) = (world.outside(), world.tree(&made).head());
    let refused = world.run(&["land", "one"]).ends_with(3);
    assert!(refused.stderr.contains("nobody approved it"), "{refused:?}");
    assert!(
        refused.stderr.contains("--override reviewed"),
        "{refused:?}"
    );
    assert!(!refused.stderr.contains("--override script"), "{refused:?}");
    for text in ["put on top", "the script runs", "landed in"] {
        assert!(!refused.stderr.contains(text), "{text}: {refused:?}");
    }
    assert_eq!((world.outside(), world.tree(&made).head()), (before, head));
    assert_eq!(runs(&world), 0);

    let part = world.run(&["land", "two", "one", "--json"]).ends_with(1);
    assert_eq!(states(&part.json()), ["two landed", "one failed"]);
    assert_eq!(part.json()["error"]["code"], "merge.checks");
    world.run(&["approve", "one"]).ok();
    let words = ["land", "one", "--override", "script"];
    let ran = world.run(&words).ok().says("one: put on top of main");
    assert!(!ran.stderr.contains("the script runs"), "{ran:?}");
    assert_eq!(runs(&world), 0);
}
