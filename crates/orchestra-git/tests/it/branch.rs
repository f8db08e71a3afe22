//! Branches and references.

use orchestra_git::{AheadBehind, Moved, RefMove, WorktreeError};

use crate::world::{World, branch, id};

#[test]
fn branches_are_found_loose_and_packed() {
    let world = World::new();
    world.plain.git(&["branch", "topic"]);
    assert_eq!(
        world.repository.find_branch(&branch("topic")).unwrap(),
        Some(world.head())
    );
    world.plain.git(&["pack-refs", "--all"]);
    let before = world.git.spawned();
    assert!(world.repository.branch_exists(&branch("topic")).unwrap());
    assert!(!world.repository.branch_exists(&branch("nope")).unwrap());
    assert_eq!(
        world.git.spawned(),
        before,
        "references are read without git"
    );
    let error = world
        .repository
        .require_branch(&branch("nope"))
        .unwrap_err();
    assert_eq!(
        (error.code(), error.hint().is_some()),
        ("git.no_such_revision", true)
    );
    world
        .plain
        .git(&["symbolic-ref", "refs/heads/link", "refs/heads/topic"]);
    assert_eq!(
        world.repository.require_branch(&branch("link")).unwrap(),
        world.head()
    );
}

#[test]
fn names_that_exclude_each_other_are_found() {
    let world = World::new();
    world.plain.git(&["branch", "amp"]);
    world.plain.git(&["branch", "feature/a/b"]);
    for packed in [false, true] {
        let conflict = |name: &str| world.repository.branch_conflict(&branch(name)).unwrap();
        assert_eq!(conflict("amp/x/y"), Some(branch("amp")));
        assert_eq!(conflict("feature"), Some(branch("feature/a/b")));
        assert_eq!(conflict("feature/a"), Some(branch("feature/a/b")));
        assert_eq!((conflict("feature/b"), conflict("am")), (None, None));
        if !packed {
            world.plain.git(&["pack-refs", "--all"]);
        }
    }
}

#[test]
fn references_move_only_from_where_they_were_seen() {
    let world = World::new();
    let first = world.head();
    world.plain.git(&["branch", "topic"]);
    world.plain.write("a", "a");
    let second = id(&world.plain.commit("second"));
    let change = |from, to| RefMove {
        full_name: "refs/heads/topic",
        from,
        to,
        why: "test",
    };
    assert_eq!(
        world
            .repository
            .move_reference(&change(Some(&first), &second))
            .unwrap(),
        Moved::Yes
    );
    assert_eq!(world.plain.branch_sha("topic"), second.to_string());
    let refused = world
        .repository
        .move_reference(&change(Some(&first), &second))
        .unwrap();
    assert_eq!(refused, Moved::Refused(Some(second.clone())));
    assert_eq!(
        world
            .repository
            .move_reference(&change(None, &first))
            .unwrap(),
        Moved::Refused(Some(second.clone()))
    );
    let missing = id(&"1".repeat(40));
    let error = world
        .repository
        .move_reference(&change(Some(&second), &missing))
        .unwrap_err();
    assert_eq!(error.code(), "git.failed");
    assert!(world.plain.git(&["reflog", "topic"]).contains("test"));
}

#[test]
fn branches_are_deleted_by_compare_and_swap() {
    let world = World::new();
    let first = world.head();
    world.plain.git(&["branch", "topic"]);
    let worktree = world.worktree("amp/one");
    world.plain.write("a", "a");
    let second = id(&world.plain.commit("second"));
    let error = world
        .repository
        .delete_branch(&branch("topic"), &second)
        .unwrap_err();
    assert!(
        matches!(&error, WorktreeError::BranchMoved { current: Some(current), .. } if *current == first),
        "{error}"
    );
    assert_eq!(
        (error.code(), error.hint().is_some()),
        ("git.branch_moved", true)
    );
    world
        .repository
        .delete_branch(&branch("topic"), &first)
        .unwrap();
    assert!(!world.plain.has_branch("topic"));
    let error = world
        .repository
        .delete_branch(&branch("topic"), &first)
        .unwrap_err();
    assert!(matches!(
        error,
        WorktreeError::BranchMoved { current: None, .. }
    ));
    let error = world
        .repository
        .delete_branch(&branch("amp/one"), &first)
        .unwrap_err();
    assert!(
        matches!(&error, WorktreeError::BranchCheckedOut { place, .. } if place == worktree.path()),
        "{error}"
    );
    std::fs::write(
        world
            .repository
            .common_dir()
            .join("refs/heads/amp/two.lock"),
        "",
    )
    .unwrap();
    world
        .plain
        .git(&["update-ref", "refs/heads/amp/three", first.as_str()]);
    std::fs::write(
        world
            .repository
            .common_dir()
            .join("refs/heads/amp/three.lock"),
        "",
    )
    .unwrap();
    assert_eq!(
        world
            .repository
            .delete_branch(&branch("amp/three"), &first)
            .unwrap_err()
            .code(),
        "git.failed"
    );
}

