//! Cleaning up, its undoing, gc and push, killed at each of their places.

use super::{BY_HAND, scenario};
use crate::concurrency::world::{Made, World};

/// Places in `cleanup`.
pub(super) const CLEANUP: &[&str] = &[
    "cleanup.intended",
    "cleanup.recorded",
    "cleanup.objects_kept",
    "cleanup.admin_moved",
    "cleanup.directory_moved",
    "cleanup.branch_deleted",
    "cleanup.done",
];
/// Places in `undo` of a cleanup.
pub(super) const RESTORE: &[&str] = &[
    "undo.intended",
    "restore.begun",
    "restore.objects_back",
    "restore.directory_moved",
    "restore.admin_moved",
    "restore.back",
    "undo.done",
];
/// Places in `cleanup --delete-branch` of what is in the trash already.
pub(super) const BRANCH: &[&str] = &[
    "cleanup.intended",
    "cleanup.branch_kept",
    "cleanup.branch_deleted",
    "cleanup.done",
];
/// Places in `undo` of that.
pub(super) const BRANCH_BACK: &[&str] = &["undo.intended", "restore.branch_back", "undo.done"];
/// Places in `gc`.
pub(super) const GC: &[&str] = &[
    "gc.finished",
    "trash.deleted",
    "trash.recorded",
    "gc.snapshots_forgotten",
];
/// Places in `push`.
pub(super) const PUSH: &[&str] = &["push.intended", "push.sent", "push.done"];
/// Places in `artifacts`.
pub(super) const ARTIFACTS: &[&str] = &["artifacts.reserved", "artifacts.written"];
/// A session with a commit, something staged and something on disk, and what of that must come back.
fn world_to_clean_up() -> (World, Made, String) {
    let world = World::new(&scenario());
    let session = world.create("victim", &[]);
    world.succeed(&["iterate", "victim"]);
    let worktree = world.repository.at(&session.worktree);
    worktree.write(BY_HAND.0, BY_HAND.1);
    worktree.git(&["add", BY_HAND.0]);
    worktree.write(BY_HAND.0, "and more\n");
    let state = worktree.git(&["status", "--porcelain=v2", "--branch"]);
    (world, session, state)
}

const CLEAN_UP: &[&str] = &[
    "cleanup",
    "victim",
    "--even-unlanded",
    "--even-dirty",
    "--delete-branch",
];

#[test]
fn a_cleanup_that_was_cut_off_is_finished_or_taken_back() {
    for place in CLEANUP {
        let (world, session, before) = world_to_clean_up();
        let worktree = world.repository.at(&session.worktree);
        let output = world.abort_at(place, CLEAN_UP);
        assert!(!output.status.success(), "{place}");
        world.kill_recovery();
        world.heal();
        if session.worktree.exists() {
            let state = worktree.git(&["status", "--porcelain=v2", "--branch"]);
            assert_eq!(state, before, "{place}: taken back");
        }
        world.succeed(CLEAN_UP);
        assert!(!session.worktree.exists(), "{place}");
        assert!(!world.repository.has_branch(&session.branch), "{place}");
        world.repository.fsck();
        world.succeed(&["undo", "victim"]);
        let state = worktree.git(&["status", "--porcelain=v2", "--branch"]);
        assert_eq!(state, before, "{place}: undone");
        world.assert_whole(place);
        world.goes_on(&session, place);
    }
    println!("failpoints in cleanup {}, lost 0", CLEANUP.len());
}

