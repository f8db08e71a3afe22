//! How much of git the commands of landing start: every process is a large part of their time.

use std::path::Path;
use std::time::Duration;

use orchestra_core::{RebaseState, SessionId};
use orchestra_engine::{Engine, SquashOrder};
use orchestra_testkit::{Sandbox, TestRepository, wait_until};

use crate::world::{engine, session};

const PATIENCE: Duration = Duration::from_secs(60);

/// A session with two commits on a base that went on, in a repository that is not opened again.
fn diverged(engine: &Engine, repository: &TestRepository) -> (SessionId, TestRepository) {
    let (id, worktree) = session(engine, repository.root(), "first");
    let plain = repository.at(&worktree);
    for name in ["one", "two"] {
        plain.write(name, name);
        plain.git(&["add", "."]);
        plain.git(&["commit", "--quiet", "-m", name]);
    }
    repository.write("base", "base");
    repository.git(&["add", "."]);
    repository.git(&["commit", "--quiet", "-m", "base"]);
    settle(engine, repository.root());
    (id, plain)
}

/// Opens it until that needs no process: files that were changed just now are not trusted.
fn settle(engine: &Engine, root: &Path) {
    let git = engine.git().unwrap();
    wait_until("the repository is remembered", PATIENCE, || {
        let before = git.spawned();
        git.open(root).is_ok() && git.spawned() == before
    });
}

/// Processes of a command.
fn counted<T>(engine: &Engine, command: impl FnOnce() -> T) -> (u64, T) {
    let git = engine.git().unwrap();
    let before = git.spawned();
    let done = command();
    (git.spawned() - before, done)
}

#[test]
fn a_squash_moves_the_branch_and_asks_for_nothing() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    let engine = engine(&sandbox, &[]);
    let (id, plain) = diverged(&engine, &repository);
    plain.write("one", "not committed");
    let known = engine.refresh(&id).unwrap().git.unwrap();
    assert_eq!(known.dirty, Some(true));
    let order = SquashOrder {
        message: "Both".to_owned(),
        keep_manual: false,
    };
    let (spawned, done) = counted(&engine, || engine.squash(&id, &order).unwrap());
    let facts = done.view.git.unwrap();
    assert_eq!((facts.ahead, facts.behind), (Some(1), Some(1)));
    assert_eq!(facts.head.as_ref(), Some(&done.head));
    assert_eq!(
        (facts.dirty, facts.checked_at),
        (Some(true), known.checked_at)
    );
    assert_eq!(plain.head(), done.head.as_str());
    assert!(
        !cfg!(target_os = "linux") || spawned == 0,
        "{spawned} processes"
    );
    repository.fsck();
}

#[test]
fn a_clean_rebase_starts_no_git() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    let engine = engine(&sandbox, &[]);
    let (id, plain) = diverged(&engine, &repository);
    plain.write("mine", "not committed");
    assert_eq!(engine.refresh(&id).unwrap().git.unwrap().dirty, Some(true));
    let (spawned, done) = counted(&engine, || engine.rebase(&id, None).unwrap());
    assert_eq!(done.state, RebaseState::Finished);
    let facts = done.view.git.unwrap();
    assert_eq!((facts.ahead, facts.behind), (Some(2), Some(0)));
    assert_eq!(facts.dirty, Some(true));
    assert_eq!(plain.git(&["status", "--porcelain"]), "?? mine");
    assert_eq!(plain.read("base"), "base");
    assert!(
        !cfg!(target_os = "linux") || spawned == 0,
        "{spawned} processes"
    );
    repository.fsck();
}
