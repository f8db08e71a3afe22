//! A sandbox with one repository, the commands in it, and a look into the store.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use orchestra_testkit::{Sandbox, TestRepository, processes, wait_until};
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use crate::made::Made;
use crate::ran::{Ran, ran};

/// Long enough for a loaded machine; nothing waits this long when all is well.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A sandbox with one repository.
pub(crate) struct World {
    pub(crate) sandbox: Sandbox,
    pub(crate) repository: TestRepository,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::of(Sandbox::new())
    }

    pub(crate) fn of(sandbox: Sandbox) -> Self {
        let repository = sandbox.repository("sample");
        Self {
            sandbox,
            repository,
        }
    }

    /// A world whose agent follows a scenario in every turn.
    pub(crate) fn with_scenario(text: &str) -> Self {
        let sandbox = Sandbox::new();
        let path = sandbox.scenario(text);
        Self::of(sandbox.with_knob("scenario", &path.to_string_lossy()))
    }

    /// `orchestra session <words>`.
    pub(crate) fn run(&self, words: &[&str]) -> Ran {
        ran(self.session_command(words))
    }

    /// `orchestra <words>`.
    pub(crate) fn orchestra(&self, words: &[&str]) -> Ran {
        let mut command = self.sandbox.orchestra();
        command.args(words);
        ran(command)
    }

    /// Writes the repository's own settings file, and lets its commands run.
    pub(crate) fn settle(&self, settings: &str) {
        self.repository.write(".orchestra/config.toml", settings);
        self.orchestra(&["commands", "allow", "--all"]).ok();
    }

    /// The answer of `orchestra session <words> --json`, which must succeed.
    pub(crate) fn json(&self, words: &[&str]) -> Value {
        self.run(&[words, &["--json"]].concat()).ok().json()
    }

    pub(crate) fn session_command(&self, words: &[&str]) -> Command {
        let mut command = self.sandbox.orchestra();
        command.arg("session").args(words);
        command
    }

    /// Starts `orchestra session <words>` without waiting; its output can be read.
    pub(crate) fn start(&self, words: &[&str]) -> Child {
        let mut command = self.session_command(words);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    }

    /// Makes a session with a short prompt.
    pub(crate) fn session(&self, name: &str) -> Made {
        self.session_with(name, &[])
    }

    pub(crate) fn session_with(&self, name: &str, more: &[&str]) -> Made {
        let words = [&["new", "--name", name, "--prompt", "Greet amp"], more].concat();
        self.run(&words).ok();
        self.made(name)
    }

    /// What the store has of a session.
    pub(crate) fn made(&self, name: &str) -> Made {
        let store = self.store();
        store
            .query_row(
                "SELECT id, branch, worktree FROM sessions WHERE name = ?1",
                [name],
                |row| {
                    Ok(Made {
                        id: row.get(0)?,
                        branch: row.get(1)?,
                        worktree: PathBuf::from(row.get::<_, String>(2)?),
                    })
                },
            )
            .unwrap_or_else(|error| panic!("session {name}: {error}"))
    }

    /// A session's worktree, seen with plain git.
    pub(crate) fn tree(&self, made: &Made) -> TestRepository {
        self.repository.at(&made.worktree)
    }

    /// One value from the store, as text; `None` when it is null.
    pub(crate) fn value(&self, sql: &str) -> Option<String> {
        let value = self
            .store()
            .query_row(sql, [], |row| row.get::<_, rusqlite::types::Value>(0));
        match value.unwrap_or_else(|error| panic!("{sql}: {error}")) {
            rusqlite::types::Value::Null => None,
            rusqlite::types::Value::Integer(number) => Some(number.to_string()),
            rusqlite::types::Value::Text(text) => Some(text),
            other => panic!("{sql}: {other:?}"),
        }
    }

    /// A count from the store; 0 while there is no store.
    pub(crate) fn count(&self, sql: &str) -> i64 {
        if !self.database().exists() {
            return 0;
        }
        self.value(sql).unwrap().parse().unwrap()
    }

    /// One column of a session's iteration.
    pub(crate) fn iteration(&self, made: &Made, number: u32, column: &str) -> Option<String> {
        self.value(&format!(
            "SELECT {column} FROM iterations WHERE session = '{}' AND number = {number}",
            made.id
        ))
    }

    /// Waits until an iteration has reached this progress.
    pub(crate) fn wait_for_progress(&self, made: &Made, number: u32, progress: &str) {
        let what = format!("iteration {number} of {} is at {progress}", made.id);
        let sql = format!(
            "SELECT count(*) FROM iterations WHERE session = '{}' AND number = {number} AND progress = '{progress}'",
            made.id
        );
        wait_until(&what, PATIENCE, || self.count(&sql) == 1);
    }

    /// The process that carries an iteration.
    pub(crate) fn runner(&self, made: &Made, number: u32) -> u32 {
        let runner = self.iteration(made, number, "runner").expect("a runner");
        let runner: Value = serde_json::from_str(&runner).unwrap();
        u32::try_from(runner["pid"].as_u64().unwrap()).unwrap()
    }

    /// The scripted agent's own record of its conversations.
    pub(crate) fn threads(&self) -> Vec<Value> {
        let folder = self.sandbox.path("fake-amp/threads");
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let files = files.map(|file| file.path());
        files
            .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
            .map(|path| serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap())
            .collect()
    }

    /// Makes the scripted agent refuse to go on with a conversation.
    pub(crate) fn archive_thread(&self, id: &str) {
        let file = self.sandbox.path(&format!("fake-amp/threads/{id}.json"));
        let mut thread: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        thread["archived"] = true.into();
        std::fs::write(&file, thread.to_string()).unwrap();
    }

    /// Everything that a refused command must leave as it was.
    pub(crate) fn outside(&self) -> (String, String, bool, i64) {
        (
            self.repository.git(&["for-each-ref"]),
            self.repository.git(&["worktree", "list", "--porcelain"]),
            self.repository.path(".worktrees").exists(),
            self.count("SELECT count(*) FROM sessions"),
        )
    }

    /// Waits until nothing of this sandbox runs any more.
    pub(crate) fn wait_until_quiet(&self) {
        let home = self.sandbox.data_dir();
        let home = home.to_string_lossy();
        wait_until("no process of the sandbox is left", PATIENCE, || {
            processes::with_variable("ORCHESTRA_HOME", &home).is_empty()
        });
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.sandbox.data_dir().join("orchestra.db")
    }

    /// The store, to make it look as if something else had happened.
    pub(crate) fn writable_store(&self) -> Connection {
        let store = Connection::open(self.database()).unwrap();
        store.busy_timeout(PATIENCE).unwrap();
        store
    }

    fn store(&self) -> Connection {
        let store =
            Connection::open_with_flags(self.database(), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        store.busy_timeout(PATIENCE).unwrap();
        store
    }
}