#[test]
fn a_cleanup_that_was_cut_off_while_it_packed_is_taken_back() {
    let (world, session, before) = world_to_clean_up();
    world.abort_at("cleanup.recorded", CLEAN_UP);
    let trash = world.repository.path(".git/orchestra/trash");
    let folders = || {
        let entries = std::fs::read_dir(&trash).unwrap().flatten();
        let folders = entries.map(|entry| entry.path()).filter(|it| it.is_dir());
        folders.collect::<Vec<_>>()
    };
    std::fs::write(folders()[0].join("objects.pack"), "PACK").unwrap();
    world.heal();
    assert!(folders().is_empty(), "{:?}", folders());
    let unknown = "SELECT count(*) FROM operations WHERE state = 'unknown'";
    assert_eq!(world.count(unknown), 0);
    let worktree = world.repository.at(&session.worktree);
    let state = worktree.git(&["status", "--porcelain=v2", "--branch"]);
    assert_eq!(state, before);
    world.succeed(CLEAN_UP);
}

#[test]
fn and_so_is_its_undoing() {
    for place in RESTORE {
        let (world, session, before) = world_to_clean_up();
        let worktree = world.repository.at(&session.worktree);
        world.succeed(CLEAN_UP);
        let output = world.abort_at(place, &["undo", "victim"]);
        assert!(!output.status.success(), "{place}");
        world.kill_recovery();
        world.heal();
        world.succeed(&["undo", "victim"]);
        let state = worktree.git(&["status", "--porcelain=v2", "--branch"]);
        assert_eq!(state, before, "{place}");
        world.assert_whole(place);
        world.goes_on(&session, place);
    }
    println!("failpoints in undo of a cleanup {}, lost 0", RESTORE.len());
}

#[test]
fn a_branch_that_follows_its_worktree_is_deleted_or_there() {
    let delete = ["cleanup", "victim", "--delete-branch", "--even-unlanded"];
    for place in [BRANCH, BRANCH_BACK].concat() {
        let (world, session, before) = world_to_clean_up();
        let worktree = world.repository.at(&session.worktree);
        let head = worktree.head();
        world.succeed(&["cleanup", "victim", "--even-unlanded", "--even-dirty"]);
        let is_undo = BRANCH_BACK.contains(&place);
        if is_undo {
            world.succeed(&delete);
        }
        let words = if is_undo {
            &["undo", "victim"]
        } else {
            &delete[..]
        };
        let output = world.abort_at(place, words);
        assert!(!output.status.success(), "{place}");
        world.kill_recovery();
        world.heal();
        if world.repository.has_branch(&session.branch) {
            assert_eq!(
                world.repository.branch_sha(&session.branch),
                head,
                "{place}"
            );
            world.succeed(&delete);
        }
        assert!(!session.worktree.exists(), "{place}");
        world.succeed(&["undo", "victim"]);
        assert_eq!(
            world.repository.branch_sha(&session.branch),
            head,
            "{place}"
        );
        world.succeed(&["undo", "victim"]);
        let state = worktree.git(&["status", "--porcelain=v2", "--branch"]);
        assert_eq!(state, before, "{place}");
        world.assert_whole(place);
        world.goes_on(&session, place);
    }
    let count = BRANCH.len() + BRANCH_BACK.len();
    println!("failpoints in deleting a branch {count}, lost 0");
}

