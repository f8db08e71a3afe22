//! Iterations, script runs, commits and changed files on the wire.

use std::path::PathBuf;

use orchestra_core::{
    Cost, FailureCause, IsolationRecord, OffBranch, Parked, Progress, SessionId, Timestamp, Usage,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{Call, ErrorBody, Server, Session};

/// An iteration.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Iteration {
    /// Its number within the session.
    pub number: u32,
    /// `queued`, `running`, `blocked`, `evaluating` or `finished`.
    pub state: &'static str,
    /// Until when it waits for its agent's provider, and which retry comes then; `null` if it does not.
    pub parked: Option<Parked>,
    /// How it ended: `succeeded`, `awaiting_input`, `blocked`, `stopped`, `failed` or `interrupted`.
    pub outcome: Option<&'static str>,
    /// Why it did not succeed.
    pub cause: Option<FailureCause>,
    /// The failure in words.
    pub message: Option<String>,
    /// The agent's closing words or its question.
    pub summary: Option<String>,
    /// What the user added for this run.
    pub input: Option<String>,
    /// When it was asked for.
    pub queued_at: Timestamp,
    /// When the agent was started.
    pub started_at: Option<Timestamp>,
    /// When it was over.
    pub finished_at: Option<Timestamp>,
    /// From start to end.
    pub duration_ms: Option<i64>,
    /// The agent's conversation.
    pub thread: Option<String>,
    /// The model, where known.
    pub model: Option<String>,
    /// Tokens, where known.
    pub usage: Option<Usage>,
    /// Cost, where known.
    pub cost: Option<Cost>,
    /// The commit before it.
    pub head_before: Option<String>,
    /// The commit after it.
    pub head_after: Option<String>,
    /// Commits it made on the session's branch, oldest first.
    pub commits: Vec<String>,
    /// What it left checked out instead of the session's branch.
    pub off_branch: Option<OffBranch>,
    /// What kept its agent within the worktree, or told what changed outside of it; `null` if it did not start.
    pub isolation: Option<IsolationRecord>,
    /// Files it changed, committed or not.
    pub files_changed: Option<u32>,
    /// Whether the script passed, when one ran.
    pub script_passed: Option<bool>,
}

impl From<&orchestra_core::Iteration> for Iteration {
    fn from(iteration: &orchestra_core::Iteration) -> Self {
        let (state, outcome) = match iteration.progress {
            Progress::Queued => ("queued", None),
            Progress::Agent | Progress::Commit => ("running", None),
            Progress::Parked(_) => ("blocked", None),
            Progress::Script => ("evaluating", None),
            Progress::Finished(outcome) => ("finished", Some(outcome)),
        };
        let parked = match iteration.progress {
            Progress::Parked(parked) => Some(parked),
            _ => None,
        };
        let span = iteration.started_at.zip(iteration.finished_at);
        Self {
            number: iteration.number.0,
            state,
            parked,
            outcome: outcome.map(|outcome| outcome.name()),
            cause: outcome.and_then(|outcome| outcome.cause()),
            message: iteration.message.clone(),
            summary: iteration.summary.clone(),
            input: iteration.input.clone(),
            queued_at: iteration.queued_at,
            started_at: iteration.started_at,
            finished_at: iteration.finished_at,
            duration_ms: span.map(|(start, end)| end.as_millisecond() - start.as_millisecond()),
            thread: iteration.thread.clone(),
            model: iteration.model.clone(),
            usage: iteration.usage,
            cost: iteration.cost,
            head_before: iteration.head_before.as_ref().map(ToString::to_string),
            head_after: iteration.head_after.as_ref().map(ToString::to_string),
            commits: iteration.commits.iter().map(ToString::to_string).collect(),
            off_branch: iteration.off_branch.clone(),
            isolation: iteration.isolation.clone(),
            files_changed: iteration.files_changed,
            script_passed: iteration.script_passed,
        }
    }
}

/// A line that an agent wrote, redacted. A line of more than 1 MiB comes in several of these.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct OutputLine {
    /// The iteration.
    pub iteration: u32,
    /// `stdout` or `stderr`.
    pub stream: &'static str,
    /// Its number within the stream, counted from 1. In `stdout`, the end of each try counts as a line.
    pub line: u64,
    /// The line, without its line break; `null` if it is no UTF-8.
    pub text: Option<String>,
    /// The same bytes as base64, if they are no UTF-8.
    pub base64: Option<String>,
    /// Whether a line break follows. If not, the line goes on in the next of these, or was cut off there.
    pub ends_line: bool,
}

