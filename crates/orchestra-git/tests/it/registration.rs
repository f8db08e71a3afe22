//! Registrations that fail half-way: exactly what was not there before is taken away.

use std::fs;
use std::path::Path;

use orchestra_git::{Git, Repository, StartingPoint, WorktreeError};

use crate::world::{World, branch, environment, files_below, left_to_git};

/// The repository seen through a git that, instead of making a worktree, does something else and fails.
fn with_failing_add(world: &World, instead: &str) -> Repository {
    let body =
        format!("case \"$1 $2\" in 'worktree add') {instead}; exit 1;; esac\nexec git \"$@\"");
    let program = crate::open::script(&world.sandbox, "failing-git", &body);
    let private = world.sandbox.path("private");
    let git = Git::find(
        Some(program.as_ref()),
        environment(&world.sandbox),
        &private,
    )
    .unwrap();
    git.open(world.plain.root()).unwrap()
}

fn refused(repository: &Repository, path: &Path, start: &StartingPoint) -> WorktreeError {
    repository.register_worktree(path, start).unwrap_err()
}

fn new_branch(world: &World) -> StartingPoint {
    StartingPoint::NewBranch {
        name: branch("amp/x"),
        at: world.head(),
    }
}

#[test]
fn an_adopted_branch_is_kept() {
    let world = World::new();
    world.plain.git(&["branch", "topic"]);
    world.plain.write("file", "x");
    let before = files_below(&world.plain.path(".git/refs"));
    let start = StartingPoint::Existing(branch("topic"));
    let error = refused(&world.repository, &world.plain.path("file/below"), &start);
    assert_eq!(error.code(), "git.failed", "{error}");
    assert_eq!(files_below(&world.plain.path(".git/refs")), before);
    assert_eq!(files_below(&world.plain.path(".git/worktrees")).len(), 0);
}

#[test]
fn a_new_parent_with_somebodys_file_is_kept() {
    let world = World::with(left_to_git);
    let parent = world.place("deep");
    let instead = format!(
        "mkdir -p '{0}/er' && echo mine > '{0}/mine'",
        parent.display()
    );
    let repository = with_failing_add(&world, &instead);
    let error = refused(&repository, &world.place("deep/er/x"), &new_branch(&world));
    assert_eq!(error.code(), "git.failed", "{error}");
    assert_eq!(fs::read_to_string(parent.join("mine")).unwrap(), "mine\n");
    assert!(!parent.join("er").exists());
    assert!(!world.plain.has_branch("amp/x"));
}

#[test]
fn a_parent_that_turns_into_a_file_is_told() {
    let world = World::with(left_to_git);
    let parent = world.place("deep");
    fs::create_dir_all(world.place("")).unwrap();
    let instead = format!("echo mine > '{}'", parent.display());
    let repository = with_failing_add(&world, &instead);
    let error = refused(&repository, &world.place("deep/er/x"), &new_branch(&world));
    assert_eq!(error.code(), "git.worktree_left_behind", "{error}");
    assert!(error.hint().is_some());
    assert_eq!(fs::read_to_string(parent).unwrap(), "mine\n");
}
