//! Steps of a rebase that were cut off, and what is made of it.

use std::fs;
use std::path::PathBuf;

use orchestra_git::{RebaseStep, Resolution};

use super::{Conflicted, finished, paths, second_stop, stamp};
use crate::world::World;

/// Runs until a step and is cut off there, as if killed: nothing after it happens.
fn cut_off(step: RebaseStep, run: impl FnOnce(&dyn Fn(RebaseStep))) {
    let cut = std::panic::AssertUnwindSafe(|| {
        run(&|now| {
            if now == step {
                std::panic::resume_unwind(Box::new(step));
            }
        });
    });
    assert!(
        std::panic::catch_unwind(cut).is_err(),
        "{step:?} is reached"
    );
}

const ON_THE_WAY: [RebaseStep; 4] = [
    RebaseStep::Recorded,
    RebaseStep::HeadMoved,
    RebaseStep::FilesWritten,
    RebaseStep::IndexWritten,
];

#[test]
fn a_stop_that_was_cut_off_is_given_up_or_gone_on_with() {
    for step in ON_THE_WAY {
        for give_up in [true, false] {
            let it = Conflicted::new();
            let (worktree, rebase) = (&it.worktree, &it.rebase);
            cut_off(step, |after| {
                worktree.stop_rebase(rebase, &it.stop, after).unwrap()
            });
            it.plain.write("loose", "mine\n");
            if give_up {
                worktree.abort_rebase(rebase).unwrap();
            } else {
                match it.go_on() {
                    Ok(outcome) => assert_eq!(paths(&second_stop(outcome)), paths(&it.stop)),
                    Err(error) => assert_eq!(error.code(), "git.conflicts"),
                }
                assert_eq!(worktree.conflicts().unwrap().len(), 2, "{step:?}");
                it.plain.git(&["rebase", "--abort"]);
            }
            fs::remove_file(it.plain.path("loose")).unwrap();
            it.assert_on_branch(&it.rebase.from);
        }
    }
}

#[test]
fn going_on_to_a_second_stop_that_was_cut_off_is_done_again() {
    for step in ON_THE_WAY.into_iter().chain([RebaseStep::Committed]) {
        let it = Conflicted::stopped();
        it.plain.write("one", "both\n");
        it.resolve(&["one"], Resolution::Edited);
        it.resolve(&["removed"], Resolution::Theirs);
        let (worktree, rebase) = (&it.worktree, &it.rebase);
        cut_off(step, |after| {
            worktree.continue_rebase(rebase, &stamp(), after).unwrap();
        });
        match it.go_on() {
            Ok(outcome) => assert_eq!(paths(&second_stop(outcome)), [PathBuf::from("two")]),
            Err(error) => assert_eq!(error.code(), "git.conflicts", "{step:?}"),
        }
        it.resolve(&["two"], Resolution::Theirs);
        let head = finished(it.go_on().unwrap());
        it.assert_on_branch(&head);
        let expected = ["amp: new", "amp: one", "amp: more", "amp: two", "amp: last"];
        assert_eq!(it.subjects(), expected, "{step:?}");
        assert_eq!(it.plain.read("one"), "both\n");
    }
}

#[test]
fn an_end_that_was_cut_off_is_finished_or_given_up() {
    use RebaseStep::{Attached, BranchMoved, Committed, FilesWritten};
    for step in [Committed, FilesWritten, BranchMoved, Attached] {
        for give_up in [true, false] {
            let it = Conflicted::stopped();
            it.resolve(&["one", "removed"], Resolution::Theirs);
            second_stop(it.go_on().unwrap());
            it.resolve(&["two"], Resolution::Theirs);
            let (worktree, rebase) = (&it.worktree, &it.rebase);
            cut_off(step, |after| {
                worktree.continue_rebase(rebase, &stamp(), after).unwrap();
            });
            let is_moved = matches!(step, BranchMoved | Attached);
            if give_up && !is_moved {
                worktree.abort_rebase(rebase).unwrap();
                it.assert_on_branch(&it.rebase.from);
                continue;
            }
            if give_up {
                let error = worktree.abort_rebase(rebase).unwrap_err();
                assert_eq!(error.code(), "git.branch_moved");
            }
            let head = finished(it.go_on().unwrap());
            it.assert_on_branch(&head);
            assert_eq!(it.subjects().len(), 5, "{step:?}");
        }
    }
}

#[test]
fn leftovers_of_a_record_are_cleared() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    let left = [
        "rebase-merge.orchestra-over",
        "rebase-merge.orchestra-unfinished",
    ];
    let left = left.map(|name| worktree.admin_dir().join(name));
    for folder in &left {
        fs::create_dir_all(folder.join("rebase-merge")).unwrap();
    }
    worktree.clear_rebase_leftovers().unwrap();
    worktree.clear_rebase_leftovers().unwrap();
    assert!(left.iter().all(|folder| !folder.exists()));
}
