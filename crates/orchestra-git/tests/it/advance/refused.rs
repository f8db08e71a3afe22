//! What keeps a branch from moving; nothing is changed then.

use std::fs;
use std::path::PathBuf;

use orchestra_git::{
    Advance, AdvanceEnd, AdvanceError, AdvanceStep, Busy, InProgress, SwitchError,
};

use super::{Edit, Moving};
use crate::world::{branch, id};

impl Moving {
    pub(super) fn refused(&self) -> AdvanceError {
        let status = || {
            self.world
                .plain
                .git(&["status", "--porcelain", "--ignored"])
        };
        let before = (self.main(), status());
        let foretold = self.world.repository.check_advance(&self.advance);
        let error = self.go().unwrap_err();
        assert_eq!((self.main(), status()), before, "nothing is changed");
        assert_eq!(foretold.unwrap_err().to_string(), error.to_string());
        assert!(
            error.hint().is_some() && !error.code().is_empty() && !error.to_string().is_empty()
        );
        error
    }
}

pub(super) fn paths(error: &AdvanceError) -> &[PathBuf] {
    match error {
        AdvanceError::Files {
            source: SwitchError::Dirty(paths) | SwitchError::InTheWay(paths),
            ..
        } => paths,
        other => panic!("{other:?}"),
    }
}

