//! What the engine refuses or fails at, with a code for programs and a way out for people.

mod class;
mod own_ways;
mod words;

use std::path::PathBuf;

use orchestra_agents::AgentError;
use orchestra_config::ConfigError;
use orchestra_core::branch::{InvalidBranch, PatternError};
use orchestra_core::name::InvalidName;
use orchestra_core::{BranchName, Operation, SessionId, SessionName, SessionStatus};
use orchestra_git::{
    AdvanceError, CommitError, GitError, OpenError, PushError, SnapshotError, TrashError,
    WorktreeError,
};
use orchestra_process::ProcessError;
use orchestra_store::StoreError;

use crate::data::DataError;
use crate::environment::EnvironmentError;
use crate::files::FileError;
use crate::grant::GrantError;
use crate::landing::{CleanupError, DiskError, HistoryError, MergeError};
use crate::mcp::McpError;
use crate::project_commands::CommandError;
use crate::runtime::RuntimeError;
use crate::setup::SetupError;
use crate::slash::SlashError;
use crate::templates::TemplateError;

pub use class::ErrorClass;
pub(crate) use class::push_class;
use words::{
    busy_hint, busy_text, io_hint, loss_of, nothing_hint, rest_hint, script_hint, script_missing,
    state_text, trashed_text,
};

