//! Running the product, and looking at what it did with git, the disk and SQLite instead of its own answers.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use orchestra_testkit::{Sandbox, TestRepository};
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

/// What a command answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts the exit code and returns the answer.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(
            self.code,
            Some(code),
            "stdout: {}\nstderr: {}",
            self.text(),
            self.stderr
        );
        self
    }

    /// Asserts one error with this exit code, and a hint that tells the way out.
    #[track_caller]
    pub(crate) fn refuses(self, code: i32, message: &str) -> Self {
        let answer = self.exits(code);
        let stderr = &answer.stderr;
        let errors = stderr.lines().filter(|line| line.starts_with("error:"));
        assert_eq!(errors.count(), 1, "{stderr}");
        assert!(stderr.contains(message), "{message:?} is not in {stderr}");
        let helps = ["hint:", "Usage:", "tip:", "For more information"];
        assert!(
            helps.iter().any(|help| stderr.contains(help)),
            "no hint: {stderr}"
        );
        assert!(!stderr.contains("panicked"), "{stderr}");
        answer
    }
}

/// A session, as `new` reported it.
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

pub(crate) fn answer(command: &mut Command) -> Answer {
    let output = command.output().unwrap();
    Answer {
        code: output.status.code(),
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// `orchestra <words>`.
pub(crate) fn orchestra(sandbox: &Sandbox, words: &[&str]) -> Answer {
    answer(sandbox.orchestra().args(words))
}

/// `ampsm <words>`.
pub(crate) fn session(sandbox: &Sandbox, words: &[&str]) -> Answer {
    answer(sandbox.ampsm().args(words))
}

/// Creates a session whose agent follows a scenario.
#[track_caller]
pub(crate) fn make(sandbox: &Sandbox, name: &str, scenario: &str) -> Made {
    let path = sandbox.scenario(scenario);
    let prompt = format!("Do as told.\nscenario: {}", path.display());
    let made = session(
        sandbox,
        &["new", "--json", "--name", name, "--prompt", &prompt],
    )
    .exits(0);
    Made::from_json(&made.json()["session"])
}

/// Runs the agent once more with another scenario.
pub(crate) fn iterate_with(sandbox: &Sandbox, made: &Made, scenario: &str) -> Answer {
    let path = sandbox.scenario(scenario);
    let notes = format!("scenario: {}", path.display());
    session(sandbox, &["iterate", &made.id, "--notes", &notes])
}

/// The last iteration as SQLite has it: progress, outcome, message.
pub(crate) fn last_iteration(sandbox: &Sandbox, id: &str) -> (String, String, String) {
    let read = |row: &rusqlite::Row<'_>| {
        Ok((
            row.get(0)?,
            row.get::<_, Option<String>>(1)?.unwrap_or_default(),
            row.get::<_, Option<String>>(2)?.unwrap_or_default(),
        ))
    };
    let query = "SELECT progress, outcome, message FROM iterations WHERE session = ?1 ORDER BY number DESC LIMIT 1";
    database(sandbox).query_row(query, [id], read).unwrap()
}

/// The database, opened by the test itself.
pub(crate) fn database(sandbox: &Sandbox) -> Connection {
    let path = sandbox.data_dir().join("orchestra.db");
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    connection
        .busy_timeout(std::time::Duration::from_secs(10))
        .unwrap();
    connection
}

/// Everything a refused command must leave as it was: refs, worktrees, files and rows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct State {
    refs: String,
    worktrees: String,
    status: String,
    admin: Vec<PathBuf>,
    rows: BTreeMap<String, i64>,
}

impl State {
    pub(crate) fn of(sandbox: &Sandbox, repository: &TestRepository) -> Self {
        Self {
            refs: repository.git(&["for-each-ref"]),
            worktrees: repository.git(&["worktree", "list", "--porcelain"]),
            status: repository.git(&["status", "--porcelain", "--ignored"]),
            admin: entries(&repository.path(".git/worktrees")),
            rows: rows(sandbox),
        }
    }
}

fn rows(sandbox: &Sandbox) -> BTreeMap<String, i64> {
    if !sandbox.data_dir().join("orchestra.db").exists() {
        return BTreeMap::new();
    }
    let database = database(sandbox);
    let tables = ["repositories", "sessions", "iterations", "script_runs"];
    let count = |table: &str| {
        let query = format!("SELECT count(*) FROM {table}");
        database.query_row(&query, [], |row| row.get(0)).unwrap()
    };
    tables
        .iter()
        .map(|table| ((*table).to_owned(), count(table)))
        .collect()
}

/// The names in a folder, sorted; none when there is no such folder.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let listed = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = listed.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Whether the tests that count much should count as much as the product promises.
#[expect(
    clippy::disallowed_methods,
    reason = "a test asks its own environment how long it may take"
)]
pub(crate) fn long() -> bool {
    std::env::var_os("ORCHESTRA_TEST_LONG").is_some()
}
