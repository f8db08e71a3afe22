//! What the tests share: an engine in a sandbox, and sessions made with it.

use std::path::{Path, PathBuf};

use orchestra_config::Environment;
use orchestra_core::{RuntimeWishes, SessionId, Timestamp};
use orchestra_engine::{Clock, CreateSession, Engine, OpenOptions};
use orchestra_testkit::Sandbox;

/// An engine that never starts a runner.
pub(crate) fn engine(sandbox: &Sandbox, flags: &[(&str, &str)]) -> Engine {
    with_program(sandbox, Path::new("unused"), flags)
}

/// An engine for which it is always this moment.
pub(crate) fn engine_at(sandbox: &Sandbox, now: Timestamp) -> Engine {
    open(sandbox, Path::new("unused"), &[], Clock::Fixed(now))
}

/// An engine whose runners are another program.
pub(crate) fn with_program(sandbox: &Sandbox, program: &Path, flags: &[(&str, &str)]) -> Engine {
    open(sandbox, program, flags, Clock::System)
}

fn open(sandbox: &Sandbox, program: &Path, flags: &[(&str, &str)], clock: Clock) -> Engine {
    let environment: Environment = sandbox.env().into_iter().collect();
    Engine::open(OpenOptions {
        environment,
        repository: None,
        flags: flags
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect(),
        program: program.to_owned(),
        clock,
    })
    .unwrap()
}

pub(crate) fn request(repository: &Path, name: &str) -> CreateSession {
    CreateSession {
        repository: repository.to_owned(),
        base: None,
        name: name.parse().unwrap(),
        prompt: "Do it".to_owned(),
        notes: None,
        constraints: None,
        issue: Some("101".to_owned()),
        script: Some("true".to_owned()),
        model: None,
        agent: Some("amp".to_owned()),
        branch: None,
        timeout: None,
        permissions: None,
        runtime: RuntimeWishes::default(),
    }
}

/// A session that exists, and where it works.
pub(crate) fn session(engine: &Engine, repository: &Path, name: &str) -> (SessionId, PathBuf) {
    let made = engine.create_session(&request(repository, name)).unwrap();
    (made.view.session.id, made.view.session.worktree)
}

/// A program of this text.
#[cfg(unix)]
pub(crate) fn script(sandbox: &Sandbox, name: &str, body: &str) -> PathBuf {
    let path = sandbox.path(name);
    orchestra_testkit::write_program(&path, &format!("#!/bin/sh\n{body}\n"));
    path
}
