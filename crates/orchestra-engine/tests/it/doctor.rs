//! The doctor finds real damage, repairs what is ours and leaves the rest.

use std::fs;
use std::process::Child;
use std::time::Duration;

use orchestra_engine::{Diagnosis, Engine, Health};
use orchestra_store::Store;
use orchestra_testkit::{Sandbox, wait_until};

use crate::world::{engine, session};

fn checks(engine: &Engine, fix: bool, name: &str) -> Vec<Diagnosis> {
    let checks = engine.doctor(fix).into_iter();
    checks
        .filter(|check| check.name.starts_with(name))
        .collect()
}

fn health(engine: &Engine, fix: bool, name: &str) -> Vec<Health> {
    let checks = checks(engine, fix, name).into_iter();
    checks.map(|check| check.health).collect()
}

#[cfg(unix)]
#[test]
fn a_data_directory_that_others_can_read_is_closed() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let engine = engine(&sandbox, &[]);
    let open = fs::Permissions::from_mode(0o755);
    fs::set_permissions(sandbox.data_dir(), open).unwrap();
    assert_eq!(health(&engine, false, "data directory"), [Health::Bad]);
    assert_eq!(health(&engine, true, "data directory"), [Health::Fixed]);
    assert_eq!(health(&engine, false, "data directory"), [Health::Good]);
}

#[test]
fn damage_of_somebody_else_is_reported_and_kept() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    let engine = engine(&sandbox, &[]);
    session(&engine, repository.root(), "first");
    let foreign = repository.path(".git/worktrees/foreign");
    fs::create_dir_all(&foreign).unwrap();
    let found = checks(&engine, true, "repository");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].health, Health::Bad);
    assert!(found[0].detail.contains("foreign") && found[0].hint.is_some());
    assert!(foreign.exists());
}

#[test]
fn a_repository_that_is_gone_is_told() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    let engine = engine(&sandbox, &[]);
    session(&engine, repository.root(), "first");
    fs::rename(repository.root(), sandbox.path("elsewhere")).unwrap();
    let found = checks(&engine, false, "repository");
    assert!(
        found.iter().all(|check| check.health == Health::Bad) && !found.is_empty(),
        "{found:?}"
    );
    let hint = found[0].hint.as_deref().unwrap();
    assert!(hint.contains("in its new place"), "{hint}");
    assert_eq!(health(&engine, false, "session"), []);
    fs::rename(sandbox.path("elsewhere"), repository.root()).unwrap();
    assert_eq!(health(&engine, false, "repository"), [Health::Good]);
}

#[test]
fn a_lock_that_a_killed_git_left_is_removed() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    let engine = engine(&sandbox, &[]);
    let (_, worktree) = session(&engine, repository.root(), "first");
    let admin = repository
        .at(&worktree)
        .git(&["rev-parse", "--absolute-git-dir"]);
    let lock = std::path::Path::new(&admin).join("index.lock");
    fs::write(&lock, "").unwrap();
    assert_eq!(health(&engine, false, "session"), [Health::Bad]);
    assert_eq!(health(&engine, true, "session"), [Health::Fixed]);
    assert!(!lock.exists());
}

/// A process that carries the mark of a run.
#[cfg(target_os = "linux")]
fn marked(sandbox: &Sandbox, mark: &str) -> Child {
    let mut command = sandbox.command(std::path::Path::new("sleep"));
    command
        .arg("600")
        .env("ORCHESTRA_RUN", mark)
        .spawn()
        .unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn processes_of_runs_that_are_over_are_ended() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    let engine = engine(&sandbox, &[]);
    let (id, _) = session(&engine, repository.root(), "first");
    let database = sandbox.data_dir().join("orchestra.db");
    let epoch = Store::open(&database, "unused").unwrap().epoch().unwrap();
    let runs = [
        format!("{id}:1"),
        format!("{id}:script-9"),
        "no-session:1".to_owned(),
        "nothing".to_owned(),
    ];
    let mut left: Vec<_> = runs
        .iter()
        .map(|run| marked(&sandbox, &format!("{epoch}:{run}")))
        .collect();
    let mut foreign = marked(&sandbox, &format!("another-store:{id}:1"));
    wait_until("the marks can be seen", Duration::from_secs(30), || {
        let found = checks(&engine, false, "processes");
        found[0].detail.starts_with("4 ")
    });
    assert_eq!(health(&engine, false, "processes"), [Health::Bad]);
    assert_eq!(health(&engine, true, "processes"), [Health::Fixed]);
    for process in &mut left {
        assert!(!process.wait().unwrap().success());
    }
    assert_eq!(health(&engine, false, "processes"), [Health::Good]);
    assert!(foreign.try_wait().unwrap().is_none(), "not ours, not ended");
    foreign.kill().unwrap();
    foreign.wait().unwrap();
}
