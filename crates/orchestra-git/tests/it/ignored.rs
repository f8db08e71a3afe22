//! What git ignores in a worktree.

use std::fs;

use orchestra_git::Repository;

use crate::world::World;

/// What is ignored in the main checkout; directories end in `/`.
fn ignored(repository: &Repository) -> Vec<String> {
    let checkout = repository.worktree_at(repository.root()).unwrap();
    let ignored = checkout.ignored().unwrap();
    let shown = ignored.into_iter().map(|it| {
        let path = it.path.to_str().unwrap().to_owned();
        path + if it.is_directory { "/" } else { "" }
    });
    shown.collect()
}

#[test]
fn directories_stand_for_what_is_in_them() {
    let world = World::with(|plain| {
        plain.write(".gitignore", "node_modules/\n.env\n*.log\n/dist/\n");
        plain.write("packages/a/index.js", "x");
        plain.write("dist/kept.txt", "tracked");
        plain.git(&["add", "--force", "dist/kept.txt"]);
        plain.commit("files");
    });
    for path in [
        "node_modules/x/y.js",
        "packages/a/node_modules/z.js",
        ".env",
        "new/.env",
        "new/untracked",
        "packages/a/x.log",
        "dist/made.js",
        "line\nbreak.log",
    ] {
        world.plain.write(path, "x");
    }
    assert_eq!(
        ignored(&world.repository),
        [
            ".env",
            "dist/made.js",
            "line\nbreak.log",
            "new/.env",
            "node_modules/",
            "packages/a/node_modules/",
            "packages/a/x.log",
        ]
    );
}

#[test]
fn worktrees_and_the_users_own_rules_are_ignored_too() {
    let world = World::with(|plain| {
        plain.write("data/base.db", "x");
        fs::write(plain.path(".git/info/exclude"), "/data/\n").unwrap();
    });
    let place = world.place("one");
    world
        .repository
        .keep_out_of_status(place.parent().unwrap())
        .unwrap();
    world.worktree("amp/one");
    let folder = [".worktrees/", ".worktrees/.gitignore", ".worktrees/amp/"];
    assert_eq!(ignored(&world.reopened())[..3], folder);
    assert_eq!(ignored(&world.reopened())[3..], ["data/"]);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_directory_is_no_directory() {
    let world = World::with(|plain| {
        plain.write(".gitignore", "vendor\n");
        plain.commit("rules");
        std::os::unix::fs::symlink("/etc", plain.path("vendor")).unwrap();
    });
    assert_eq!(ignored(&world.repository), ["vendor"]);
}
