//! Sessions on the wire.

use std::path::PathBuf;

use orchestra_core::{
    Budget, Caller, Cost, GitFacts, Isolation, OtherCheckout, PermissionPolicy, Repository,
    RuntimeWishes, SessionId, SessionStatus, SetupState, Timestamp, Usage,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    Approval, Artifact, Database, DiskUse, FileChange, Iteration, PortLease, PushState, Question,
    ScriptRun,
};

/// A session.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Session {
    /// Six characters.
    pub id: SessionId,
    /// Unique within the repository.
    pub name: String,
    /// What the agent is asked to do.
    pub prompt: String,
    /// What the user wants to remember.
    pub notes: Option<String>,
    /// What the agent must keep to.
    pub constraints: Option<String>,
    /// The issue it belongs to.
    pub issue: Option<String>,
    /// The top directory of the repository's main checkout.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub repo_root: PathBuf,
    /// The branch it started from and lands on.
    pub base_branch: String,
    /// The remote whose branch it started from; `null` if it was the local one.
    pub base_remote: Option<String>,
    /// The commit it started from.
    pub base_commit: String,
    /// Its own branch.
    pub branch_name: String,
    /// Its directory.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub worktree_path: PathBuf,
    /// The derived status.
    pub status: SessionStatus,
    /// Whether it cannot go on without the user.
    pub needs_me: bool,
    /// The agent.
    pub agent: String,
    /// The model asked for.
    pub model: Option<String>,
    /// The command that runs after each iteration.
    pub script_command: Option<String>,
    /// How long one iteration may take, in milliseconds; 0 means no limit, absent what the setting says.
    pub timeout_ms: Option<u64>,
    /// What happens when the agent wants to use a tool: `allow`, `rules` or `ask`; `null` what the setting says.
    pub permissions: Option<PermissionPolicy>,
    /// Its own rules for that, which come before those of the settings.
    pub rules: Vec<String>,
    /// How its agent is run, as far as the session itself says it.
    pub runtime: RuntimeWishes,
    /// Who made it, such as `mcp:claude`; absent if it was the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made_by: Option<Caller>,
    /// What its agent wants to do and the user has to decide.
    pub questions: Vec<Question>,
    /// The agent's conversation.
    pub thread: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When the last iteration was started.
    pub last_run: Option<Timestamp>,
    /// When it was put away.
    pub archived_at: Option<Timestamp>,
    /// When its work became part of the base.
    pub landed_at: Option<Timestamp>,
    /// The branch that has it since then.
    pub landed_into: Option<String>,
    /// The commit that brought it there.
    pub landed_commit: Option<String>,
    /// Whether that branch still has it; `null` if it did not land or nobody looked.
    pub landed_is_there: Option<bool>,
    /// Whether its worktree lies in the trash.
    pub in_trash: bool,
    /// When its worktree was deleted for good, after it lay there.
    pub worktree_deleted_at: Option<Timestamp>,
    /// The branch's commit when git was last asked.
    pub head: Option<String>,
    /// Commits that what it started from does not have.
    pub ahead: Option<u32>,
    /// Commits of what it started from that the branch does not have.
    pub behind: Option<u32>,
    /// Whether the directory has uncommitted changes.
    pub dirty: Option<bool>,
    /// What the directory has checked out instead of its branch, or that the branch is gone; `null` if all is well, an agent
    /// is at work or it cannot be told.
    pub other_checkout: Option<OtherCheckout>,
    /// When all of these were last asked for; `null` if never.
    pub checked_at: Option<Timestamp>,
    /// The space its worktree takes; `null` if it was never counted.
    pub disk: Option<DiskUse>,
    /// The newest iteration.
    pub last_iteration: Option<Iteration>,
    /// The script that was started by hand and runs now.
    pub script_run: Option<ScriptRun>,
    /// The newest run of each of its servers, by name.
    pub servers: Vec<ScriptRun>,
    /// How its set-up stands: `none`, `running`, `passed`, `failed`, `interrupted`, `not_allowed`, `torn_down`, `cleared` or
    /// `outdated`.
    pub setup: &'static str,
    /// The newest run of its set-up.
    pub setup_run: Option<ScriptRun>,
}

