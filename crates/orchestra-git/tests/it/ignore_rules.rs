//! What git would ignore, asked by name.

use std::path::{Path, PathBuf};

use crate::world::World;

#[test]
fn directories_need_not_be_there() {
    let world = World::with(|plain| {
        plain.write(".gitignore", "node_modules/\n/target\n*[x]\n!vendor/\n");
        plain.write("there/file", "x");
        plain.commit("rules");
    });
    let root = world.repository.root();
    let checkout = world.repository.worktree_at(root).unwrap();
    let asked = [
        "node_modules",
        "packages/a/node_modules",
        "target",
        "sub/target",
        "vendor",
        "there",
        "a[x]",
        ":(top)x",
    ];
    let ignored = checkout.would_ignore(&asked.map(Path::new)).unwrap();
    let expected = [
        "node_modules",
        "packages/a/node_modules",
        "target",
        ":(top)x",
    ];
    assert_eq!(ignored, expected.map(PathBuf::from));
    assert_eq!(checkout.would_ignore(&[]).unwrap(), Vec::<PathBuf>::new());
}
