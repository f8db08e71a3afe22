//! Moves that are cut off after any step: nothing is lost, and the same call again finishes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use orchestra_git::{BranchFate, TrashState, TrashStep};

use super::{picture, request, restore, restore_passing, trash, trash_dir};
use crate::world::World;

const STEPS: [TrashStep; 4] = [
    TrashStep::Recorded,
    TrashStep::ObjectsKept,
    TrashStep::AdminMoved,
    TrashStep::DirectoryMoved,
];

/// Ends a call right after a step, as a kill would.
fn cut_off(at: TrashStep, call: impl FnOnce(&dyn Fn(TrashStep))) {
    let stop = |step| assert_ne!(step, at, "cut off here");
    catch_unwind(AssertUnwindSafe(|| call(&stop))).unwrap_err();
}

#[test]
fn a_cut_off_move_is_finished_by_the_same_call() {
    for step in STEPS {
        let world = World::new();
        let worktree = world.worktree("amp/x");
        let plain = world.plain_at(worktree.path());
        plain.write("staged", "only in the index\n");
        plain.git(&["add", "--all"]);
        let mut request = request("one", "amp/x");
        request.branch_fate = BranchFate::MayGo;
        cut_off(step, |stop| {
            let cut = world
                .repository
                .trash_worktree(worktree.path(), &request, stop);
            drop(cut);
        });
        world.plain.git(&["worktree", "prune", "--expire=now"]);
        world.plain.git(&["gc", "--quiet", "--prune=now"]);
        let entry = trash(&world, worktree.path(), &request).unwrap();
        assert_eq!(entry.state, TrashState::Whole, "{step:?}");
        assert!(!worktree.path().exists() && !worktree.admin_dir().exists());
        let again = trash(&world, worktree.path(), &request).unwrap();
        assert_eq!(again, entry, "a third call changes nothing");
        restore(&world, "one").unwrap();
        assert_eq!(plain.git(&["show", ":staged"]), "only in the index");
        world.plain.fsck();
    }
}

#[test]
fn a_cut_off_move_can_be_taken_back() {
    for step in STEPS {
        let world = World::new();
        let worktree = world.worktree("amp/x");
        world.plain_at(worktree.path()).write("new", "untracked\n");
        let before = picture(&worktree);
        let request = request("one", "amp/x");
        cut_off(step, |stop| {
            let cut = world
                .repository
                .trash_worktree(worktree.path(), &request, stop);
            drop(cut);
        });
        let state = world.repository.trash_entries().unwrap().entries[0].state;
        assert_eq!(
            state == TrashState::Whole,
            step == TrashStep::DirectoryMoved
        );
        world.plain.git(&["worktree", "prune", "--expire=now"]);
        restore(&world, "one").unwrap();
        assert_eq!(picture(&worktree), before, "{step:?}");
        assert!(!trash_dir(&world).join("one").exists());
    }
}

#[test]
fn a_cut_off_restore_is_finished_by_the_same_call() {
    for step in STEPS {
        let world = World::new();
        let worktree = world.worktree("amp/x");
        let plain = world.plain_at(worktree.path());
        plain.git(&["checkout", "--quiet", "--detach"]);
        plain.write("file", "x\n");
        let detached = plain.commit("detached");
        let before = picture(&worktree);
        trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
        cut_off(step, |stop| {
            drop(restore_passing(&world, "one", stop));
        });
        world.plain.git(&["worktree", "prune", "--expire=now"]);
        let keep = ["-c", "gc.reflogExpire=never"];
        let keep = [&keep[..], &["-c", "gc.reflogExpireUnreachable=never"]].concat();
        let collect = ["gc", "--quiet", "--prune=now"];
        world.plain.git(&[&keep[..], &collect].concat());
        restore(&world, "one").unwrap();
        assert_eq!(picture(&worktree), before, "{step:?}");
        assert_eq!(plain.head(), detached);
        assert_eq!(plain.git(&["status", "--porcelain"]), "");
        world.plain.fsck();
    }
}

#[test]
fn a_cut_off_restore_can_go_back_into_the_trash() {
    for step in STEPS {
        let world = World::new();
        let worktree = world.worktree("amp/x");
        let before = picture(&worktree);
        let request = request("one", "amp/x");
        trash(&world, worktree.path(), &request).unwrap();
        cut_off(step, |stop| {
            drop(restore_passing(&world, "one", stop));
        });
        let entry = trash(&world, worktree.path(), &request).unwrap();
        assert_eq!(entry.state, TrashState::Whole, "{step:?}");
        restore(&world, "one").unwrap();
        assert_eq!(picture(&worktree), before, "{step:?}");
    }
}

#[test]
fn work_done_after_a_cut_off_is_kept_too() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    let plain = world.plain_at(worktree.path());
    let request = request("one", "amp/x");
    cut_off(TrashStep::ObjectsKept, |stop| {
        let cut = world
            .repository
            .trash_worktree(worktree.path(), &request, stop);
        drop(cut);
    });
    plain.git(&["checkout", "--quiet", "--detach"]);
    plain.write("file", "x\n");
    let late = plain.commit("late");
    trash(&world, worktree.path(), &request).unwrap();
    world.plain.git(&["gc", "--quiet", "--prune=now"]);
    restore(&world, "one").unwrap();
    assert_eq!(plain.head(), late);
}

#[test]
fn a_cut_off_restore_never_leads_to_another_worktrees_folder() {
    for step in STEPS {
        let world = World::new();
        let worktree = world.worktree("amp/x");
        trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
        let other = world.sandbox.path("elsewhere/x");
        let add = ["worktree", "add", "--quiet", "--detach"];
        world
            .plain
            .git(&[&add[..], &[other.to_str().unwrap()]].concat());
        cut_off(step, |stop| {
            drop(restore_passing(&world, "one", stop));
        });
        let plain = world.plain_at(worktree.path());
        if worktree.path().exists() {
            let marker = plain.read(".git");
            assert!(marker.ends_with("/worktrees/x1\n"), "{step:?}: {marker}");
        }
        restore(&world, "one").unwrap();
        assert_eq!(plain.git(&["symbolic-ref", "HEAD"]), "refs/heads/amp/x");
        assert_eq!(plain.git(&["status", "--porcelain"]), "");
    }
}