#[test]
fn histories_are_compared() {
    let world = World::new();
    let first = world.head();
    world.plain.git(&["checkout", "--quiet", "-b", "left"]);
    let left = id(&world.plain.commit("left"));
    world.plain.git(&["checkout", "--quiet", "main"]);
    world.plain.commit("right 1");
    let right = id(&world.plain.commit("right 2"));
    world
        .plain
        .git(&["checkout", "--quiet", "--orphan", "alone"]);
    let alone = id(&world.plain.commit("alone"));
    let repository = &world.repository;
    assert_eq!(
        repository.ahead_behind(&left, &right).unwrap(),
        AheadBehind {
            ahead: 1,
            behind: 2
        }
    );
    assert_eq!(
        repository.merge_base(&left, &right).unwrap(),
        Some(first.clone())
    );
    assert_eq!(repository.merge_base(&left, &alone).unwrap(), None);
    assert!(
        repository.is_ancestor(&first, &left).unwrap()
            && !repository.is_ancestor(&left, &right).unwrap()
    );
    assert!(
        repository.commit_exists(&left).unwrap()
            && !repository.commit_exists(&id(&"1".repeat(40))).unwrap()
    );
    let tree = world.plain.git(&["rev-parse", "HEAD^{tree}"]);
    assert!(
        !repository.commit_exists(&id(&tree)).unwrap(),
        "a tree is not a commit"
    );
    let missing = id(&"1".repeat(40));
    assert_eq!(
        repository.is_ancestor(&missing, &left).unwrap_err().code(),
        "git.failed"
    );
    assert_eq!(
        repository.merge_base(&missing, &left).unwrap_err().code(),
        "git.failed"
    );
    assert_eq!(
        repository.ahead_behind(&missing, &left).unwrap_err().code(),
        "git.failed"
    );
}

#[test]
fn all_local_branches_are_listed() {
    let world = World::with(|plain| {
        plain.git(&["branch", "amp/one"]);
        plain.git(&["branch", "amp/two/deep"]);
        plain.git(&["pack-refs", "--all"]);
        plain.git(&["branch", "other"]);
        plain.git(&["update-ref", "refs/remotes/origin/far", "HEAD"]);
    });
    let branches = world.repository.branches().unwrap();
    let expected = ["amp/one", "amp/two/deep", "main", "other"].map(branch);
    assert_eq!(branches, expected);
}

#[test]
fn branches_of_remotes_tell_what_others_have() {
    let world = World::new();
    let (plain, base) = (&world.plain, world.head());
    let origin = "origin".parse().unwrap();
    let find = || {
        world
            .repository
            .find_remote_branch(&origin, &branch("main"))
    };
    assert_eq!(find().unwrap(), None);
    for name in ["origin", "fork", "odd name"] {
        plain.git(&["config", &format!("remote.{name}.url"), "/nowhere"]);
    }
    let seen = || {
        let repository = world.reopened();
        repository.seen_on_remotes(&branch("main")).unwrap()
    };
    assert_eq!(seen(), []);
    plain.git(&["update-ref", "refs/remotes/origin/main", base.as_str()]);
    plain.git(&["update-ref", "refs/remotes/fork/other", base.as_str()]);
    assert_eq!(find().unwrap(), Some(base.clone()));
    assert_eq!(seen(), [(origin.clone(), base)]);
}
