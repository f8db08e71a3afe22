//! Many at once on one repository.

use std::collections::BTreeSet;
use std::sync::Barrier;

use orchestra_git::{CommitRequest, Fill, Git, StartingPoint, WorktreeError};

use crate::world::{CommitAll, World, branch, git};

const AT_ONCE: usize = 16;

/// Runs the same work in many threads, each with a git of its own, all starting together.
fn at_once<T: Send>(world: &World, work: impl Fn(usize, &Git) -> T + Sync) -> Vec<T> {
    let barrier = Barrier::new(AT_ONCE);
    let one = |number| {
        let git = git(&world.sandbox);
        barrier.wait();
        work(number, &git)
    };
    let one = &one;
    std::thread::scope(|scope| {
        let threads = (0..AT_ONCE)
            .map(|number| scope.spawn(move || one(number)))
            .collect::<Vec<_>>();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}

#[test]
fn sixteen_worktrees_are_made_at_once() {
    let world = World::with(|plain| {
        for number in 0..50 {
            plain.write(&format!("dir/{number}"), "x");
        }
        plain.commit("files");
    });
    let head = world.head();
    let paths = at_once(&world, |number, git| {
        let repository = git.open(world.plain.root()).unwrap();
        let name = branch(&format!("amp/{number}"));
        let start = StartingPoint::NewBranch {
            name,
            at: head.clone(),
        };
        let worktree = repository
            .register_worktree(&world.place(&number.to_string()), &start)
            .unwrap();
        worktree.fill(&head, Fill::Fresh).unwrap();
        std::fs::write(worktree.path().join("work"), number.to_string()).unwrap();
        worktree
            .commit_all(&CommitRequest::new("work"))
            .unwrap()
            .unwrap();
        assert!(!worktree.status().unwrap().is_dirty());
        worktree.path().to_owned()
    });
    assert_eq!(paths.iter().collect::<BTreeSet<_>>().len(), AT_ONCE);
    assert_eq!(
        world.plain.git(&["worktree", "list"]).lines().count(),
        AT_ONCE + 1
    );
    assert_eq!(
        world
            .plain
            .git(&["for-each-ref", "refs/heads/amp"])
            .lines()
            .count(),
        AT_ONCE
    );
    world.plain.fsck();
    let leftover = std::fs::read_dir(world.sandbox.data_dir().join("git/shadow"))
        .unwrap()
        .count();
    assert!(leftover <= 1, "{leftover} shadows left");
}

#[test]
fn one_branch_is_won_by_one() {
    let world = World::new();
    let head = world.head();
    let results = at_once(&world, |number, git| {
        let repository = git.open(world.plain.root()).unwrap();
        let start = StartingPoint::NewBranch {
            name: branch("amp/wanted"),
            at: head.clone(),
        };
        repository
            .register_worktree(&world.place(&number.to_string()), &start)
            .map(|_| ())
    });
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    assert!(
        results
            .iter()
            .filter_map(|result| result.as_ref().err())
            .all(|error| matches!(error, WorktreeError::BranchTaken(_)))
    );
    assert_eq!(
        std::fs::read_dir(world.plain.path(".worktrees"))
            .unwrap()
            .count(),
        1
    );
    assert_eq!(world.repository.list_worktrees().unwrap().len(), 2);
}

#[test]
fn making_and_deleting_do_not_disturb_each_other() {
    let world = World::new();
    let head = world.head();
    at_once(&world, |number, git| {
        let repository = git.open(world.plain.root()).unwrap();
        for round in 0..3 {
            let name = branch(&format!("amp/{number}-{round}"));
            let start = StartingPoint::NewBranch {
                name: name.clone(),
                at: head.clone(),
            };
            let worktree = repository
                .register_worktree(&world.place(&format!("{number}-{round}")), &start)
                .unwrap();
            worktree
                .remove(orchestra_git::Removal::DiscardChanges)
                .unwrap();
            repository.delete_branch(&name, &head).unwrap();
        }
    });
    assert_eq!(world.plain.git(&["for-each-ref", "refs/heads/amp"]), "");
    assert_eq!(world.plain.git(&["worktree", "list"]).lines().count(), 1);
    world.plain.fsck();
}
