//! Creating sessions: what exists is never touched when it fails.

use orchestra_engine::{
    AdoptWorktree, CreateSession, Engine, EngineError, ListRequest, SessionView,
};
use orchestra_testkit::{Sandbox, TestRepository};

use crate::world::{engine, engine_at, request, session};

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

#[test]
fn a_branch_made_in_the_same_second_is_no_obstacle() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    let taken = "amp/first/20261115-101530";
    repository.git(&["branch", taken]);
    let engine = engine_at(&sandbox, "2026-11-15T10:15:30Z".parse().unwrap());
    let made = engine.create_session(&request(repository.root(), "first"));
    let session = made.unwrap().view.session;
    assert_eq!(session.branch.as_str(), format!("{taken}-{}", session.id));
    assert!(repository.has_branch(taken) && repository.has_branch(session.branch.as_str()));
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

#[test]
fn a_sparse_main_checkout_makes_sparse_worktrees_and_says_so() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    repository.write("in/a.txt", "a");
    repository.write("out/b.txt", "b");
    repository.commit("two directories");
    repository.git(&["sparse-checkout", "set", "--cone", "in"]);
    let engine = engine(&sandbox, &[("git.fetch_wait", "0s")]);
    let made = engine
        .create_session(&request(repository.root(), "first"))
        .unwrap();
    let worktree = made.view.session.worktree;
    assert!(worktree.join("in/a.txt").exists() && !worktree.join("out").exists());
    let warnings = made.warnings.join("\n");
    assert!(warnings.contains("the same files"), "{warnings}");
    let tree = repository.at(&worktree);
    tree.git(&["sparse-checkout", "disable"]);
    assert!(worktree.join("out/b.txt").exists());
    assert!(!repository.path("out").exists());
}

#[test]
fn a_folder_of_another_session_is_not_shared() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    repository.git(&["branch", "topic"]);
    let engine = engine(&sandbox, &[("git.folder_pattern", "issue-{issue}")]);
    let (_, first) = session(&engine, repository.root(), "first");
    let (_, second) = session(&engine, repository.root(), "second");
    assert_ne!(first, second);
    let adopting = CreateSession {
        branch: Some("topic".parse().unwrap()),
        ..request(repository.root(), "third")
    };
    let error = engine.create_session(&adopting).unwrap_err();
    assert_eq!(error.code(), "session.reserved");
    assert!(error.to_string().contains("directory"), "{error}");
    assert!(repository.has_branch("topic"));
    let listing = engine.list_sessions(&ListRequest::default()).unwrap();
    assert_eq!(listing.sessions.len(), 2);
}

#[test]
fn a_worktree_without_a_branch_is_not_adopted() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    let path = sandbox.path("own");
    let place = path.to_str().unwrap();
    repository.git(&["worktree", "add", "--quiet", "--detach", place]);
    let engine = engine(&sandbox, &[]);
    let adopt = |name: &str| AdoptWorktree {
        path: path.clone(),
        name: Some(name.parse().unwrap()),
        prompt: "Do it".to_owned(),
        base: None,
        agent: None,
    };
    let error = engine.adopt_worktree(&adopt("mine")).unwrap_err();
    assert_eq!(error.code(), "input.invalid");
    assert!(error.hint().is_some_and(|hint| hint.contains("git switch")));
    repository
        .at(&path)
        .git(&["switch", "--quiet", "-c", "topic"]);
    engine.adopt_worktree(&adopt("mine")).unwrap();
    let again = engine.adopt_worktree(&adopt("other")).unwrap_err();
    assert_eq!(again.code(), "session.reserved");
}

#[test]
fn a_session_of_a_bare_repository_works() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    let (bare, linked) = (sandbox.path("bare.git"), sandbox.path("linked"));
    let (from, to) = (repository.root().to_str().unwrap(), bare.to_str().unwrap());
    repository.git(&["clone", "--quiet", "--bare", from, to]);
    repository.git(&[
        "-C",
        to,
        "worktree",
        "add",
        "--quiet",
        linked.to_str().unwrap(),
        "main",
    ]);
    let engine = engine(&sandbox, &[]);
    let (id, worktree) = session(&engine, &linked, "first");
    assert!(worktree.join("README.md").exists());
    assert!(!worktree.starts_with(&bare), "{}", worktree.display());
    let log = engine.session_log(&id).unwrap();
    assert!(log.commits.is_empty() && log.iterations.is_empty());
}
