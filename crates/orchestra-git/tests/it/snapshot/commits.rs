//! Commits that a branch leaves are kept, and come back as they were.

use std::fs;
use std::path::PathBuf;

use orchestra_core::CommitId;
use orchestra_testkit::TestRepository;

use crate::world::{World, branch, id};

/// Commits that change, add, move, link and remove files.
fn work(plain: &TestRepository) -> CommitId {
    plain.write("a/b/deep", "deep\n");
    plain.write("kept", "kept\n");
    plain.commit("files");
    fs::rename(plain.path("a/b/deep"), plain.path("a/moved")).unwrap();
    std::os::unix::fs::symlink("kept", plain.path("link")).unwrap();
    plain.commit("moved and linked");
    fs::remove_file(plain.path("kept")).unwrap();
    plain.write("large", &"line\n".repeat(50_000));
    plain.write("noise", &noise());
    plain.write("empty", "");
    plain.commit("removed");
    id(&plain.head())
}

/// Text that stays long when it is compressed.
fn noise() -> String {
    let next = |state: &u64| {
        Some(
            state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1),
        )
    };
    let words = std::iter::successors(Some(1_u64), next).take(30_000);
    words.map(|word| format!("{word:016x}\n")).collect()
}

/// All that a commit leads to and the other one does not, with kind and size.
fn listed(plain: &TestRepository, head: &CommitId, known: &CommitId) -> String {
    let objects = plain.git(&["rev-list", "--objects", head.as_str(), &format!("^{known}")]);
    let mut ids: Vec<_> = objects.lines().map(|line| &line[..40]).collect();
    ids.sort_unstable();
    let facts = |id: &&str| format!("{id} {}\n", plain.git(&["cat-file", "-s", id]));
    ids.iter().map(facts).collect()
}

/// Keeps what the branch has, takes all of it out of the repository and puts it back. Says how many processes keeping took.
fn kept_and_restored(world: &World, head: &CommitId) -> u64 {
    let (plain, known) = (&world.plain, world.head());
    let before = listed(plain, head, &known);
    let folder: PathBuf = world.sandbox.path("kept");
    let spawned = world.git.spawned();
    let kept = world
        .repository
        .keep_commits(&folder, std::slice::from_ref(head), &known)
        .unwrap();
    let spawned = world.git.spawned() - spawned;
    plain.git(&["branch", "--quiet", "-D", "amp/one"]);
    plain.git(&["reflog", "expire", "--expire=now", "--all"]);
    plain.git(&["gc", "--quiet", "--prune=now"]);
    assert!(!world.reopened().commit_exists(head).unwrap());
    world.reopened().restore_commits(&kept).unwrap();
    plain.git(&["branch", "amp/one", head.as_str()]);
    assert_eq!(listed(plain, head, &known), before);
    plain.fsck();
    spawned
}

#[test]
fn commits_are_packed_without_a_process() {
    let world = World::new();
    world.start("amp/one", &world.head());
    let head = work(&world.plain);
    world.plain.git(&["checkout", "--quiet", "main"]);
    world.plain.commit("main went on");
    assert_eq!(kept_and_restored(&world, &head), 0);
}

#[test]
fn merges_are_packed_by_git() {
    let world = World::new();
    let plain = &world.plain;
    world.start("amp/one", &world.head());
    work(plain);
    plain.git(&["checkout", "--quiet", "-b", "side", "HEAD~1"]);
    plain.commit("beside");
    plain.git(&["checkout", "--quiet", "amp/one"]);
    plain.git(&["merge", "--quiet", "-m", "merged", "side"]);
    let head = id(&plain.head());
    plain.git(&["branch", "--quiet", "-D", "side"]);
    plain.git(&["checkout", "--quiet", "main"]);
    assert_eq!(kept_and_restored(&world, &head), 1);
}

#[test]
fn nothing_to_keep_is_kept_too() {
    let world = World::new();
    let (old, folder) = (world.head(), world.sandbox.path("kept"));
    world.plain.commit("main went on");
    let kept = world
        .repository
        .keep_commits(&folder, std::slice::from_ref(&old), &world.head())
        .unwrap();
    world.repository.restore_commits(&kept).unwrap();
    assert_eq!(
        world.repository.find_branch(&branch("main")).unwrap(),
        Some(world.head())
    );
}
