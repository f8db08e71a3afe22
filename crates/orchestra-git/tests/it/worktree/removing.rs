//! Removing worktrees without losing what is in them.

use std::fs;

use orchestra_git::{Removal, WorktreeError};

use crate::world::World;

#[test]
fn removing_keeps_what_is_not_committed() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    fs::write(worktree.path().join("new.txt"), "work").unwrap();
    let error = worktree.remove(Removal::IfClean).unwrap_err();
    assert!(
        matches!(&error, WorktreeError::Dirty { changes: 1, .. }),
        "{error}"
    );
    assert_eq!(error.code(), "git.worktree_dirty");
    assert!(error.hint().is_some() && worktree.path().join("new.txt").exists());
    world
        .plain
        .git(&["worktree", "lock", worktree.path().to_str().unwrap()]);
    let error = worktree.remove(Removal::DiscardChanges).unwrap_err();
    assert_eq!(
        (error.code(), error.hint().is_some()),
        ("git.worktree_locked", true)
    );
    world
        .plain
        .git(&["worktree", "unlock", worktree.path().to_str().unwrap()]);
    worktree.remove(Removal::DiscardChanges).unwrap();
    assert!(!worktree.path().exists() && !worktree.admin_dir().exists());
    assert!(world.plain.has_branch("amp/one"));
    let main = world.repository.worktree_at(world.plain.root()).unwrap();
    let error = main.remove(Removal::DiscardChanges).unwrap_err();
    assert_eq!(
        (error.code(), error.hint().is_some()),
        ("git.main_checkout", true)
    );
    let clean = world.worktree("amp/two");
    clean.remove(Removal::IfClean).unwrap();
    assert_eq!(world.plain.git(&["worktree", "list"]).lines().count(), 1);
    world.plain.fsck();
}

#[test]
fn a_worktree_that_lies_about_itself_can_be_removed() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    fs::write(worktree.path().join(".git"), "gitdir: /somewhere/else\n").unwrap();
    assert!(!worktree.status().unwrap().is_dirty());
    worktree.remove(Removal::IfClean).unwrap();
    assert_eq!(world.plain.git(&["worktree", "list"]).lines().count(), 1);
}
