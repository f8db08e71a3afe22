//! Repositories that were moved or copied: which sessions belong to them, and how they come along.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use orchestra_testkit::Sandbox;

use crate::made::Made;
use crate::ran::{Ran, ran};
use crate::world::World;

/// Places where bringing sessions along can be cut off.
pub(crate) const MOVE: &[&str] = &["move.recorded", "move.relinked"];

fn command_in(sandbox: &Sandbox, directory: &Path, words: &[&str]) -> Command {
    let mut command = sandbox.orchestra();
    command.args(words).current_dir(directory);
    command
}

fn run_in(sandbox: &Sandbox, directory: &Path, words: &[&str]) -> Ran {
    ran(command_in(sandbox, directory, words))
}

/// Two sessions, one of which has worked, and something uncommitted in the other.
fn two_sessions(world: &World, more: &[&str]) -> (Made, Made) {
    let one = world.session_with("one", more);
    world.run(&["iterate", "one"]).ok();
    let two = world.session_with("two", more);
    fs::write(two.worktree.join("precious.txt"), "uncommitted").unwrap();
    (one, two)
}

/// Everything works at the new place, seen with plain git and by the product.
fn require_whole(world: &World, root: &Path) {
    let there = world.repository.at(root);
    there.fsck();
    for name in ["one", "two"] {
        let made = world.made(name);
        let tree = world.repository.at(&made.worktree);
        assert_eq!(tree.git(&["symbolic-ref", "--short", "HEAD"]), made.branch);
        let common = tree.git(&["rev-parse", "--path-format=absolute", "--git-common-dir"]);
        assert_eq!(Path::new(&common), root.join(".git"));
    }
    let precious = world.made("two").worktree.join("precious.txt");
    assert_eq!(fs::read_to_string(precious).unwrap(), "uncommitted");
    let listed = there.git(&["worktree", "list", "--porcelain"]);
    assert!(!listed.contains("prunable"), "{listed}");
    assert_eq!(world.count("SELECT count(*) FROM repositories"), 1);
    let open = "SELECT count(*) FROM intents WHERE closed_at IS NULL";
    assert_eq!(world.count(open), 0);
    for name in ["one", "two"] {
        run_in(&world.sandbox, root, &["session", "iterate", name]).ok();
    }
    run_in(&world.sandbox, root, &["doctor", "--fix"]).ok();
}

fn move_to(world: &World, name: &str) -> PathBuf {
    let place = world.sandbox.path(name);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::rename(world.repository.root(), &place).unwrap();
    place
}

#[test]
fn a_moved_repository_is_recognised_and_comes_along_when_told() {
    let world = World::new();
    two_sessions(&world, &[]);
    let old = world.repository.root().to_owned();
    let new = move_to(&world, "elsewhere/moved here");
    let said = format!("moved here from {}", old.display());
    for words in [&[][..], &["session", "list"]] {
        run_in(&world.sandbox, &new, words)
            .ok()
            .says(&said)
            .says("doctor --fix")
            .says("two");
    }
    let words = ["session", "new", "--name", "three", "--prompt", "x"];
    run_in(&world.sandbox, &new, &words)
        .refuses(3, "was moved")
        .says("doctor --fix");
    run_in(&world.sandbox, &new, &["session", "iterate", "one"])
        .refuses(3, "not there any more")
        .says("new place");
    run_in(&world.sandbox, &new, &["doctor"])
        .ends_with(1)
        .says(&said);
    let root = world.value("SELECT root FROM repositories");
    assert_eq!(root.as_deref(), old.to_str(), "nothing was changed so far");
    run_in(&world.sandbox, &new, &["doctor", "--fix"])
        .ok()
        .says(&said)
        .says("2 session(s) came along");
    assert!(world.made("one").worktree.starts_with(&new));
    require_whole(&world, &new);
}

#[test]
fn what_lies_in_the_trash_comes_back_to_the_new_place() {
    let world = World::new();
    two_sessions(&world, &[]);
    for name in ["one", "two"] {
        let words = ["cleanup", name, "--even-unlanded", "--even-dirty"];
        world.run(&words).ok();
    }
    let new = move_to(&world, "elsewhere");
    run_in(&world.sandbox, &new, &["doctor", "--fix"])
        .ok()
        .says("2 session(s) came along");
    run_in(&world.sandbox, &new, &["trash", "restore", "one"]).ok();
    run_in(&world.sandbox, &new, &["session", "undo", "two"]).ok();
    for name in ["one", "two"] {
        assert!(world.made(name).worktree.starts_with(&new), "{name}");
    }
    assert!(!world.repository.root().exists());
    require_whole(&world, &new);
}