#[test]
fn housekeeping_that_was_cut_off_is_finished_by_the_next() {
    for place in GC {
        let (world, session, _) = world_to_clean_up();
        world.succeed(&["commit", "victim", "--message", "By hand"]);
        let own = world.sandbox.data_dir().join("environments");
        let cache = own.join(&session.id).join("cache");
        std::fs::create_dir_all(&cache).unwrap();
        std::fs::write(cache.join("file"), "x").unwrap();
        world.succeed(&["cleanup", "victim", "--even-unlanded"]);
        assert!(cache.exists(), "{place}: it is kept with the worktree");
        let settings = ["git.trash_retention=0", "git.undo_retention=0"];
        let settings = settings.iter().flat_map(|it| ["--set-config", it]);
        let words: Vec<&str> = ["gc"].into_iter().chain(settings).collect();
        let output = world.abort_at(place, &words);
        assert!(!output.status.success(), "{place}");
        world.heal();
        world.succeed(&words);
        let deleted = "SELECT count(*) FROM sessions WHERE worktree_deleted_at IS NOT NULL";
        assert_eq!(world.count(deleted), 1, "{place}");
        let kept = "SELECT count(*) FROM operations WHERE snapshot IS NOT NULL";
        assert_eq!(world.count(kept), 0, "{place}");
        let snapshots = world.sandbox.data_dir().join("snapshots").join(&session.id);
        let left = std::fs::read_dir(snapshots).unwrap().count();
        assert_eq!(left, 0, "{place}: snapshots");
        assert!(!cache.parent().unwrap().exists(), "{place}: cache");
        let trash = world.repository.path(".git/orchestra/trash");
        let left = std::fs::read_dir(trash).unwrap().flatten();
        let left = left.filter(|entry| entry.path().is_dir()).count();
        assert_eq!(left, 0, "{place}: trash");
        assert!(world.commits(&session) >= 2, "{place}: its branch stays");
        world.repository.fsck();
    }
    println!("failpoints in gc {}, lost 0", GC.len());
}

#[test]
fn a_push_that_was_cut_off_can_be_repeated() {
    for place in PUSH {
        let world = World::new(&scenario());
        let shared = world.sandbox.path("shared.git");
        let path = shared.to_str().unwrap();
        world
            .repository
            .git(&["clone", "--quiet", "--bare", ".", path]);
        world.repository.git(&["remote", "add", "origin", path]);
        let session = world.create("victim", &[]);
        world.succeed(&["iterate", "victim"]);
        let output = world.abort_at(place, &["push", "victim"]);
        assert!(!output.status.success(), "{place}");
        world.recover_twice_killed(place);
        world.succeed(&["push", "victim"]);
        let there = world.repository.at(&shared).branch_sha(&session.branch);
        assert_eq!(
            there,
            world.repository.branch_sha(&session.branch),
            "{place}"
        );
        world.goes_on(&session, place);
    }
    println!("failpoints in push {}, lost 0", PUSH.len());
}

#[test]
fn artifacts_that_were_cut_off_keep_their_names() {
    for place in ARTIFACTS {
        let world = World::new(&scenario());
        let session = world.create("victim", &["--issue", "101"]);
        world.succeed(&["iterate", "victim"]);
        let paths = "artifacts.paths=notes/*.txt";
        let words = ["artifacts", "victim", "--set-config", paths];
        let output = world.abort_at(place, &words);
        assert!(!output.status.success(), "{place}");
        world.recover_twice_killed(place);
        world.succeed(&words);
        let folder = world.repository.path("artifacts");
        let names = std::fs::read_dir(&folder).unwrap().flatten();
        let names = names.map(|entry| entry.file_name());
        let names: Vec<_> = names.filter(|name| name != ".gitignore").collect();
        assert_eq!(names, ["issue-101-notes-agent.txt"], "{place}");
        let collected = std::fs::read_to_string(folder.join(&names[0])).unwrap();
        assert_eq!(collected, super::WRITTEN[0].1, "{place}");
        world.goes_on(&session, place);
    }
    println!("failpoints in artifacts {}, lost 0", ARTIFACTS.len());
}

#[test]
fn a_name_that_a_person_took_meanwhile_stays_theirs() {
    let world = World::new(&scenario());
    world.create("victim", &["--issue", "101"]);
    world.succeed(&["iterate", "victim"]);
    let paths = "artifacts.paths=notes/*.txt";
    let words = ["artifacts", "victim", "--set-config", paths];
    world.abort_at("artifacts.reserved", &words);
    let place = "artifacts/issue-101-notes-agent.txt";
    world.repository.write(place, "a person's");
    world.succeed(&words);
    assert_eq!(world.repository.read(place), "a person's");
    let collected = "artifacts/issue-101-notes-agent-2.txt";
    assert_eq!(world.repository.read(collected), super::WRITTEN[0].1);
}
