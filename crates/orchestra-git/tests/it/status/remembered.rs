//! What git said is remembered until something is different.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use orchestra_git::Worktree;
use orchestra_testkit::{TestRepository, wait_until};

use crate::world::World;

const PATIENCE: Duration = Duration::from_secs(60);

fn world() -> World {
    World::with(|plain| {
        plain.write("src/a", "a");
        plain.write("src/b", "b");
        plain.write(".gitignore", "out/\n");
        plain.commit("files");
    })
}

/// What the worktree answers, and how many processes that took.
fn asked(worktree: &Worktree) -> (bool, u64) {
    let git = worktree.repository().git();
    let before = git.spawned();
    (worktree.is_dirty().unwrap(), git.spawned() - before)
}

/// Asks until the answer is remembered: files that were changed just now may change again without another time.
fn settle(worktree: &Worktree, dirty: bool) {
    wait_until("the answer is remembered", PATIENCE, || {
        asked(worktree) == (dirty, 0)
    });
}

type Deed = (&'static str, fn(&TestRepository), bool);

const DEEDS: [Deed; 6] = [
    (
        "another edit of the same length",
        |plain| plain.write("src/a", "c"),
        true,
    ),
    (
        "the edit taken back",
        |plain| plain.write("src/a", "a"),
        false,
    ),
    (
        "a new file in a new directory",
        |plain| plain.write("new/deep/file", "new"),
        true,
    ),
    (
        "the directory ignored",
        |plain| {
            plain.write("new/.gitignore", "*\n");
        },
        false,
    ),
    (
        "a mode",
        |plain| {
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(plain.path("src/b"), mode).unwrap();
        },
        true,
    ),
    (
        "staged",
        |plain| {
            plain.git(&["add", "src/b"]);
        },
        true,
    ),
];

#[test]
fn a_changed_worktree_is_asked_about_once() {
    let world = world();
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    plain.write("src/a", "b");
    assert!(asked(&worktree).1 > 0);
    settle(&worktree, true);
    for (what, deed, dirty) in DEEDS {
        deed(&plain);
        let by_git = !plain
            .git(&["--no-optional-locks", "status", "--porcelain"])
            .is_empty();
        assert_eq!((asked(&worktree).0, by_git), (dirty, dirty), "{what}");
    }
    settle(&worktree, true);
}

#[test]
fn rules_outside_the_worktree_count() {
    let world = world();
    let worktree = world.worktree("amp/one");
    world.plain_at(worktree.path()).write("new", "new");
    settle(&worktree, true);
    let exclude = world.plain.path(".git/info/exclude");
    fs::create_dir_all(exclude.parent().unwrap()).unwrap();
    fs::write(&exclude, "new\n").unwrap();
    assert!(!asked(&worktree).0);
    settle(&worktree, false);
    fs::write(&exclude, "").unwrap();
    assert!(asked(&worktree).0);
    let ignore = world.sandbox.home().join(".config/git/ignore");
    fs::create_dir_all(ignore.parent().unwrap()).unwrap();
    fs::write(&ignore, "new\n").unwrap();
    assert!(!asked(&worktree).0);
}

#[test]
fn a_repository_inside_is_asked_about_each_time() {
    let world = world();
    let worktree = world.worktree("amp/one");
    let inner = worktree.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let plain = world.plain_at(&inner);
    plain.git(&["init", "--quiet"]);
    plain.write("file", "x");
    assert!(asked(&worktree).0);
    assert!(asked(&worktree).1 > 0);
}

#[test]
fn what_cannot_be_remembered_is_asked_again() {
    let world = world();
    let worktree = world.worktree("amp/one");
    world.plain_at(worktree.path()).write("new", "new");
    settle(&worktree, true);
    let places = world.sandbox.data_dir().join("git/status");
    for place in fs::read_dir(&places).unwrap() {
        let place = place.unwrap().path();
        let kept = fs::read_to_string(&place).unwrap();
        for damaged in ["", &kept[..20], &kept.replace("changed", "odd")] {
            fs::write(&place, damaged).unwrap();
            assert_eq!(
                (asked(&worktree).0, asked(&worktree).1),
                (true, 0),
                "{damaged}"
            );
        }
        fs::remove_file(&place).unwrap();
        fs::create_dir(&place).unwrap();
    }
    assert!(asked(&worktree).0);
    assert!(asked(&worktree).1 > 0);
}

#[test]
fn huge_rules_are_left_to_git() {
    let world = world();
    let worktree = world.worktree("amp/one");
    world.plain_at(worktree.path()).write("new", "new");
    settle(&worktree, true);
    let exclude = world.plain.path(".git/info/exclude");
    fs::create_dir_all(exclude.parent().unwrap()).unwrap();
    fs::write(&exclude, "# nothing\n".repeat(200_000)).unwrap();
    assert!(asked(&worktree).1 > 0);
    assert!(asked(&worktree).1 > 0);
}
