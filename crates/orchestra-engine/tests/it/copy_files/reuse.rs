//! Dependencies that share their data with those of the main checkout.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::Ground;

const REUSE: &[(&str, &str)] = &[("worktree.reuse", "node_modules,vendor/bundle")];

/// Whether files in this directory can share their data.
fn can_share(directory: &Path) -> bool {
    let (one, two) = (directory.join("one"), directory.join("two"));
    fs::write(&one, "x").unwrap();
    let (source, target) = (fs::File::open(one).unwrap(), fs::File::create(two).unwrap());
    rustix::fs::ioctl_ficlone(target, source).is_ok()
}

#[test]
fn a_file_system_that_cannot_share_leaves_them_to_the_set_up() {
    let ground = Ground::new();
    if can_share(&ground.sandbox.path("tmp")) {
        println!("not run: this file system can share data");
        return;
    }
    ground.repository.write("node_modules/x/y.js", "x");
    let lines = ground.copy(REUSE);
    let idle = "worktree.reuse: `vendor/bundle` matches nothing that git ignores";
    let left_out = "left out node_modules: this file system cannot share data between files";
    assert_eq!(lines, [idle, left_out]);
    assert!(!ground.worktree.join("node_modules").exists());
}

#[test]
fn only_directories_are_reused_and_none_that_is_there() {
    let ground = Ground::new();
    ground.repository.write("vendor/bundle/x", "theirs");
    ground
        .repository
        .at(&ground.worktree)
        .write("vendor/bundle/y", "mine");
    symlink("/etc", ground.repository.path("node_modules")).unwrap();
    let lines = ground.copy(REUSE);
    assert_eq!(
        lines,
        [
            "left out node_modules: it is no directory, and only directories are reused",
            "left out vendor/bundle: it is there already",
        ]
    );
    assert_eq!(ground.untracked(), ["vendor/bundle/y"]);
}
