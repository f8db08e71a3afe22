//! What is recorded of iterations and script runs.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::status::{IterationFacts, Outcome, Phase};
use crate::{
    BranchName, CommitId, Cost, IsolationRecord, IterationNumber, Parked, ServerFacts, SessionId,
    Timestamp, Usage,
};

/// One agent run in a session: run, commit, script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Iteration {
    /// Its key in the store.
    pub key: i64,
    /// Its session.
    pub session: SessionId,
    /// Its number within the session.
    pub number: IterationNumber,
    /// What the user added for this run: notes, or the answer to a question.
    pub input: Option<String>,
    /// Whether the changes are committed.
    pub commit: bool,
    /// How far it came and how it ended.
    pub progress: Progress,
    /// The failure in words.
    pub message: Option<String>,
    /// The agent's closing words or its question.
    pub summary: Option<String>,
    /// When it was asked for.
    pub queued_at: Timestamp,
    /// When the agent was started.
    pub started_at: Option<Timestamp>,
    /// When it was over.
    pub finished_at: Option<Timestamp>,
    /// The commit before it.
    pub head_before: Option<CommitId>,
    /// The commit after it.
    pub head_after: Option<CommitId>,
    /// The agent's conversation.
    pub thread: Option<String>,
    /// The model, where known.
    pub model: Option<String>,
    /// Tokens, where known.
    pub usage: Option<Usage>,
    /// Cost, where known.
    pub cost: Option<Cost>,
    /// Commits made by it, oldest first.
    pub commits: Vec<CommitId>,
    /// Files it changed.
    pub files_changed: Option<u32>,
    /// Whether the script passed, when one ran.
    pub script_passed: Option<bool>,
    /// Who runs it.
    pub runner: Option<Runner>,
    /// What it left checked out instead of the session's branch.
    pub off_branch: Option<OffBranch>,
    /// What kept its agent within the worktree, or told that it did not stay there.
    pub isolation: Option<IsolationRecord>,
}

/// Another branch than the session's, or none, is checked out in its worktree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct OffBranch {
    /// The branch; `None` for a commit without one.
    pub branch: Option<BranchName>,
    /// How many commits it has that the session's branch has not.
    pub commits: u32,
}

/// How far an iteration came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It waits for a slot.
    Queued,
    /// The agent works.
    Agent,
    /// The agent's provider is overloaded: its turn is tried again later.
    Parked(Parked),
    /// Its changes are being committed.
    Commit,
    /// The script runs.
    Script,
    /// It is over.
    Finished(Outcome),
}

impl Progress {
    /// Whether it is over.
    #[must_use]
    pub const fn is_finished(self) -> bool {
        matches!(self, Self::Finished(_))
    }
}

impl Iteration {
    /// What the status is derived from.
    #[must_use]
    pub const fn facts(&self) -> IterationFacts {
        IterationFacts {
            phase: match self.progress {
                Progress::Queued => Phase::Queued,
                Progress::Agent | Progress::Commit => Phase::Running,
                Progress::Parked(_) => Phase::Parked,
                Progress::Script => Phase::Evaluating,
                Progress::Finished(outcome) => Phase::Finished(outcome),
            },
        }
    }
}

/// The process that runs an iteration; the start time tells it from another process with the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct Runner {
    /// Process id.
    pub pid: u32,
    /// Start time as the system counts it.
    pub started: u64,
}

/// One run of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptRun {
    /// Its key in the store.
    pub key: i64,
    /// Its session.
    pub session: SessionId,
    /// The iteration it belongs to, if it was not asked for by hand.
    pub iteration: Option<IterationNumber>,
    /// The script's name.
    pub script: String,
    /// The command line.
    pub command: String,
    /// When it was started.
    pub started_at: Timestamp,
    /// When it ended, and how.
    pub finished: Option<ScriptEnd>,
    /// Who runs it.
    pub runner: Option<Runner>,
    /// The commit whose files it ran on; `None` if some were changed, or it ran elsewhere.
    pub commit: Option<CommitId>,
    /// What is known of it because it is a server; `None` if it is a script that comes to an end.
    pub server: Option<Box<ServerFacts>>,
    /// Why it did not come to an end of its own, if anybody can tell.
    pub problem: Option<Box<RunProblem>>,
}

/// Why a run did not come to an end of its own, in the words of an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct RunProblem {
    /// A stable code for programs.
    pub code: String,
    /// What went wrong.
    pub message: String,
    /// What the user can do next.
    pub hint: Option<String>,
}

impl ScriptRun {
    /// Whether it ended well.
    #[must_use]
    pub fn has_passed(&self) -> bool {
        self.finished.is_some_and(|end| end.result.passed())
    }
}

/// How a session's own script is called; the scripts of the repository have names of their own.
pub const SESSION_SCRIPT: &str = "script";

/// How a script run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScriptEnd {
    /// When.
    pub at: Timestamp,
    /// The result.
    pub result: ScriptResult,
}

/// The result of a script run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "value")]
pub enum ScriptResult {
    /// It ended by itself.
    Exited(i32),
    /// A signal ended it.
    Signalled(i32),
    /// It ran longer than allowed.
    TimedOut,
    /// It printed more than allowed.
    OutputLimit,
    /// The user stopped it.
    Stopped,
    /// What ran it died.
    Interrupted,
    /// It was not run: the user has not allowed it.
    NotAllowed,
    /// It could not be run: what it needs is missing or not right.
    Unrunnable,
}

impl ScriptResult {
    /// Whether the script passed: exit code 0.
    #[must_use]
    pub const fn passed(self) -> bool {
        matches!(self, Self::Exited(0))
    }

    /// The exit code, if it ended by itself.
    #[must_use]
    pub const fn exit_code(self) -> Option<i32> {
        match self {
            Self::Exited(code) => Some(code),
            Self::Signalled(_)
            | Self::TimedOut
            | Self::OutputLimit
            | Self::Stopped
            | Self::Interrupted
            | Self::NotAllowed
            | Self::Unrunnable => None,
        }
    }
}
