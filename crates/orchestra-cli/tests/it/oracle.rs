//! What a command did, read from git, the disk and SQLite instead of its own answers.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use orchestra_testkit::{Sandbox, TestRepository};
use rusqlite::{Connection, OpenFlags};

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
