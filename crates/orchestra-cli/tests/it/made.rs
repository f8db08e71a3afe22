//! Sessions that were made, and how they are made to follow a scenario.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;

use orchestra_testkit::{Sandbox, TestRepository};
use serde_json::Value;

use crate::ran::{Ran, session};

/// A session that was made.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    pub(crate) id: String,
    pub(crate) branch: String,
    pub(crate) worktree: PathBuf,
}

impl Made {
    pub(crate) fn from_json(session: &Value) -> Self {
        let text = |name: &str| session[name].as_str().unwrap().to_owned();
        Self {
            id: text("id"),
            branch: text("branch_name"),
            worktree: text("worktree_path").into(),
        }
    }

    /// The worktree, looked at with plain git.
    pub(crate) fn tree(&self, sandbox: &Sandbox) -> TestRepository {
        sandbox.repository_at(&self.worktree)
    }
}

/// Creates a session whose agent follows a scenario.
#[track_caller]
pub(crate) fn make(sandbox: &Sandbox, name: &str, scenario: &str) -> Made {
    make_on(sandbox, "main", name, scenario)
}

/// The same, from another base.
#[track_caller]
pub(crate) fn make_on(sandbox: &Sandbox, base: &str, name: &str, scenario: &str) -> Made {
    let path = sandbox.scenario(scenario);
    let prompt = format!("Do as told.\nscenario: {}", path.display());
    let words = ["new", "--json", "--name", name, "--base", base];
    let made = session(sandbox, &[&words[..], &["--prompt", &prompt]].concat()).ok();
    Made::from_json(&made.json()["session"])
}

/// Runs the agent once more with another scenario.
pub(crate) fn iterate_with(sandbox: &Sandbox, made: &Made, scenario: &str) -> Ran {
    let path = sandbox.scenario(scenario);
    let notes = format!("scenario: {}", path.display());
    session(sandbox, &["iterate", &made.id, "--notes", &notes])
}