/// A run of a script.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ScriptRun {
    /// Its key.
    pub id: i64,
    /// Its session.
    pub session_id: SessionId,
    /// The iteration it belongs to.
    pub iteration: Option<u32>,
    /// The script's name.
    pub script: String,
    /// The command line.
    pub command: String,
    /// When it was started.
    pub started_at: Timestamp,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// `running`, `passed`, `failed`, `timed_out`, `output_limit`, `stopped`, `interrupted` or `not_allowed`.
    pub state: &'static str,
    /// The exit code, if it ended by itself.
    pub exit_code: Option<i32>,
    /// The commit whose files it ran on; `null` if some were changed, or it ran elsewhere.
    pub commit: Option<String>,
    /// The file that has its output.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub log: PathBuf,
    /// What is known of it because it is a server; `null` if it is a script that comes to an end.
    pub server: Option<Server>,
    /// Why it could not be run, took too long or was ended by a signal; `null` if there is nothing of that kind to tell.
    pub problem: Option<ErrorBody>,
}

impl ScriptRun {
    /// Puts a script run together with its log file.
    #[must_use]
    pub fn new(run: &orchestra_core::ScriptRun, log: PathBuf) -> Self {
        use orchestra_core::ScriptResult;
        let state = match run.finished.map(|end| end.result) {
            None => "running",
            Some(ScriptResult::Exited(0)) => "passed",
            Some(
                ScriptResult::Exited(_) | ScriptResult::Signalled(_) | ScriptResult::Unrunnable,
            ) => "failed",
            Some(ScriptResult::TimedOut) => "timed_out",
            Some(ScriptResult::OutputLimit) => "output_limit",
            Some(ScriptResult::Stopped) => "stopped",
            Some(ScriptResult::Interrupted) => "interrupted",
            Some(ScriptResult::NotAllowed) => "not_allowed",
        };
        Self {
            id: run.key,
            session_id: run.session.clone(),
            iteration: run.iteration.map(|number| number.0),
            script: run.script.clone(),
            command: run.command.clone(),
            started_at: run.started_at,
            finished_at: run.finished.map(|end| end.at),
            state,
            exit_code: run.finished.and_then(|end| end.result.exit_code()),
            commit: run.commit.as_ref().map(ToString::to_string),
            log,
            server: Server::of(run),
            problem: run
                .problem
                .as_deref()
                .map(ErrorBody::from)
                .or_else(|| signal_of(run)),
        }
    }
}

/// The signal that ended a run, which it has instead of an exit code. The end of a guardian is the end of its server.
fn signal_of(run: &orchestra_core::ScriptRun) -> Option<ErrorBody> {
    let orchestra_core::ScriptResult::Signalled(signal) = run.finished?.result else {
        return None;
    };
    let ended = match run.server {
        Some(_) => "it or its guardian",
        None => "it",
    };
    Some(ErrorBody {
        code: "script.signalled".to_owned(),
        message: format!("signal {signal} ended {ended}"),
        hint: None,
    })
}

/// A changed file.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FileChange {
    /// Where it is, below the worktree; bytes that are no text are replaced.
    pub path: String,
    /// Where it was before, if it was renamed or copied.
    pub original: Option<String>,
    /// `A`, `M`, `D`, `R`, `C` or `T`.
    pub kind: char,
    /// Lines added; `null` for a binary file.
    pub insertions: Option<u64>,
    /// Lines removed; `null` for a binary file.
    pub deletions: Option<u64>,
}

/// A commit.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Commit {
    /// All hex digits.
    pub id: String,
    /// The first digits.
    pub short: String,
    /// The first line of its message.
    pub subject: String,
    /// Who wrote it.
    pub author: String,
    /// When.
    pub at: Timestamp,
    /// What it changed.
    pub files: Vec<FileChange>,
}

/// A session's history.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SessionLog {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// Commits since the base, newest first.
    pub commits: Vec<Commit>,
    /// Iterations, oldest first.
    pub iterations: Vec<Iteration>,
    /// Script runs, oldest first.
    pub script_runs: Vec<ScriptRun>,
    /// What others than the user asked for, oldest first; absent if there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
}

/// What changed in a session.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SessionDiff {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// The files.
    pub files: Vec<FileDiff>,
}

/// A changed file, with its patch where that was asked for.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FileDiff {
    /// Where it is, below the worktree; bytes that are no text are replaced.
    pub path: String,
    /// Where it was before, if it was renamed or copied.
    pub original: Option<String>,
    /// `A`, `M`, `D`, `R`, `C` or `T`.
    pub kind: char,
    /// Lines added; `null` for a binary file.
    pub insertions: Option<u64>,
    /// Lines removed; `null` for a binary file.
    pub deletions: Option<u64>,
    /// The patch as git writes it, bytes that are no text replaced; `null` if it was not asked for, or is too large.
    pub patch: Option<String>,
    /// Whether a patch was asked for and left out: it has more than 1 MiB, or came after 32 MiB of others.
    pub patch_too_large: bool,
}

impl FileDiff {
    /// A file without its patch.
    #[must_use]
    pub fn without_patch(change: FileChange) -> Self {
        Self {
            path: change.path,
            original: change.original,
            kind: change.kind,
            insertions: change.insertions,
            deletions: change.deletions,
            patch: None,
            patch_too_large: false,
        }
    }
}
