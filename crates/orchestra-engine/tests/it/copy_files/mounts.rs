//! Directories at which somebody mounted something of another place, in a mount namespace of the test's own.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::Ground;
use crate::world::engine;

const INSIDE: &str = "ORCHESTRA_TEST_MOUNTS";

#[expect(
    clippy::disallowed_methods,
    reason = "tests start the programs they need"
)]
fn succeeds(program: &str, words: &[&str]) -> bool {
    let output = Command::new(program).args(words).env(INSIDE, "1").output();
    output.is_ok_and(|output| output.status.success())
}

fn mount(from: &Path, to: &Path) {
    let words = ["--bind", from.to_str().unwrap(), to.to_str().unwrap()];
    assert!(succeeds("mount", &words));
}

fn unmount(place: &Path) {
    assert!(succeeds("umount", &[place.to_str().unwrap()]));
}

fn offered(ground: &Ground) -> usize {
    let found = engine(&ground.sandbox, &[]).regenerable().unwrap();
    assert_eq!(found.problems, Vec::<String>::new());
    found.directories.len()
}

/// Of the same file system, so that its device tells nothing.
fn look_at_mounts() {
    let ground = Ground::new();
    let modules = ground.worktree.join("node_modules");
    let theirs = ground.sandbox.path("theirs");
    for directory in [&modules.join("deep/mounted"), &theirs] {
        fs::create_dir_all(directory).unwrap();
    }
    fs::write(modules.join("file"), "x").unwrap();
    fs::write(theirs.join("precious"), "x").unwrap();
    assert_eq!(offered(&ground), 1);
    for place in [modules.join("deep/mounted"), modules.clone()] {
        mount(&theirs, &place);
        assert_eq!(offered(&ground), 0, "{}", place.display());
        unmount(&place);
    }
    mount(&theirs, &modules.join("deep/mounted"));
    let found = orchestra_git::disk_use(&modules, Duration::from_secs(60)).unwrap();
    assert!(found.has_mount && found.files == 1, "{found:?}");
    unmount(&modules.join("deep/mounted"));
    assert_eq!(offered(&ground), 1);
}

/// A file that is mounted cannot be removed, whoever asks for it.
fn remove_all_but_one() {
    let ground = Ground::new();
    let theirs = ground.sandbox.path("theirs");
    fs::write(&theirs, "x").unwrap();
    for directory in ["node_modules", "vendor"] {
        let directory = ground.worktree.join(directory);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("file"), "x").unwrap();
    }
    let held = ground.worktree.join("vendor/file");
    mount(&theirs, &held);
    let engine = engine(&ground.sandbox, &[("worktree.reuse", "vendor")]);
    let found = engine.regenerable().unwrap().directories;
    assert_eq!(found.len(), 2);
    let removed = engine.remove_regenerable(found);
    let gone: Vec<_> = removed.directories.iter().map(|it| &it.path).collect();
    assert_eq!(gone, [Path::new("node_modules")]);
    let [problem] = removed.problems.as_slice() else {
        panic!("{:?}", removed.problems);
    };
    assert!(problem.contains("vendor"), "{problem}");
    assert!(held.exists() && !ground.worktree.join("node_modules").exists());
    unmount(&held);
}

#[test]
fn what_is_mounted_is_never_offered_to_be_removed() {
    let name = "copy_files::mounts::what_is_mounted_is_never_offered_to_be_removed";
    among_own_mounts(name, look_at_mounts);
}

#[test]
fn what_was_removed_is_told_if_the_rest_fails() {
    let name = "copy_files::mounts::what_was_removed_is_told_if_the_rest_fails";
    among_own_mounts(name, remove_all_but_one);
}

/// Runs the named test again in a mount namespace of its own.
#[expect(clippy::print_stdout, reason = "a test that cannot run here says so")]
fn among_own_mounts(name: &str, test: impl FnOnce()) {
    #[expect(
        clippy::disallowed_methods,
        reason = "the first run says that this is the second"
    )]
    if std::env::var_os(INSIDE).is_some() {
        return test();
    }
    if !succeeds("unshare", &["-m", "mount", "--bind", "/tmp", "/tmp"]) {
        println!("not run: {name}: nothing can be mounted");
        return;
    }
    let program = std::env::current_exe().unwrap();
    let words = ["-m", program.to_str().unwrap(), "--exact", name];
    assert!(succeeds("unshare", &words));
}
