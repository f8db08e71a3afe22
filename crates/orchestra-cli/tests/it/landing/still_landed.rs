//! What landed, when its base or the session goes on afterwards.

use super::work::{add_remote, base_moves, change, merge, with_commit};
use crate::world::World;

#[test]
fn what_a_base_lost_again_is_told_and_can_land_again() {
    let world = World::new();
    let before = world.repository.head();
    let made = with_commit(&world, "one", "new.txt", "new\n");
    let other = with_commit(&world, "two", "two.txt", "two\n");
    merge(&world, &made, &[]);
    let row = || world.json(&["list"])["sessions"].clone();
    let of = |rows: &serde_json::Value, name: &str| {
        let rows = rows.as_array().unwrap().clone();
        rows.into_iter().find(|row| row["name"] == name).unwrap()
    };
    assert_eq!(of(&row(), "one")["landed_is_there"], true);
    world.run(&["status", "one"]).ok().says("landed    in main");

    world
        .repository
        .git(&["reset", "--quiet", "--hard", &before]);
    let rows = row();
    assert_eq!(of(&rows, "one")["landed_is_there"], false);
    assert_eq!(of(&rows, "one")["status"], "idle");
    assert!(of(&rows, "two")["landed_is_there"].is_null());
    world.run(&["list"]).ok().says("idle, not in main any more");
    world
        .run(&["status", "one"])
        .ok()
        .says("main does not have it any more");
    merge(&world, &made, &[]);
    assert_eq!(world.repository.read("new.txt"), "new\n");
    assert_eq!(of(&row(), "one")["status"], "completed");
    world.run(&["approve", &other.id]).ok();

    world
        .repository
        .git(&["reset", "--quiet", "--hard", &before]);
    let landed = world.json(&["land", "one", "two"]);
    assert_eq!(landed["sessions"][0]["state"], "landed");
    assert_eq!(landed["sessions"][1]["state"], "landed");
    world
        .repository
        .git(&["switch", "--quiet", "-c", "elsewhere"]);
    world.repository.git(&["branch", "--quiet", "-D", "main"]);
    assert_eq!(of(&row(), "one")["landed_is_there"], false);
    world
        .run(&["merge", "one"])
        .refuses(3, "there is no branch `main` here");
    world.repository.fsck();
}

#[test]
fn a_base_that_was_written_anew_still_has_what_landed() {
    let world = World::new();
    let made = with_commit(&world, "one", "new.txt", "new\n");
    merge(&world, &made, &["--no-ff"]);
    let repository = &world.repository;
    repository.git(&["commit", "--quiet", "--amend", "-m", "By my words"]);
    assert_eq!(
        world.json(&["status", "one"])["session"]["status"],
        "completed"
    );
    add_remote(&world);
    repository.git(&["reset", "--quiet", "--hard", "HEAD^"]);
    assert_eq!(
        world.json(&["status", "one"])["session"]["landed_is_there"],
        true,
        "the remote has it"
    );
}

#[test]
fn a_merge_that_git_removed_for_good_is_not_there() {
    let world = World::new();
    let made = with_commit(&world, "one", "new.txt", "new\n");
    merge(&world, &made, &["--no-ff"]);
    let is_there = || world.json(&["status", "one"])["session"]["landed_is_there"].clone();
    base_moves(&world, "later.txt", "x\n");
    assert_eq!(is_there(), true, "the base went on");
    let repository = &world.repository;
    repository.git(&["reset", "--quiet", "--hard", "HEAD~2"]);
    repository.git(&["reflog", "expire", "--expire=now", "--all"]);
    repository.git(&["gc", "--quiet", "--prune=now"]);
    assert_eq!(is_there(), false);
    merge(&world, &made, &["--no-ff"]);
    assert_eq!(is_there(), true);
}

#[test]
fn what_landed_stays_so_when_it_is_put_onto_a_newer_base_or_lost_its_directory() {
    let world = World::new();
    let made = with_commit(&world, "one", "new.txt", "new\n");
    merge(&world, &made, &["--squash"]);
    let base = base_moves(&world, "later.txt", "x\n");
    world.run(&["rebase", "one"]).ok();
    assert_eq!(world.tree(&made).head(), base);
    let status = || world.json(&["status", "one"])["session"]["status"].clone();
    assert_eq!(status(), "completed");
    world.run(&["undo", "one"]).ok();
    assert_eq!(status(), "completed");
    std::fs::remove_dir_all(&made.worktree).unwrap();
    assert_eq!(status(), "completed");
    world.run(&["status", "one"]).ok().says("which is gone");
}

#[test]
fn what_comes_after_it_landed_can_land_too() {
    let world = World::new();
    let made = with_commit(&world, "one", "new.txt", "new\n");
    merge(&world, &made, &[]);
    change(&world, &made, "more.txt", "more\n", "More");
    assert_eq!(world.json(&["status", "one"])["session"]["status"], "idle");
    merge(&world, &made, &[]);
    assert_eq!(world.repository.read("more.txt"), "more\n");
}
