//! Which folders can hold worktrees.

use std::fs;
use std::path::PathBuf;

use orchestra_git::UnsuitableFolder;

use crate::world::World;

fn world() -> World {
    World::with(|plain| {
        plain.write("src/lib.rs", "code");
        plain.commit("code");
    })
}

fn judged(world: &World, folder: &str) -> Option<UnsuitableFolder> {
    let folder = world.plain.path(folder);
    world.repository.find_unsuitable(&folder).unwrap()
}

fn has_files(path: &str) -> Option<UnsuitableFolder> {
    Some(UnsuitableFolder::HasFiles(PathBuf::from(path)))
}

#[test]
fn folders_with_other_files_are_unsuitable() {
    let world = world();
    world.plain.write("drafts/mine", "mine");
    assert_eq!(judged(&world, "src"), has_files("src/lib.rs"));
    assert_eq!(judged(&world, "src/lib.rs"), has_files("src/lib.rs"));
    assert_eq!(judged(&world, "drafts"), has_files("drafts/mine"));
    assert_eq!(judged(&world, "drafts/mine"), has_files("drafts/mine"));
    assert_eq!(judged(&world, "."), Some(UnsuitableFolder::Checkout));
    for inside in [".git", ".git/wt", "a/.GIT/wt"] {
        let reason = Some(UnsuitableFolder::GitDirectory);
        assert_eq!(judged(&world, inside), reason, "{inside}");
    }
}

#[test]
fn a_folder_of_its_own_is_suitable() {
    let world = world();
    fs::create_dir(world.plain.path("empty")).unwrap();
    for free in ["new", "new/deep", "src/new", "empty", "../beside"] {
        assert_eq!(judged(&world, free), None, "{free}");
    }
    world.worktree("one");
    assert_eq!(judged(&world, ".worktrees"), None);
    world.plain.write(".worktrees/mine", "mine");
    assert_eq!(judged(&world, ".worktrees"), has_files(".worktrees/mine"));
    let folder = world.plain.path(".worktrees");
    world.repository.keep_out_of_status(&folder).unwrap();
    assert_eq!(judged(&world, ".worktrees"), None);
    world
        .plain
        .git(&["add", "--force", "--", ".worktrees/mine"]);
    assert_eq!(judged(&world, ".worktrees"), has_files(".worktrees/mine"));
}

#[test]
fn files_that_are_not_checked_out_count() {
    let world = world();
    world.plain.write("docs/page", "page");
    world.plain.commit("page");
    world
        .plain
        .git(&["sparse-checkout", "set", "--no-cone", "/docs/"]);
    assert!(!world.plain.path("src").exists());
    assert_eq!(judged(&world, "src"), has_files("src/lib.rs"));
    assert_eq!(judged(&world, "new"), None);
}
