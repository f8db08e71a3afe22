//! Whether a branch is part of its base, and how.

use orchestra_core::CommitId;
use orchestra_git::LandedBy;

use crate::world::{World, id};

struct Branch {
    world: World,
    fork: CommitId,
    head: CommitId,
}

/// A branch with two commits, and `main` checked out where both started.
fn branch() -> Branch {
    let world = World::with(|plain| {
        plain.write("text", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
        plain.write("bytes", "\0base");
        plain.commit("files");
    });
    let fork = world.head();
    world.start("amp/x", &fork);
    world.plain.write("text", "one\n2\n3\n4\n5\n6\n7\n8\n9\n");
    world.plain.commit("amp: one");
    world.plain.write("new", "new\n");
    world.plain.write("bytes", "\0changed");
    let head = id(&world.plain.commit("amp: two"));
    world.plain.git(&["checkout", "--quiet", "main"]);
    Branch { world, fork, head }
}

impl Branch {
    fn landed(&self) -> Option<LandedBy> {
        let base = id(&self.world.plain.branch_sha("main"));
        self.world.repository.landed(&self.head, &base).unwrap()
    }

    fn git(&self, arguments: &[&str]) {
        self.world.plain.git(arguments);
    }

    fn change(&self, path: &str, text: &str) {
        self.world.plain.write(path, text);
        self.world.plain.commit("main goes on");
    }
}

#[test]
fn work_that_is_nowhere_else_has_not_landed() {
    let branch = branch();
    assert_eq!(branch.landed(), None, "nothing happened to the base");
    branch.change("other", "1");
    assert_eq!(branch.landed(), None);
    branch.git(&["cherry-pick", "amp/x~1"]);
    assert_eq!(branch.landed(), None, "one of two commits");
}

#[test]
fn the_same_commit_and_an_older_one_have_landed() {
    let mut branch = branch();
    branch.git(&["merge", "--quiet", "--ff-only", "amp/x"]);
    assert_eq!(branch.landed(), Some(LandedBy::SameCommit));
    branch.change("other", "1");
    assert_eq!(branch.landed(), Some(LandedBy::Ancestor));
    branch.head = branch.fork.clone();
    assert_eq!(branch.landed(), Some(LandedBy::Ancestor));
}

#[test]
fn a_squash_merge_has_landed_whatever_came_after() {
    let branch = branch();
    branch.git(&["merge", "--quiet", "--squash", "amp/x"]);
    branch.git(&["commit", "--quiet", "--message", "squashed elsewhere"]);
    assert_eq!(branch.landed(), Some(LandedBy::SameTree));
    branch.change("other", "1");
    assert_eq!(branch.landed(), Some(LandedBy::NothingToMerge));
    branch.change("text", "later\n2\n3\n4\n5\n6\n7\n8\n9\n");
    assert_eq!(branch.landed(), Some(LandedBy::SquashedPatch));
}

#[test]
fn picked_commits_have_landed_whatever_came_after() {
    let branch = branch();
    branch.change("other", "1");
    branch.git(&["cherry-pick", "amp/x~1", "amp/x"]);
    assert_eq!(branch.landed(), Some(LandedBy::NothingToMerge));
    branch.change("text", "later\n2\n3\n4\n5\n6\n7\n8\n9\n");
    assert_eq!(branch.landed(), Some(LandedBy::SamePatches));
}

#[test]
fn other_bytes_are_not_the_same_change() {
    let branch = branch();
    branch.git(&["merge", "--quiet", "--squash", "amp/x"]);
    branch.change("bytes", "\0other");
    branch.change("text", "later\n2\n3\n4\n5\n6\n7\n8\n9\n");
    assert_eq!(branch.landed(), None);
}

#[test]
fn other_histories_and_missing_commits_are_told() {
    let mut branch = branch();
    branch.git(&["checkout", "--quiet", "--orphan", "other"]);
    branch.head = id(&branch.world.plain.commit("alone"));
    assert_eq!(branch.landed(), None);
    branch.head = id(&"1".repeat(40));
    let base = branch.fork.clone();
    branch
        .world
        .repository
        .landed(&branch.head, &base)
        .unwrap_err();
}

#[test]
fn commits_that_a_branch_lost_are_found_at_once() {
    let branch = branch();
    let repository = &branch.world.repository;
    let both = [branch.fork.clone(), branch.head.clone()];
    let lost = |tips: &[CommitId]| repository.not_part_of(&both, tips).unwrap();
    assert_eq!(lost(&both[..1]), [branch.head.clone()].into());
    assert_eq!(lost(&both[1..]), [].into());
    assert_eq!(lost(&both), [].into());
    assert_eq!(lost(&[]), both.clone().into());
    let unknown = id(&"7".repeat(40));
    assert!(repository.not_part_of(&[unknown], &both).is_err());
}