impl Session {
    /// Puts a session together from what is recorded and derived.
    #[must_use]
    pub fn new(
        session: &orchestra_core::Session,
        repository: &Repository,
        status: SessionStatus,
        needs_me: bool,
        iteration: Option<&orchestra_core::Iteration>,
        git: Option<&GitFacts>,
    ) -> Self {
        Self {
            id: session.id.clone(),
            name: session.name.to_string(),
            prompt: session.prompt.clone(),
            notes: session.notes.clone(),
            constraints: session.constraints.clone(),
            issue: session.issue.clone(),
            repo_root: repository.root.clone(),
            base_branch: session.base_branch.to_string(),
            base_remote: session.base_remote.as_ref().map(ToString::to_string),
            base_commit: session.base_commit.to_string(),
            branch_name: session.branch.to_string(),
            worktree_path: session.worktree.clone(),
            status,
            needs_me,
            agent: session.agent.clone(),
            model: session.model.clone(),
            script_command: session.script.clone(),
            timeout_ms: session
                .timeout
                .and_then(|timeout| u64::try_from(timeout.as_millis()).ok()),
            permissions: session.permissions,
            rules: session.rules.iter().map(ToString::to_string).collect(),
            runtime: session.runtime.clone(),
            made_by: session.made_by.clone(),
            questions: Vec::new(),
            thread: session.thread.clone(),
            created_at: session.created_at,
            last_run: session.last_run,
            archived_at: session.archived_at,
            landed_at: session.landed.as_ref().map(|landed| landed.at),
            landed_into: session
                .landed
                .as_ref()
                .map(|landed| landed.into.to_string()),
            landed_commit: session
                .landed
                .as_ref()
                .map(|landed| landed.commit.to_string()),
            landed_is_there: landed_is_there(session, git),
            in_trash: session.trash.is_some() && session.worktree_deleted_at.is_none(),
            worktree_deleted_at: session.worktree_deleted_at,
            head: git
                .and_then(|facts| facts.head.as_ref())
                .map(ToString::to_string),
            ahead: git.and_then(|facts| facts.ahead),
            behind: git.and_then(|facts| facts.behind),
            dirty: git.and_then(|facts| facts.dirty),
            checked_at: git.map(|facts| facts.checked_at),
            other_checkout: None,
            disk: None,
            last_iteration: iteration.map(Iteration::from),
            script_run: None,
            servers: Vec::new(),
            setup: SetupState::None.name(),
            setup_run: None,
        }
    }
}

fn landed_is_there(session: &orchestra_core::Session, git: Option<&GitFacts>) -> Option<bool> {
    let commit = &session.landed.as_ref()?.commit;
    let fact = git?.landed.as_ref()?;
    (fact.commit == *commit).then_some(fact.is_there)
}

/// Sessions, and the number of the event log they are true at.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SessionList {
    /// The newest event they include.
    pub seq: u64,
    /// The sessions, newest first.
    pub sessions: Vec<Session>,
}

/// A page of sessions, and the number of the event log they are true at.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SessionPage {
    /// The newest event they include.
    pub seq: u64,
    /// How many sessions fit, on all pages.
    pub total: usize,
    /// The cursor of the next page; `null` if this is the last one.
    pub next: Option<String>,
    /// The sessions.
    pub sessions: Vec<Session>,
}

/// A session that was looked at, changed or waited for.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SessionAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
}

