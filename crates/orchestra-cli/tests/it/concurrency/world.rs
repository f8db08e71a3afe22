//! A repository, a data directory and the scripted agent, and oracles that ask git, the disk and SQLite how they are.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use orchestra_testkit::{Sandbox, TestRepository};
use rusqlite::{Connection, OpenFlags};

pub(crate) use crate::made::Made;

/// Longer than anything takes on a loaded machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A world for one test.
pub(crate) struct World {
    pub(crate) sandbox: Sandbox,
    pub(crate) repository: TestRepository,
}

impl World {
    /// A small repository, and an agent that follows this scenario.
    pub(crate) fn new(scenario: &str) -> Self {
        let sandbox = Sandbox::new();
        let scenario = sandbox.scenario(scenario);
        let sandbox = sandbox.with_knob("scenario", &scenario.to_string_lossy());
        let repository = sandbox.repository("sample").with_files(60);
        Self {
            sandbox,
            repository,
        }
    }

    /// `orchestra session ...`
    pub(crate) fn session(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.orchestra();
        command.arg("session").args(arguments);
        command
    }

    /// Runs `orchestra session ...`, which must succeed. Answers what it printed.
    pub(crate) fn succeed(&self, arguments: &[&str]) -> String {
        let output = self.session(arguments).output().unwrap();
        assert!(
            output.status.success(),
            "session {arguments:?}: {}",
            shown(&output)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    /// Makes a session.
    pub(crate) fn create(&self, name: &str, more: &[&str]) -> Made {
        let mut arguments = vec!["new", "--json", "--name", name, "--prompt", "Do it"];
        arguments.extend(more);
        let created: serde_json::Value = serde_json::from_str(&self.succeed(&arguments)).unwrap();
        Made::from_json(&created["session"])
    }

    /// Lets the commands of the repository's own settings file run.
    pub(crate) fn allow_commands(&self) {
        let words = ["commands", "allow", "--all"];
        let output = self.sandbox.orchestra().args(words).output().unwrap();
        assert!(output.status.success(), "{}", shown(&output));
    }

    /// `orchestra doctor --fix`, which must reach clean, and a second look that must agree.
    pub(crate) fn heal(&self) {
        for arguments in [&["doctor", "--fix"][..], &["doctor"]] {
            let output = self.sandbox.orchestra().args(arguments).output().unwrap();
            assert!(output.status.success(), "{arguments:?}: {}", shown(&output));
        }
    }

    pub(crate) fn store(&self) -> Connection {
        let path = self.sandbox.data_dir().join("orchestra.db");
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
        let connection = Connection::open_with_flags(path, flags).unwrap();
        connection.busy_timeout(PATIENCE).unwrap();
        connection
    }

    /// The number a query answers.
    pub(crate) fn count(&self, query: &str) -> i64 {
        self.store()
            .query_row(query, [], |row| row.get(0))
            .unwrap_or_else(|error| panic!("{query}: {error}"))
    }

    /// The texts of one column.
    pub(crate) fn column(&self, query: &str) -> Vec<String> {
        let store = self.store();
        let mut statement = store.prepare(query).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }

    /// Whether git, disk and store agree and nothing is half done.
    pub(crate) fn assert_whole(&self, when: &str) {
        self.assert_repository_whole(when);
        self.assert_store_whole(when);
        for session in self.sessions() {
            self.assert_session_whole(&session, when);
        }
    }

    /// Every session in the store.
    pub(crate) fn sessions(&self) -> Vec<Made> {
        let store = self.store();
        let mut statement = store
            .prepare("SELECT id, branch, worktree FROM sessions ORDER BY created_at, id")
            .unwrap();
        let rows = statement.query_map([], |row| {
            Ok(Made {
                id: row.get(0)?,
                branch: row.get(1)?,
                worktree: PathBuf::from(row.get::<_, String>(2)?),
            })
        });
        rows.unwrap().map(Result::unwrap).collect()
    }

    fn assert_repository_whole(&self, when: &str) {
        let fsck = self
            .repository
            .try_git(&["fsck", "--full", "--no-dangling"]);
        assert!(
            fsck.status.success() && fsck.stdout.is_empty(),
            "{when}: {}",
            shown(&fsck)
        );
        let status = self.repository.git(&["status", "--porcelain"]);
        assert_eq!(status, "", "{when}: the main checkout was touched");
        let known: BTreeSet<_> = self
            .sessions()
            .into_iter()
            .map(|made| made.branch)
            .collect();
        let branches = self.repository.git(&[
            "for-each-ref",
            "--format=%(refname:short)",
            "refs/heads/amp",
        ]);
        let branches: BTreeSet<_> = branches.lines().map(str::to_owned).collect();
        assert_eq!(branches, known, "{when}: branches and sessions differ");
        let listed = self.repository.git(&["worktree", "list", "--porcelain"]);
        assert!(!listed.contains("prunable"), "{when}: {listed}");
        let listed = listed.matches("worktree ").count();
        assert_eq!(listed, known.len() + 1, "{when}: worktrees");
        assert_eq!(self.lock_files(), Vec::<PathBuf>::new(), "{when}: locks");
    }

    /// Locks of git that nobody holds any more.
    pub(crate) fn lock_files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        collect_locks(&self.repository.path(".git"), &mut found);
        found
    }

    /// Nothing in the store is open or broken.
    pub(crate) fn assert_store_whole(&self, when: &str) {
        let integrity = self.column("PRAGMA integrity_check");
        assert_eq!(integrity, ["ok"], "{when}");
        for (what, query) in [
            (
                "open intents",
                "SELECT count(*) FROM intents WHERE closed_at IS NULL",
            ),
            (
                "open operations",
                "SELECT count(*) FROM operations WHERE state = 'open'",
            ),
            (
                "unfinished iterations",
                "SELECT count(*) FROM iterations WHERE outcome IS NULL",
            ),
            (
                "unfinished script runs",
                "SELECT count(*) FROM script_runs WHERE result IS NULL",
            ),
            (
                "worktrees that are not ready",
                "SELECT count(*) FROM sessions WHERE worktree_ready = 0",
            ),
            (
                "events without a session",
                "SELECT count(*) FROM pragma_foreign_key_check",
            ),
        ] {
            assert_eq!(self.count(query), 0, "{when}: {what}");
        }
    }

    /// Its branch is checked out in its directory or is rebased there, and every commit that was recorded is on the branch.
    fn assert_session_whole(&self, session: &Made, when: &str) {
        let worktree = self.repository.at(&session.worktree);
        let admin = PathBuf::from(worktree.git(&["rev-parse", "--absolute-git-dir"]));
        let branch = match std::fs::read_to_string(admin.join("rebase-merge/head-name")) {
            Ok(rebased) => rebased.trim().to_owned(),
            Err(_) => worktree.git(&["symbolic-ref", "HEAD"]),
        };
        assert_eq!(branch, format!("refs/heads/{}", session.branch), "{when}");
        let query = format!(
            "SELECT commits FROM iterations WHERE session = '{}'",
            session.id
        );
        for commits in self.column(&query) {
            let commits: Vec<String> = serde_json::from_str(&commits).unwrap();
            for commit in commits {
                let on_branch = ["merge-base", "--is-ancestor", &commit, &session.branch];
                assert!(
                    self.repository.try_git(&on_branch).status.success(),
                    "{when}: commit {commit} is not on {}",
                    session.branch
                );
            }
        }
        self.assert_transcripts_whole(session, when);
    }

    /// Every line of an output file is in the transcript.
    fn assert_transcripts_whole(&self, session: &Made, when: &str) {
        let query = format!(
            "SELECT number FROM iterations WHERE session = '{}'",
            session.id
        );
        let store = self.store();
        let mut statement = store.prepare(&query).unwrap();
        let numbers = statement.query_map([], |row| row.get::<_, i64>(0)).unwrap();
        for number in numbers.map(Result::unwrap) {
            let file = self.output_file(session, number);
            let lines = std::fs::read(&file).map_or(0, |bytes| last_told(&bytes));
            let last = self.count(&format!(
                "SELECT coalesce(max(line), 0) FROM transcript WHERE session = '{}' AND iteration = {number}",
                session.id
            ));
            assert_eq!(
                last,
                lines,
                "{when}: lines of {} in the store and on disk",
                file.display()
            );
        }
    }

    /// The raw output of an iteration.
    pub(crate) fn output_file(&self, session: &Made, number: i64) -> PathBuf {
        self.sandbox
            .data_dir()
            .join("output")
            .join(&session.id)
            .join(format!("{number}.jsonl"))
    }
}

/// Everything a program said and how it ended.
pub(crate) fn shown(output: &Output) -> String {
    format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// The number of the last line that becomes part of the transcript; the result is told apart from it.
fn last_told(output: &[u8]) -> i64 {
    let lines = output.split(|byte| *byte == b'\n').enumerate();
    let told = lines.filter(|(_, line)| !line.is_empty() && !is_result(line));
    told.last()
        .map_or(0, |(index, _)| i64::try_from(index + 1).unwrap())
}

fn is_result(line: &[u8]) -> bool {
    let value: Option<serde_json::Value> = serde_json::from_slice(line).ok();
    value.is_some_and(|value| value["type"] == "result")
}

fn collect_locks(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            if entry.file_name() != "objects" {
                collect_locks(&path, found);
            }
        } else if path
            .extension()
            .is_some_and(|extension| extension == "lock")
        {
            found.push(path);
        }
    }
}
