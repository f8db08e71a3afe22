//! A disk that is full: what cannot be written whole is taken back.

use std::path::Path;

use orchestra_testkit::Sandbox;

use super::{commit_of, fill, registered, store, store_tree};
use crate::world::{World, files_below};

const LIMITED: &str = "ORCHESTRA_GIT_TEST_LIMITED";
/// Files of more than 8 MiB cannot be written, which is an error and not the end of the process.
const LIMIT: &str = "trap '' XFSZ; ulimit -f 16384; exec \"$@\"";

/// The limit holds for a whole process, so another one fills.
#[test]
fn a_file_that_does_not_fit_is_taken_back() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(Path::new("sh"));
    command.args(["-c", LIMIT, "sh"]);
    command.arg(std::env::current_exe().unwrap());
    command.args(["fill::room::fill_within_the_limit", "--exact"]);
    let output = command.env(LIMITED, "1").output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && told.contains("1 passed"),
        "{told}"
    );
}

#[expect(
    clippy::disallowed_methods,
    reason = "the environment is how a test talks to its second process"
)]
#[test]
fn fill_within_the_limit() {
    if std::env::var_os(LIMITED).is_none() {
        return;
    }
    let world = World::new();
    let small = store(&world.plain, "blob", b"small");
    let large = store(&world.plain, "blob", &vec![b'x'; 10 << 20]);
    let entries = [
        ("100644", &b"a-small"[..], small.as_str()),
        ("100644", &b"large"[..], &large),
    ];
    let below = store_tree(&world.plain, &entries);
    let tree = store_tree(&world.plain, &[("40000", b"directory", &below)]);
    let worktree = registered(&world, "one");
    let before = files_below(worktree.path());
    let (processes, result) = fill(&world, &worktree, &commit_of(&world.plain, &tree));
    assert_eq!((processes, result.unwrap_err().code()), (1, "git.failed"));
    assert!(!worktree.path().join("directory/large").exists());
    assert!(!worktree.admin_dir().join("index").exists());
    assert!(before.iter().all(|path| path.exists()));
}
