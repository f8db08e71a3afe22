//! `orchestra conflicts`: every live pair.

use super::work::{base_moves, merge, with_commit};
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
