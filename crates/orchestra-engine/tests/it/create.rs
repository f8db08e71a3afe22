//! Creating sessions: what exists is never touched when it fails.

use std::path::PathBuf;

use orchestra_config::Environment;
use orchestra_engine::{
    Clock, CreateSession, Engine, EngineError, ListRequest, OpenOptions, SessionView,
};
use orchestra_testkit::{Sandbox, TestRepository};

fn engine(sandbox: &Sandbox, flags: &[(&str, &str)]) -> Engine {
    let environment: Environment = sandbox.env().into_iter().collect();
    Engine::open(OpenOptions {
        environment,
        repository: None,
        flags: flags
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect(),
        program: PathBuf::from("unused"),
        clock: Clock::System,
    })
    .unwrap()
}

fn request(repository: &std::path::Path, name: &str) -> CreateSession {
    CreateSession {
        repository: repository.to_owned(),
        base: None,
        name: name.parse().unwrap(),
        prompt: "Do it".to_owned(),
        notes: None,
        constraints: None,
        issue: Some("101".to_owned()),
        script: None,
        model: None,
        agent: Some("demo".to_owned()),
        branch: None,
        timeout: None,
    }
}

#[test]
fn a_branch_of_the_users_is_kept_when_its_name_is_wanted() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    repository.git(&["branch", "feature/issue-101"]);
    let engine = engine(&sandbox, &[("git.branch_pattern", "feature/issue-{issue}")]);
    let error = engine
        .create_session(&request(repository.root(), "first"))
        .unwrap_err();
    assert_eq!(error.code(), "git.branch_taken");
    assert!(repository.has_branch("feature/issue-101"));
    let listing = engine.list_sessions(&ListRequest::default()).unwrap();
    assert!(listing.sessions.is_empty());
    assert_eq!(
        repository
            .git(&["worktree", "list", "--porcelain"])
            .matches("worktree ")
            .count(),
        1
    );
}

/// Creates a session in a repository that lacks the object of a file, so that the worktree cannot be filled.
fn create_without_an_object(engine: &Engine, repository: &TestRepository) -> EngineError {
    let blob = repository.git(&["rev-parse", "HEAD:README.md"]);
    let object = repository.path(&format!(".git/objects/{}/{}", &blob[..2], blob[2..].trim()));
    let kept = std::fs::read(&object).unwrap();
    std::fs::remove_file(&object).unwrap();
    let created = engine.create_session(&request(repository.root(), "first"));
    std::fs::write(&object, kept).unwrap();
    created.unwrap_err()
}

fn sessions(engine: &Engine) -> Vec<SessionView> {
    let listing = engine.list_sessions(&ListRequest::default());
    listing.unwrap().sessions
}

#[track_caller]
fn assert_nothing_is_left(engine: &Engine, repository: &TestRepository) {
    assert_eq!(repository.git(&["branch", "--list"]).lines().count(), 1);
    let worktrees = repository.git(&["worktree", "list", "--porcelain"]);
    assert_eq!(worktrees.matches("worktree ").count(), 1, "{worktrees}");
    assert!(sessions(engine).is_empty());
}

#[test]
fn what_cannot_be_taken_back_keeps_its_record_until_it_can() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    let engine = engine(&sandbox, &[]);
    // Making a branch does not need this lock, deleting one does.
    let lock = repository.path(".git/packed-refs.lock");
    std::fs::write(&lock, "").unwrap();
    let error = create_without_an_object(&engine, &repository);
    assert_eq!(error.code(), "session.half_made", "{error}");
    assert!(error.hint().unwrap().contains("doctor --fix"));
    let left = sessions(&engine).remove(0).session;
    assert!(repository.has_branch(left.branch.as_str()));
    assert!(engine.recover_session(&left.id).is_err());
    assert_eq!(sessions(&engine).len(), 1);

    std::fs::remove_file(&lock).unwrap();
    let done = engine.recover_session(&left.id).unwrap();
    assert!(done[0].contains("taken back"), "{done:?}");
    assert_nothing_is_left(&engine, &repository);
    assert!(!left.worktree.exists());
}

#[test]
fn a_failed_fill_takes_everything_back() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    let engine = engine(&sandbox, &[]);
    create_without_an_object(&engine, &repository);
    assert_nothing_is_left(&engine, &repository);
    engine
        .create_session(&request(repository.root(), "first"))
        .unwrap();
    repository.fsck();
}

#[test]
fn names_with_one_slug_get_branches_of_their_own() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    let engine = engine(&sandbox, &[("git.branch_pattern", "amp/{slug}")]);
    let first = engine
        .create_session(&request(repository.root(), "a b"))
        .unwrap();
    let second = engine
        .create_session(&request(repository.root(), "a-b"))
        .unwrap();
    assert_eq!(first.view.session.branch.as_str(), "amp/a-b");
    let expected = format!("amp/a-b-{}", second.view.session.id);
    assert_eq!(second.view.session.branch.as_str(), expected);
}