#[test]
fn uncommitted_changes_in_touched_files_refuse() {
    let edits: [(&str, Edit<'_>); 4] = [
        ("changed", &|plain| plain.write("changed", "mine\n")),
        ("changed", &|plain| {
            plain.write("changed", "mine\n");
            plain.git(&["add", "changed"]);
        }),
        ("gone", &|plain| {
            fs::remove_file(plain.path("gone")).unwrap()
        }),
        ("gone", &|plain| {
            plain.git(&["mv", "gone", "moved"]);
        }),
    ];
    for (path, edit) in edits {
        let moving = Moving::new();
        edit(&moving.world.plain);
        let error = moving.refused();
        assert_eq!(error.code(), "git.checkout_dirty");
        assert_eq!(paths(&error), [PathBuf::from(path)]);
    }
}

#[test]
fn files_that_git_does_not_track_are_never_overwritten() {
    let cases: [(&str, Edit<'_>); 5] = [
        ("folder/added", &|plain| {
            plain.write("folder/added", "mine\n")
        }),
        ("folder/added", &|plain| {
            plain.write("folder/added", "mine\n");
            plain.write(".git/info/exclude", "added\n");
        }),
        ("folder", &|plain| plain.write("folder", "mine\n")),
        ("folder", &|plain| {
            plain.write("folder", "mine\n");
            plain.write(".git/info/exclude", "folder\n");
        }),
        ("folder/added/below", &|plain| {
            plain.write("folder/added/below", "mine\n");
            plain.write(".git/info/exclude", "below\n");
        }),
    ];
    for (path, edit) in cases {
        let moving = Moving::new();
        edit(&moving.world.plain);
        let error = moving.refused();
        assert_eq!(error.code(), "git.changes_in_the_way");
        assert_eq!(paths(&error), [PathBuf::from(path)]);
        assert_eq!(moving.world.plain.read(path), "mine\n");
    }
}

#[test]
fn somebody_in_the_middle_of_something_is_not_disturbed() {
    let begin: [(InProgress, Edit<'_>); 3] = [
        (InProgress::Rebase, &|plain| {
            plain.git(&["commit", "--quiet", "--allow-empty", "--message", "x"]);
            plain.try_git(&["rebase", "--exec", "false", "next"]);
        }),
        (InProgress::Merge, &|plain| {
            plain.git(&["merge", "--quiet", "--no-ff", "--no-commit", "next"]);
        }),
        (InProgress::CherryPick, &|plain| {
            plain.write("changed", "other\n");
            plain.commit("other");
            plain.try_git(&["cherry-pick", "next"]);
        }),
    ];
    for (operation, begin) in begin {
        let mut moving = Moving::new();
        begin(&moving.world.plain);
        moving.advance.from = moving.main();
        let error = moving.refused();
        let AdvanceError::Busy { busy, place, .. } = &error else {
            panic!("{operation}: {error:?}")
        };
        assert_eq!(*busy, Busy::InProgress(operation));
        assert_eq!(place, moving.world.repository.root());
        assert_eq!(error.code(), "git.branch_busy");
    }
}

#[test]
fn branches_that_a_rebase_takes_along_are_busy_too() {
    let moving = Moving::new();
    let plain = &moving.world.plain;
    let file = plain.path(".git/rebase-merge/update-refs");
    plain.git(&["switch", "--quiet", "--detach"]);
    plain.write(".git/rebase-merge/head-name", "refs/heads/other\n");
    assert_eq!(moving.go().unwrap(), None);
    fs::write(
        file,
        format!("refs/heads/next\n{0}\n{0}\n", moving.advance.to),
    )
    .unwrap();
    let next = Advance {
        branch: branch("next"),
        from: moving.advance.to.clone(),
        to: moving.advance.from.clone(),
        why: String::new(),
    };
    let error = moving.world.repository.advance(&next, &|_| {}).unwrap_err();
    assert_eq!(error.code(), "git.branch_busy");
}

#[test]
fn an_index_that_is_locked_refuses() {
    let moving = Moving::new();
    moving.world.plain.write(".git/index.lock", "");
    let error = moving.refused();
    assert!(matches!(
        &error,
        AdvanceError::Busy {
            busy: Busy::IndexLocked(_),
            ..
        }
    ));
}

#[test]
fn a_branch_that_is_checked_out_twice_refuses() {
    let moving = Moving::new();
    let place = moving.world.sandbox.path("twice");
    let place = place.to_str().unwrap();
    let plain = &moving.world.plain;
    plain.git(&["worktree", "add", "--quiet", "--force", place, "main"]);
    let error = moving.refused();
    assert_eq!(error.code(), "git.branch_checked_out_twice");
    assert!(error.to_string().contains("twice"), "{error}");
}

#[test]
fn a_branch_that_moved_or_is_gone_refuses() {
    let moving = Moving::new();
    let plain = &moving.world.plain;
    plain.git(&["commit", "--quiet", "--allow-empty", "--message", "more"]);
    let now = moving.main();
    let AdvanceError::Moved { current, .. } = moving.refused() else {
        panic!("a moved branch is told");
    };
    assert_eq!(current, Some(now));
    plain.git(&["switch", "--quiet", "--detach"]);
    plain.git(&["branch", "--delete", "--force", "main"]);
    let error = moving.go().unwrap_err();
    assert!(matches!(error, AdvanceError::Moved { current: None, .. }));
    let settled = moving.world.repository.finish_advance(&moving.advance);
    assert_eq!(settled.unwrap(), AdvanceEnd::Elsewhere(None));
}

#[test]
fn nobody_can_commit_or_switch_in_between() {
    let moving = Moving::new();
    let plain = &moving.world.plain;
    let repository = &moving.world.repository;
    let seen = std::cell::RefCell::new(Vec::new());
    repository
        .advance(&moving.advance, &|step| {
            seen.borrow_mut().push(step);
            if step != AdvanceStep::Moved {
                let commit = plain.try_git(&["commit", "--allow-empty", "--message", "x"]);
                assert!(!commit.status.success());
                let switch = plain.try_git(&["switch", "--create", "other"]);
                assert!(!switch.status.success());
            }
        })
        .unwrap();
    let steps = [
        AdvanceStep::Locked,
        AdvanceStep::FilesWritten,
        AdvanceStep::Moved,
    ];
    assert_eq!(*seen.borrow(), steps);
    moving.assert_at(&moving.advance.to);
}

#[test]
fn a_checkout_that_appears_at_this_moment_refuses() {
    let moving = Moving::new();
    let plain = &moving.world.plain;
    plain.git(&["switch", "--quiet", "next"]);
    let error = moving
        .world
        .repository
        .advance(&moving.advance, &|_| {
            plain.git(&["switch", "--quiet", "main"]);
        })
        .unwrap_err();
    assert_eq!(error.code(), "git.checkout_changed");
    assert!(error.hint().is_some() && error.to_string().contains("main"));
    moving.assert_at(&moving.advance.from);
    moving.go().unwrap();
    moving.assert_at(&moving.advance.to);
}

#[test]
fn a_change_at_the_last_moment_refuses() {
    let moving = Moving::new();
    let plain = &moving.world.plain;
    let error = moving
        .world
        .repository
        .advance(&moving.advance, &|step| {
            if step == AdvanceStep::Locked {
                plain.write("changed", "mine\n");
            }
        })
        .unwrap_err();
    assert_eq!(error.code(), "git.checkout_dirty");
    assert_eq!(moving.main(), moving.advance.from);
    assert_eq!(plain.read("changed"), "mine\n");
    assert_eq!(plain.git(&["status", "--porcelain"]), " M changed");
}

#[test]
fn a_lock_of_somebody_else_is_told() {
    let moving = Moving::new();
    let plain = &moving.world.plain;
    for lock in [".git/refs/heads/main.lock", ".git/HEAD.lock"] {
        plain.write(lock, "");
        let error = moving.go().unwrap_err();
        assert_eq!(error.code(), "git.branch_locked");
        assert!(error.hint().unwrap().contains(lock), "{error}");
        fs::remove_file(plain.path(lock)).unwrap();
    }
    moving.go().unwrap();
}

#[test]
fn a_missing_commit_or_directory_is_an_error() {
    let mut moving = Moving::new();
    let to = std::mem::replace(&mut moving.advance.to, id(&"1".repeat(40)));
    assert_eq!(moving.go().unwrap_err().code(), "git.failed");
    moving.assert_at(&moving.advance.from);
    moving.advance.to = to;
    let plain = &moving.world.plain;
    plain.git(&["switch", "--quiet", "next"]);
    let place = moving.world.sandbox.path("lost");
    plain.git(&[
        "worktree",
        "add",
        "--quiet",
        place.to_str().unwrap(),
        "main",
    ]);
    fs::remove_dir_all(&place).unwrap();
    assert_eq!(moving.go().unwrap_err().code(), "git.worktree_missing");
    assert_eq!(moving.main(), moving.advance.from);
}

#[test]
fn changes_that_git_shall_not_look_at_refuse_too() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let moving = Moving::new();
        let plain = &moving.world.plain;
        plain.git(&["update-index", flag, "changed"]);
        plain.write("changed", "mine\n");
        let error = moving.go().unwrap_err();
        assert_eq!(paths(&error), [PathBuf::from("changed")], "{flag}");
        assert_eq!(plain.read("changed"), "mine\n", "{flag}");
        assert_eq!(moving.main(), moving.advance.from, "{flag}");
    }
}
