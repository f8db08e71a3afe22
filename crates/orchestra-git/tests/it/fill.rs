//! Filling a new worktree in process: it equals what git does, and whatever is unusual is left to git.

mod attacks;
mod left_to_git;
mod parity;
mod room;

use std::io::Write;
use std::process::Stdio;

use orchestra_core::CommitId;
use orchestra_git::{Fill, GitError, StartingPoint, Worktree};
use orchestra_testkit::TestRepository;

use crate::world::{World, branch};

/// A worktree without files.
fn registered(world: &World, name: &str) -> Worktree {
    let start = StartingPoint::NewBranch {
        name: branch(name),
        at: world.head(),
    };
    world
        .reopened()
        .register_worktree(&world.place(name), &start)
        .unwrap()
}

/// How many git processes filling takes: none in process, one when it is left to git.
fn fill(world: &World, worktree: &Worktree, commit: &CommitId) -> (u64, Result<(), GitError>) {
    let before = world.git.spawned();
    let result = worktree.fill(commit, Fill::Fresh);
    (world.git.spawned() - before, result)
}

/// Stores an object as it is, whatever it contains.
fn store(plain: &TestRepository, kind: &str, content: &[u8]) -> String {
    let mut child = plain
        .git_command()
        .args(["hash-object", "--literally", "-w", "--stdin", "-t", kind])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(content).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Mode, name and id.
type TreeEntry<'a> = (&'a str, &'a [u8], &'a str);

/// Stores a tree with these entries in this order.
fn store_tree(plain: &TestRepository, entries: &[TreeEntry<'_>]) -> String {
    let mut content = Vec::new();
    for (mode, name, id) in entries {
        content.extend(mode.bytes());
        content.push(b' ');
        content.extend_from_slice(name);
        content.push(0);
        let digits = id.as_bytes().chunks_exact(2);
        content.extend(
            digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()),
        );
    }
    store(plain, "tree", &content)
}

fn commit_of(plain: &TestRepository, tree: &str) -> CommitId {
    plain
        .git(&["commit-tree", tree, "-m", "odd"])
        .parse()
        .unwrap()
}