/// A session that is recorded no more.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Forgotten {
    /// The event that says so.
    pub seq: u64,
    /// The id it had.
    pub id: SessionId,
    /// The name it had; free again.
    pub name: String,
    /// Directories with its output, its snapshots and what it had for itself, which stay.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub left: Vec<PathBuf>,
    /// Databases that are perhaps still there, and that nobody knows of any more.
    pub databases: Vec<Database>,
}

/// A session with what is uncommitted in its directory.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SessionDetail {
    /// What is done about an agent that leaves its worktree.
    pub isolation: Isolation,
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// Files that differ from the base; `null` if git could not be asked.
    pub changes: Option<Vec<FileChange>>,
    /// The same branch on its remote; `null` if no remote is known to have it.
    pub pushed: Option<PushState>,
    /// Ports it has for itself.
    pub ports: Vec<PortLease>,
    /// Databases it has for itself.
    pub databases: Vec<Database>,
    /// Files that were collected from its worktree, by name.
    pub artifacts: Vec<Artifact>,
    /// Who approved the work; `null` if nobody did.
    pub approval: Option<Approval>,
    /// Whether what was approved is what the session has now; `null` if that cannot be told.
    pub approval_counts: Option<bool>,
    /// The last run of `commands.after_merge` since it landed; `null` if there is none.
    pub after_merge: Option<ScriptRun>,
    /// What it may use, and has used; `null` if nothing limits it.
    pub budget: Option<BudgetUse>,
}

/// A budget, and what was used of it as far as that is known.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct BudgetUse {
    /// What all iterations together may use, as `--budget` takes it.
    pub allowed: Budget,
    /// What they cost so far; `null` if nobody knows.
    pub cost: Option<Cost>,
    /// The tokens they used so far; `null` if nobody knows.
    pub usage: Option<Usage>,
}

/// A session that was created.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Created {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// Where it starts, in words.
    pub base_note: Option<String>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// An iteration that was started, followed or asked to stop.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IterationAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// The iteration.
    pub iteration: Iteration,
}

/// The iterations of a session.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IterationList {
    /// The newest event they include.
    pub seq: u64,
    /// The session's id.
    pub session_id: SessionId,
    /// The iterations, oldest first.
    pub iterations: Vec<Iteration>,
}

/// A session, and what goes on in it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct WorkAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// The iteration, if it is one.
    pub iteration: Option<Iteration>,
    /// The run of a script, if it is one.
    pub script_run: Option<ScriptRun>,
}

/// A script that was started, followed or asked to stop.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ScriptAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// The run of the script.
    pub script_run: ScriptRun,
}

/// Changes that were committed by hand.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Committed {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// The commit.
    pub commit: String,
    /// What it changed.
    pub files: Vec<FileChange>,
    /// Repositories inside the worktree, which were left out.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub left_out: Vec<PathBuf>,
    /// What stays uncommitted, those repositories too.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub uncommitted: Vec<PathBuf>,
}

/// Changes that were thrown away.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Discarded {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// How many files were put back or removed.
    pub files: usize,
    /// A patch that brings them back.
    #[schema(value_type = Option<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub patch: Option<PathBuf>,
}

/// What waits and runs, and the number of the event log it is true at.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct QueueList {
    /// The newest event it includes.
    pub seq: u64,
    /// Iterations in the order they were asked for, then scripts.
    pub queue: Vec<QueueRow>,
}

/// Something that waits or runs; `kind` tells which.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum QueueRow {
    /// An iteration.
    Iteration {
        /// The session's id.
        session_id: SessionId,
        /// The session's name.
        session_name: String,
        /// How the session stands: an agent that waits for its user takes no slot.
        session_status: SessionStatus,
        /// The iteration.
        iteration: Box<Iteration>,
    },
    /// A script that was started by hand.
    Script {
        /// The session's id.
        session_id: SessionId,
        /// The session's name.
        session_name: String,
        /// How the session stands: an agent that waits for its user takes no slot.
        session_status: SessionStatus,
        /// The run of the script.
        script_run: Box<ScriptRun>,
    },
}
