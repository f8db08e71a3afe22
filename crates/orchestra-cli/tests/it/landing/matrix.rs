//! `orchestra conflicts`: every live pair.

use super::work::{base_moves, change, merge, with_commit};
use crate::world::World;

#[test]
fn pairs_and_bases_that_conflict_are_named() {
    let world = World::new();
    world
        .orchestra(&["conflicts"])
        .refuses(3, "no repository with sessions");
    let one = with_commit(&world, "one", "README.md", "one\n");
    let two = with_commit(&world, "two", "README.md", "two\n");
    let three = with_commit(&world, "three", "three.txt", "x\n");
    world.session("empty");
    let quiet = with_commit(&world, "landed", "landed.txt", "x\n");
    merge(&world, &quiet, &[]);
    let shown = world.orchestra(&["conflicts"]).ok();
    assert!(shown.stdout.contains("README.md"), "{shown:?}");
    assert!(shown.stderr.contains("3 session(s)"), "{shown:?}");
    assert!(
        shown.stderr.contains("1 of 6 pair(s) conflict"),
        "{shown:?}"
    );

    base_moves(&world, "three.txt", "y\n");
    let before = world.outside();
    let answer = world.orchestra(&["conflicts", "--json"]).ok().json();
    let pairs = answer["pairs"].as_array().unwrap().iter();
    let conflicts: Vec<_> = pairs
        .filter(|pair| pair["files"] != serde_json::json!([]))
        .map(|pair| {
            let mut both = [&pair["session_id"], &pair["other_id"]]
                .map(|id| id.as_str().unwrap_or("base").to_owned());
            both.sort();
            both
        })
        .collect();
    let mut pair = [one.id, two.id];
    pair.sort();
    let mut base = [three.id, "base".to_owned()];
    base.sort();
    assert_eq!(conflicts, [base, pair]);
    assert_eq!(answer["sessions"].as_array().unwrap().len(), 3);
    assert_eq!(world.outside(), before);
    let elsewhere = world.sandbox.path("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    let mut command = world.sandbox.orchestra();
    command
        .current_dir(&elsewhere)
        .args(["conflicts", "--repo"]);
    command.arg(world.repository.root());
    crate::ran::ran(command)
        .ok()
        .says("2 of 6 pair(s) conflict");
}

#[cfg(target_os = "linux")]
#[test]
fn numbers_and_names_that_git_does_not_compare_are_rows_with_their_kind() {
    let world = World::new();
    base_moves(&world, "migrations/0001_start.sql", "1\n");
    let one = with_commit(&world, "one", "migrations/0002_a.sql", "a\n");
    let two = with_commit(&world, "two", "migrations/0002_b.sql", "b\n");
    change(&world, &one, "Notes.txt", "x\n", "Notes");
    with_commit(&world, "three", "notes.txt", "x\n");
    let four = with_commit(&world, "four", "README.txt", "x\n");
    base_moves(&world, "readme.txt", "y\n");
    world.run(&["rebase", "four"]).ok();
    let answer = world.orchestra(&["conflicts", "--json"]).ok().json();
    let pairs = answer["pairs"].as_array().unwrap().iter();
    let count = |field: &str| {
        let is_there = |pair: &&serde_json::Value| pair[field] != serde_json::json!([]);
        pairs.clone().filter(is_there).count()
    };
    assert_eq!(
        (count("files"), count("migrations"), count("case_clashes")),
        (0, 1, 2)
    );
    let with_base = pairs
        .clone()
        .find(|pair| pair["case_clashes"][0]["ours"] == "readme.txt")
        .unwrap();
    assert_eq!(with_base["session_id"], four.id.as_str());
    assert_eq!(with_base["other_id"], serde_json::Value::Null);
    let shown = world.orchestra(&["conflicts"]).ok();
    for text in [
        "same migration number",
        "migrations/0002_b.sql",
        "upper and lower case",
        "3 of 10 pair(s) conflict",
    ] {
        assert!(
            shown.stdout.contains(text) || shown.stderr.contains(text),
            "{text}: {shown:?}"
        );
    }
    change(&world, &two, "migrations/0003_c.sql", "c\n", "More");
    let tree = world.tree(&two);
    tree.git(&["rm", "--quiet", "migrations/0002_b.sql"]);
    tree.git(&["commit", "--quiet", "--message", "Renumber"]);
    let shown = world.orchestra(&["conflicts"]).ok();
    assert!(!shown.stdout.contains("same migration"), "{shown:?}");
}

#[test]
fn a_base_that_is_gone_is_told() {
    let world = World::new();
    world.repository.git(&["branch", "release"]);
    let made = world.session_with("one", &["--base", "release"]);
    change(&world, &made, "one.txt", "one\n", "One");
    let pairs = || world.orchestra(&["conflicts", "--json"]).ok().json()["pairs"].clone();
    assert_eq!(pairs()[0]["base_is_gone"], false);
    world
        .repository
        .git(&["branch", "--quiet", "-D", "release"]);
    assert_eq!(pairs()[0]["base_is_gone"], true);
    world
        .orchestra(&["conflicts"])
        .ok()
        .says("one: its base release is gone");
}