/// The engine could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Git failed or refused.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The repository cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A worktree cannot be made or changed.
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
    /// A commit cannot be made.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// Work cannot be kept or brought back.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// A branch cannot be moved.
    #[error(transparent)]
    Advance(#[from] AdvanceError),
    /// Work cannot land.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// Something cannot go into the trash or come out of it.
    #[error(transparent)]
    Trash(#[from] TrashError),
    /// A push did not take place.
    #[error(transparent)]
    Push(#[from] PushError),
    /// A session cannot be cleaned up.
    #[error(transparent)]
    Cleanup(#[from] CleanupError),
    /// A session cannot get what it should have for itself.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// A command of the settings does not run.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The agent of a session cannot be run as it should.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// Whoever asks may not do that.
    #[error(transparent)]
    Grant(#[from] GrantError),
    /// An MCP server cannot be used.
    #[error(transparent)]
    Mcp(#[from] McpError),
    /// A session is not set up.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A template cannot be used or kept.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// Data cannot be kept, exported or removed.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A file of a worktree cannot be shown or saved.
    #[error(transparent)]
    File(#[from] FileError),
    /// A slash command cannot be used.
    #[error(transparent)]
    Slash(#[from] SlashError),
    /// There is no space for a new session.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// Housekeeping is done one at a time.
    #[error("another gc runs")]
    GcRuns,
    /// Backups are made one at a time.
    #[error("a backup of the database is being made")]
    BackupRuns,
    /// The session's directory was cleaned up.
    #[error("{}", trashed_text(session, *is_deleted))]
    InTrash {
        /// Which session.
        session: SessionId,
        /// Its branch.
        branch: BranchName,
        /// Whether it is not even in the trash any more.
        is_deleted: bool,
    },
    /// Commits cannot be made anew.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// What an operation needs to be undone was removed after its time.
    #[error("`{operation}` of session {session} cannot be undone any more: its snapshot is gone")]
    SnapshotGone {
        /// Which session.
        session: SessionId,
        /// What was done.
        operation: String,
    },
    /// It was cut off before and has been finished since, so nothing is left to do.
    #[error("the {} was cut off before, and has been finished: {}", operation.kind, operation.summary)]
    FinishedBefore {
        /// What was done.
        operation: Box<Operation>,
    },
    /// The agent cannot be used.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// A workspace cannot be made or fetched from.
    #[error(transparent)]
    Workspace(#[from] orchestra_git::WorkspaceError),
    /// A program could not be run.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// The settings cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A name is not usable.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// A branch name is not usable.
    #[error(transparent)]
    Branch(#[from] InvalidBranch),
    /// A branch or folder pattern cannot be filled.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The file system refused.
    #[error("cannot {action}")]
    Io {
        /// What was tried, such as `write the output file`.
        action: String,
        /// Why it failed.
        #[source]
        source: std::io::Error,
    },
    /// No session fits.
    #[error("no session matches `{text}`")]
    SessionNotFound {
        /// What was asked for.
        text: String,
    },
    /// Several sessions fit.
    #[error("`{text}` matches {} sessions: {}", matches.len(), matches.join(", "))]
    SessionAmbiguous {
        /// What was asked for.
        text: String,
        /// Ids and names that fit.
        matches: Vec<String>,
    },
    /// The repository has a session with this name.
    #[error("the repository already has a session called `{name}` ({holder})")]
    NameTaken {
        /// The name.
        name: String,
        /// Who has it.
        holder: SessionId,
    },
    /// The name is the id of another session.
    #[error("`{holder}` is the id of another session (`{holder_name}`), so it cannot be a name")]
    NameIsId {
        /// Whose id it is.
        holder: SessionId,
        /// What that session is called.
        holder_name: SessionName,
    },
    /// A new branch or directory collides with a session's.
    #[error("{what} belongs to another session already")]
    Reserved {
        /// Which of the two.
        what: String,
    },
    /// The worktree is a session's.
    #[error("the worktree belongs to session {owner} (`{owner_name}`) already")]
    WorktreeTaken {
        /// Whose it is.
        owner: SessionId,
        /// What that session is called.
        owner_name: SessionName,
    },
    /// A session could neither be made nor taken back.
    #[error("session {session} stays half-made; {why}")]
    HalfMade {
        /// Which session.
        session: SessionId,
        /// What is left of it.
        why: String,
        /// Why it could not be made.
        #[source]
        cause: Box<Self>,
    },
    /// The database cannot be replaced while runners write to it.
    #[error("the damaged database cannot be replaced while an agent is at work: session {}", sessions.join(", "))]
    AtWork {
        /// The sessions.
        sessions: Vec<String>,
        /// The processes that hold their leases, as far as they can be seen.
        runners: Vec<u32>,
    },
    /// Nothing is where the repository is recorded.
    #[error("the repository {} is not there any more", root.display())]
    RepositoryMissing {
        /// Where it was.
        root: PathBuf,
    },
    /// The repository is recorded elsewhere, where nothing is any more.
    #[error("the repository {} was moved from {}, where its {sessions} session(s) are still recorded", to.display(), from.display())]
    RepositoryMoved {
        /// Where it was.
        from: PathBuf,
        /// Where it is.
        to: PathBuf,
        /// How many sessions it has.
        sessions: usize,
    },
    /// The repository is in a state in which no session can start.
    #[error("cannot start a session in {}: {reason}", root.display())]
    RepositoryUnusable {
        /// The repository.
        root: PathBuf,
        /// Why.
        reason: String,
        /// The way out.
        way_out: String,
    },
    /// Something works on the session.
    #[error("{}", busy_text(session, *status, script.as_deref()))]
    Busy {
        /// Which session.
        session: SessionId,
        /// What it does.
        status: SessionStatus,
        /// The script that somebody started by hand and that runs.
        script: Option<String>,
    },
    /// The session's state does not allow it.
    #[error("the session {session} {}; {why}", state_text(*status))]
    WrongState {
        /// Which session.
        session: SessionId,
        /// Its status.
        status: SessionStatus,
        /// Why that does not fit.
        why: &'static str,
        /// The way out.
        way_out: String,
    },
    /// The session's directory is gone.
    #[error("the directory of session {session} {}: {}", loss_of(worktree), worktree.display())]
    WorktreeMissing {
        /// Which session.
        session: SessionId,
        /// Where it should be.
        worktree: PathBuf,
    },
    /// No window can be opened.
    #[error("{problem}")]
    NoWindow {
        /// Why not.
        problem: String,
        /// The way out.
        way_out: String,
    },
    /// Something of the session is left, so its records must not go.
    #[error("the session {session} is not forgotten: {left} is there")]
    StillThere {
        /// Which session.
        session: SessionId,
        /// What is left of it.
        left: String,
    },
    /// The session's directory has something else checked out.
    #[error("the worktree of session {session} has {found} checked out instead of `{branch}`")]
    OtherBranch {
        /// Which session.
        session: SessionId,
        /// Its directory.
        worktree: PathBuf,
        /// Its branch.
        branch: BranchName,
        /// What is checked out, in words.
        found: String,
    },
    /// The session's own branch does not exist, or has another name.
    #[error("the session {session} cannot go on: {problem}")]
    BranchGone {
        /// Which session.
        session: SessionId,
        /// What became of it, in words.
        problem: String,
        /// The way out.
        way_out: String,
    },
    /// There is nothing to commit.
    #[error("the session {session} has no changes to commit")]
    NothingToCommit {
        /// Which session.
        session: SessionId,
        /// Repositories inside its worktree, which are never committed.
        nested: Vec<PathBuf>,
    },
    /// The session has no such script.
    #[error("{}", script_missing(name.as_deref()))]
    ScriptMissing {
        /// The name; `None` if none was given and the session has no script of its own.
        name: Option<String>,
        /// Names that exist.
        known: Vec<String>,
        /// The session, if it has a script of its own.
        own: Option<SessionId>,
    },
    /// The session has no such iteration.
    #[error("the session {session} has no iteration {number}")]
    IterationMissing {
        /// Which session.
        session: SessionId,
        /// The number asked for.
        number: u32,
    },
    /// The runner ended before it took over.
    #[error("the runner did not start: {detail}")]
    RunnerFailed {
        /// The end of its log.
        detail: String,
    },
    /// The records do not fit together.
    #[error("the records do not fit together: {problem}")]
    Records {
        /// What is wrong.
        problem: String,
    },
    /// Something the user gave cannot be used.
    #[error("{problem}")]
    Invalid {
        /// What is wrong.
        problem: String,
        /// The way out.
        way_out: Option<String>,
    },
}

impl EngineError {
    /// Wraps a failure of the file system.
    pub(crate) fn io(action: impl Into<String>, source: std::io::Error) -> Self {
        Self::Io {
            action: action.into(),
            source,
        }
    }

    /// A stable code for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Store(error) => error.code(),
            Self::Git(error) => error.code(),
            Self::Open(error) => error.code(),
            Self::Worktree(error) => error.code(),
            Self::Commit(error) => error.code(),
            Self::Snapshot(error) => error.code(),
            Self::Advance(error) => error.code(),
            Self::Merge(error) => error.code(),
            Self::Trash(error) => error.code(),
            Self::Push(error) => error.code(),
            Self::Cleanup(error) => error.code(),
            Self::Environment(error) => error.code(),
            Self::Command(error) => error.code(),
            Self::Runtime(error) => error.code(),
            Self::Grant(error) => error.code(),
            Self::Mcp(error) => error.code(),
            Self::Setup(error) => error.code(),
            Self::Template(error) => error.code(),
            Self::Slash(error) => error.code(),
            Self::Data(error) => error.code(),
            Self::File(error) => error.code(),
            Self::Disk(error) => error.code(),
            Self::GcRuns => "gc.running",
            Self::BackupRuns => "backup.running",
            Self::InTrash { .. } => "worktree.in_trash",
            Self::History(error) => error.code(),
            Self::SnapshotGone { .. } => "operation.snapshot_gone",
            Self::FinishedBefore { .. } => "operation.finished_before",
            Self::Agent(error) => error.code(),
            Self::Process(error) => error.code(),
            Self::Workspace(error) => error.code(),
            Self::Config(error) => error.code(),
            Self::Name(_) => "session.invalid_name",
            Self::Branch(_) => "branch.invalid_name",
            Self::Pattern(_) => "branch.invalid_pattern",
            Self::Io { .. } => "io.failed",
            Self::SessionNotFound { .. } => "session.not_found",
            Self::SessionAmbiguous { .. } => "session.ambiguous",
            Self::NameTaken { .. } => "session.name_taken",
            Self::NameIsId { .. } => "session.name_is_id",
            Self::Reserved { .. } | Self::WorktreeTaken { .. } => "session.reserved",
            Self::HalfMade { .. } => "session.half_made",
            Self::AtWork { .. } => "store.in_use",
            Self::RepositoryMissing { .. } => "repository.missing",
            Self::RepositoryMoved { .. } => "repository.moved",
            Self::RepositoryUnusable { .. } => "repository.unusable",
            Self::Busy { .. } => "session.busy",
            Self::WrongState { .. } => "session.wrong_state",
            Self::WorktreeMissing { .. } => "worktree.missing",
            Self::NoWindow { .. } => "window.unavailable",
            Self::StillThere { .. } => "session.still_there",
            Self::OtherBranch { .. } => "worktree.other_branch",
            Self::BranchGone { .. } => "session.branch_gone",
            Self::NothingToCommit { .. } => "commit.nothing",
            Self::ScriptMissing { .. } => "script.missing",
            Self::IterationMissing { .. } => "iteration.missing",
            Self::RunnerFailed { .. } => "runner.failed",
            Self::Records { .. } => "store.inconsistent",
            Self::Invalid { .. } => "input.invalid",
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Store(error) => error.hint(),
            Self::Git(error) => error.hint(),
            Self::Open(error) => own_ways::of_open(error),
            Self::Worktree(error) => error.hint(),
            Self::Commit(error) => own_ways::of_commit(error),
            Self::Snapshot(error) => error.hint(),
            Self::Advance(error) => error.hint(),
            Self::Merge(error) => error.hint(),
            Self::Trash(error) => own_ways::of_trash(error),
            Self::Push(error) => own_ways::of_push(error),
            Self::Cleanup(error) => error.hint(),
            Self::Environment(error) => Some(error.hint()),
            Self::Command(error) => Some(error.hint()),
            Self::Runtime(error) => Some(error.hint()),
            Self::Grant(error) => Some(error.hint()),
            Self::Mcp(error) => Some(error.hint()),
            Self::Setup(error) => Some(error.hint()),
            Self::Template(error) => Some(error.hint()),
            Self::Slash(error) => Some(error.hint()),
            Self::Data(error) => Some(error.hint()),
            Self::File(error) => Some(error.hint()),
            Self::Disk(error) => Some(error.hint()),
            Self::GcRuns | Self::BackupRuns => Some("try again when it is done".to_owned()),
            Self::InTrash { session, is_deleted: false, .. } => Some(format!("bring it back with `orchestra trash restore {session}`")),
            Self::InTrash { branch, is_deleted: true, .. } => Some(format!("if its branch still exists, it has the commits: git log {branch}")),
            Self::History(error) => error.hint(),
            Self::SnapshotGone { session, .. } => Some(format!("`orchestra session operations {session}` shows what was done; `git reflog` knows the commits for a while")),
            Self::FinishedBefore { operation } => {
                let id = &operation.session;
                Some(format!("`orchestra session undo {id}` takes it back"))
            }
            Self::Agent(error) => error.hint(),
            Self::Process(error) => error.hint(),
            Self::Workspace(error) => error.hint(),
            Self::Config(error) => error.hint(),
            Self::Name(_) => Some("choose one line of at most 120 characters".to_owned()),
            Self::Branch(_) => Some("use letters, digits, dashes, full stops and slashes".to_owned()),
            Self::Pattern(PatternError::IssueMissing(_)) => {
                Some("give it one with --issue <issue>".to_owned())
            }
            Self::Pattern(_) => Some(
                "patterns know {slug}, {timestamp}, {id} and {issue}; see git.branch_pattern in `orchestra config list`".to_owned(),
            ),
            Self::Io { source, .. } => io_hint(source),
            Self::SessionNotFound { .. } => {
                Some("`orchestra session list --all` shows every session; an id, a unique prefix or a name is taken, of another repository's at least four letters of the id".to_owned())
            }
            Self::SessionAmbiguous { .. } => Some(
                "give more characters of the id, or rename one with `orchestra session set <id> name \"...\"`".to_owned(),
            ),
            Self::NameTaken { .. } => Some("choose another --name, or rename the other one with `orchestra session set`".to_owned()),
            Self::NameIsId { .. } => Some("choose another name".to_owned()),
            Self::Reserved { .. } => Some("`orchestra worktree list` shows which one; else choose another --name or --branch".to_owned()),
            Self::WorktreeTaken { owner, .. } => Some(format!("`orchestra session status {owner}` shows it")),
            Self::HalfMade { .. } => {
                Some("`orchestra doctor --fix` finishes it or takes it back".to_owned())
            }
            Self::AtWork { runners, .. } => Some(rest_hint(runners)),
            Self::RepositoryMissing { .. } => Some(
                "if it was moved, run `orchestra doctor --fix` in its new place: its sessions come along; \
                 if it is gone for good, `orchestra session forget <session>` forgets them"
                    .to_owned(),
            ),
            Self::RepositoryMoved { .. } => {
                Some("`orchestra doctor --fix` in the new place brings them along".to_owned())
            }
            Self::RepositoryUnusable { way_out, .. }
            | Self::WrongState { way_out, .. }
            | Self::NoWindow { way_out, .. }
            | Self::BranchGone { way_out, .. } => Some(way_out.clone()),
            Self::Busy { session, status, .. } => Some(busy_hint(session, *status)),
            Self::WorktreeMissing { session, .. } => Some(format!(
                "if you moved it: `orchestra session set {session} worktree <directory>`; else `orchestra doctor` shows what is \
                 left of it and what can be done"
            )),
            Self::StillThere { session, .. } => Some(format!(
                "`orchestra session archive {session}` puts it away; only a session of which nothing is left can be forgotten"
            )),
            Self::OtherBranch { worktree, branch, .. } => Some(format!(
                "go back with `git -C '{}' switch {branch}`",
                worktree.display()
            )),
            Self::NothingToCommit { session, nested } => Some(nothing_hint(session, nested)),
            Self::ScriptMissing { known, own, .. } => Some(script_hint(known, own.as_ref())),
            Self::IterationMissing { session, .. } => Some(format!("`orchestra session log {session}` lists them")),
            Self::RunnerFailed { .. } => Some("nothing was changed; `orchestra doctor` may tell more".to_owned()),
            Self::Records { .. } => Some("`orchestra doctor` looks at the database and its backups".to_owned()),
            Self::Invalid { way_out, .. } => way_out.clone(),
        }
    }
}
