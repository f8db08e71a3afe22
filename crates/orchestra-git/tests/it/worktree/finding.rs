//! Finding worktrees: what is listed, and what is not taken for one.

use std::fs;

use orchestra_git::Removal;

use super::new_branch;
use crate::world::World;

#[test]
fn the_list_says_what_git_says() {
    let world = World::new();
    let one = world.worktree("amp/one");
    let two = world.worktree("amp/two");
    world
        .plain_at(two.path())
        .git(&["checkout", "--quiet", "--detach"]);
    world.plain.git(&[
        "worktree",
        "lock",
        "--reason",
        "a reason",
        one.path().to_str().unwrap(),
    ]);
    let listed = world.repository.list_worktrees().unwrap();
    assert_eq!(listed.len(), 3);
    assert_eq!(
        (listed[0].branch.as_deref(), &listed[0].admin_dir),
        (Some("main"), &None)
    );
    let find = |path: &std::path::Path| listed.iter().find(|entry| entry.path == path).unwrap();
    assert_eq!(find(one.path()).locked.as_deref(), Some("a reason"));
    assert_eq!(find(one.path()).admin_dir.as_deref(), Some(one.admin_dir()));
    assert!(find(two.path()).is_detached && find(two.path()).branch.is_none());
    assert_eq!(find(two.path()).head, Some(world.head()));
}

#[test]
fn a_directory_that_vanished_is_named() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    fs::remove_dir_all(worktree.path()).unwrap();
    let error = worktree.status().unwrap_err();
    assert_eq!(
        (error.code(), error.hint().is_some()),
        ("git.worktree_missing", true)
    );
    let error = world
        .repository
        .register_worktree(&world.place("amp/one"), &new_branch(&world, "two"))
        .unwrap_err();
    assert_eq!(
        (error.code(), error.hint().is_some()),
        ("git.path_registered", true)
    );
    let listed = world.repository.list_worktrees().unwrap();
    assert!(listed[1].prunable.is_some());
    worktree.remove(Removal::IfClean).unwrap();
    assert_eq!(world.repository.list_worktrees().unwrap().len(), 1);
    assert!(world.plain.has_branch("amp/one"));
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_a_worktree_is_not_followed() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    fs::remove_dir_all(worktree.path()).unwrap();
    std::os::unix::fs::symlink(world.sandbox.home(), worktree.path()).unwrap();
    assert_eq!(
        worktree.status().unwrap_err().code(),
        "git.worktree_missing"
    );
}

#[test]
fn damage_to_gits_own_folders_is_an_error_not_a_guess() {
    let world = World::new();
    world.plain.write(".git/worktrees", "a file");
    let error = world
        .repository
        .register_worktree(&world.place("x"), &new_branch(&world, "amp/x"))
        .unwrap_err();
    assert_eq!(error.code(), "git.io");
    assert!(error.hint().is_some());
    fs::remove_file(world.plain.path(".git/worktrees")).unwrap();
    let worktree = world.worktree("amp/x");
    fs::write(world.plain.path(".git/worktrees/stray"), "not a folder").unwrap();
    assert_eq!(world.repository.list_worktrees().unwrap().len(), 2);
    fs::remove_dir_all(worktree.path()).unwrap();
    fs::write(worktree.path(), "a file").unwrap();
    let error = worktree.remove(Removal::DiscardChanges).unwrap_err();
    assert_eq!(error.code(), "git.io");
    assert!(worktree.admin_dir().exists());
}