#[test]
fn a_renamed_folder_above_takes_worktrees_outside_along() {
    let world = World::new();
    let parent = world.sandbox.path("parent");
    let root = parent.join("app");
    fs::create_dir(&parent).unwrap();
    fs::rename(world.repository.root(), &root).unwrap();
    let trees = parent.join("trees");
    let setting = format!("core.worktrees_root={}", trees.display());
    let new = |name: &str| {
        let words = ["session", "new", "--name", name, "--prompt", "Greet amp"];
        let words = [&words[..], &["--set-config", &setting]].concat();
        run_in(&world.sandbox, &root, &words).ok();
        world.made(name)
    };
    let (one, two) = (new("one"), new("two"));
    assert!(one.worktree.starts_with(&trees));
    fs::write(two.worktree.join("precious.txt"), "uncommitted").unwrap();
    let renamed = world.sandbox.path("renamed");
    fs::rename(&parent, &renamed).unwrap();
    run_in(&world.sandbox, &renamed.join("app"), &["doctor", "--fix"]).ok();
    assert!(
        world
            .made("one")
            .worktree
            .starts_with(renamed.join("trees"))
    );
    require_whole(&world, &renamed.join("app"));
}

#[test]
fn worktrees_outside_stay_where_they_are() {
    let world = World::new();
    let trees = world.sandbox.path("trees");
    let setting = format!("core.worktrees_root={}", trees.display());
    let (one, _) = two_sessions(&world, &["--set-config", &setting]);
    let new = move_to(&world, "elsewhere");
    run_in(&world.sandbox, &new, &["doctor", "--fix"]).ok();
    assert_eq!(world.made("one").worktree, one.worktree);
    require_whole(&world, &new);
}

#[test]
fn a_copy_is_a_repository_of_its_own() {
    let world = World::new();
    let (one, _) = two_sessions(&world, &[]);
    let copy = world.sandbox.path("copy");
    let mut command = world.sandbox.command(Path::new("cp"));
    command.arg("-r").arg(world.repository.root()).arg(&copy);
    assert!(command.status().unwrap().success());
    let listed = run_in(&world.sandbox, &copy, &["session", "list"]).ok();
    assert!(!listed.stderr.contains("moved"), "{}", listed.stderr);
    assert!(!listed.stdout.contains("two"), "{}", listed.stdout);
    run_in(&world.sandbox, &copy, &["doctor", "--fix"]);
    assert_eq!(world.made("one").worktree, one.worktree);
    let root = world.value("SELECT root FROM repositories");
    assert_eq!(root.as_deref(), world.repository.root().to_str());
    // The copy has the branches too, and one of the same second would be in the way.
    let words = [
        "session", "new", "--name", "one", "--prompt", "x", "--issue", "7",
    ];
    let pattern = ["--set-config", "git.branch_pattern=copy/{issue}"];
    run_in(&world.sandbox, &copy, &[&words[..], &pattern].concat()).ok();
    assert_eq!(world.count("SELECT count(*) FROM repositories"), 2);
    world.run(&["iterate", &one.id]).ok();
}

#[test]
fn a_worktree_that_names_another_is_not_linked() {
    let world = World::new();
    let (one, two) = two_sessions(&world, &[]);
    let admin = |made: &Made| {
        let common = world.repository.path(".git/worktrees");
        common.join(made.worktree.file_name().unwrap())
    };
    let claimed = format!("gitdir: {}\n", admin(&two).display());
    fs::write(one.worktree.join(".git"), claimed).unwrap();
    let new = move_to(&world, "elsewhere");
    run_in(&world.sandbox, &new, &["doctor", "--fix"]);
    let named = new.join(".git/worktrees").join(&two.id).join("gitdir");
    let named = fs::read_to_string(named).unwrap();
    assert_eq!(
        Path::new(named.trim()),
        world.made("two").worktree.join(".git")
    );
}

#[test]
#[cfg(debug_assertions)]
fn a_move_that_is_cut_off_converges() {
    for failpoint in MOVE {
        let world = World::new();
        two_sessions(&world, &[]);
        let new = move_to(&world, "elsewhere");
        let cut_off = || {
            let mut fix = command_in(&world.sandbox, &new, &["doctor", "--fix"]);
            fix.env("ORCHESTRA_FAILPOINT", failpoint);
            fix.output().unwrap().status.code()
        };
        assert_eq!(cut_off(), None, "{failpoint} was not reached");
        cut_off();
        run_in(&world.sandbox, &new, &["doctor", "--fix"]).ok();
        require_whole(&world, &new);
    }
}
