//! Runners that never begin: the session stays usable, and the reason is told.

use orchestra_core::status::Outcome;
use orchestra_core::{IterationNumber, Progress, ScriptResult, SessionId};
use orchestra_engine::{Engine, SetupNeed, StartIteration};
use orchestra_testkit::Sandbox;

use crate::world::{engine, script, session, with_program};

/// How iteration and script fail to start, and what is kept of both.
fn refused(engine: &Engine, id: &SessionId) -> [String; 2] {
    let request = StartIteration::default();
    let iteration = engine.start_iteration(id, &request).unwrap_err();
    let script = engine
        .start_script(id, None, SetupNeed::Required)
        .unwrap_err();
    let kept = engine.iteration(id, IterationNumber(1)).unwrap();
    assert_eq!(kept.progress, Progress::Finished(Outcome::Interrupted));
    assert_eq!(kept.message, Some(iteration.to_string()));
    let runs = engine.script_runs(id).unwrap();
    let end = runs[0].finished.unwrap();
    assert_eq!(end.result, ScriptResult::Interrupted);
    assert!(!engine.session(id).unwrap().status.is_active());
    [iteration.to_string(), script.to_string()]
}

#[cfg(target_os = "linux")]
#[test]
fn a_runner_that_ends_at_once_is_told_with_its_last_words() {
    for (last, expected) in [("echo it broke", "it broke"), (":", "without a word")] {
        let sandbox = Sandbox::new();
        let repository = sandbox.repository("repo");
        let body = format!("exec setsid sh -c '{last}'");
        let program = script(&sandbox, "runner", &body);
        let engine = with_program(&sandbox, &program, &[]);
        let (id, _) = session(&engine, repository.root(), "first");
        for told in refused(&engine, &id) {
            assert!(told.contains(expected), "{told}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_program_that_is_no_runner_is_told() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    let program = script(&sandbox, "runner", "exit 0");
    let engine = with_program(&sandbox, &program, &[]);
    let (id, _) = session(&engine, repository.root(), "first");
    for told in refused(&engine, &id) {
        assert!(told.contains("runner"), "{told}");
    }
}

#[test]
fn a_runner_that_comes_too_late_does_nothing() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    let engine = engine(&sandbox, &[]);
    let (id, _) = session(&engine, repository.root(), "first");
    engine.run_iteration(&id, IterationNumber(1)).unwrap();
    engine.run_script(&id, 1).unwrap();
    assert!(engine.iterations(&id).unwrap().is_empty());
    assert!(engine.script_runs(&id).unwrap().is_empty());
}

#[test]
fn what_does_not_exist_is_named() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    let engine = engine(&sandbox, &[]);
    let (id, worktree) = session(&engine, repository.root(), "first");
    let nobody = SessionId::from_random([7; 8]);
    let missing = engine.iteration(&id, IterationNumber(9)).unwrap_err();
    assert_eq!(missing.code(), "iteration.missing");
    assert_eq!(
        engine.session(&nobody).unwrap_err().code(),
        "session.not_found"
    );
    assert_eq!(
        engine.script_run(9).unwrap_err().code(),
        "store.inconsistent"
    );
    let error = engine
        .start_script(&id, Some("deploy"), SetupNeed::Required)
        .unwrap_err();
    assert_eq!(error.code(), "script.missing");
    std::fs::remove_dir_all(worktree).unwrap();
    for error in [
        engine
            .start_script(&id, None, SetupNeed::Required)
            .unwrap_err(),
        engine
            .start_iteration(&id, &StartIteration::default())
            .unwrap_err(),
    ] {
        assert_eq!(error.code(), "worktree.missing");
    }
}
