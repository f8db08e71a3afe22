//! Cleanups, the trash, housekeeping and pushes on the wire.

use std::path::PathBuf;

use orchestra_core::{PassedOver, PushedAs, SessionId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{Database, ErrorBody, ProjectCommand, RemovedData, Session};

/// The space that a session's worktree takes.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DiskUse {
    /// What would be free without it; at most so much if it is not known what its files share.
    pub own_bytes: u64,
    /// What it shares with other directories.
    pub shared_bytes: u64,
    /// Whether it is known what files share without a link. Some file systems do not tell.
    pub is_sharing_known: bool,
    /// When it was counted.
    pub checked_at: Timestamp,
}

impl From<orchestra_core::DiskFacts> for DiskUse {
    fn from(facts: orchestra_core::DiskFacts) -> Self {
        Self {
            own_bytes: facts.own_bytes,
            shared_bytes: facts.shared_bytes,
            is_sharing_known: facts.is_sharing_known,
            checked_at: facts.checked_at,
        }
    }
}

/// A session that was cleaned up, or would be.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CleanupAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// Whether nothing was done.
    pub dry_run: bool,
    /// The directory that went into the trash; `null` if only git's own folder for it was left.
    #[schema(value_type = Option<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub directory: Option<PathBuf>,
    /// How the work is part of the base; `null` if it is not.
    pub landed: Option<String>,
    /// How many paths had something uncommitted.
    pub uncommitted: usize,
    /// What was passed over.
    pub overridden: Vec<PassedOver>,
    /// Whether the branch was deleted.
    pub branch_deleted: bool,
    /// The servers that were ended first, or would be.
    pub servers: Vec<String>,
    /// The databases that were dropped, or would be.
    pub databases: Vec<Database>,
    /// What it is called in the trash; `null` if nothing was done.
    pub trash: Option<String>,
}

/// What a cleanup would do, and what stands in its way.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CleanupPlan {
    /// What it would do.
    #[serde(flatten)]
    pub cleanup: CleanupAnswer,
    /// Whether nothing stands in the way.
    pub is_possible: bool,
    /// Whether all of it was done before.
    pub is_done: bool,
    /// Everything that stands in the way.
    pub obstacles: Vec<ErrorBody>,
    /// Whether what runs in the session would be stopped first.
    pub stops_work: bool,
    /// The command that would run in the directory before it goes.
    pub teardown: Option<ProjectCommand>,
    /// Whether something would go that nothing brings back.
    pub drops_for_good: bool,
}

/// A worktree in the trash.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TrashRow {
    /// What it is called there.
    pub name: String,
    /// The session it belonged to.
    pub session_id: SessionId,
    /// What people called the session.
    pub session_name: String,
    /// Its branch.
    pub branch: String,
    /// Where it was.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub path: PathBuf,
    /// The top directory of the repository's main checkout.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub repo_root: PathBuf,
    /// Why it was taken away.
    pub why: String,
    /// The space that would be free without it.
    pub bytes: Option<u64>,
    /// Whether all of it is there; if not, something was cut off.
    pub is_whole: bool,
    /// When it was taken away.
    pub trashed_at: Timestamp,
    /// When `gc` deletes it.
    pub kept_until: Timestamp,
}

/// What lies in the trash.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TrashList {
    /// The newest event it includes.
    pub seq: u64,
    /// Oldest first.
    pub trash: Vec<TrashRow>,
    /// Folders there that cannot be read.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub damaged: Vec<PathBuf>,
}

/// A worktree that came back.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RestoreAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// Its session; `null` if that is not known any more.
    pub session: Option<Session>,
    /// Where it is again.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub path: PathBuf,
    /// Its branches.
    pub branches: Vec<RestoredBranch>,
}

/// A branch of a worktree that came back.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RestoredBranch {
    /// The branch.
    pub name: String,
    /// What became of it.
    pub state: RestoredBranchState,
    /// Where it is if it was moved, where it was if it is lost.
    pub commit: Option<String>,
}

/// What became of the branch of a worktree that came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RestoredBranchState {
    /// It is where it was.
    AsItWas,
    /// It had been deleted and is there again.
    MadeAgain,
    /// Somebody deleted it, and git has removed its commits since.
    Lost,
    /// Somebody moved it.
    Moved,
}

/// What was deleted for good, or would be.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Emptied {
    /// The newest event it includes.
    pub seq: u64,
    /// Whether nothing was done.
    pub dry_run: bool,
    /// The worktrees.
    pub deleted: Vec<TrashRow>,
    /// The space that is free now, as far as it was counted.
    pub freed_bytes: u64,
    /// What could not be deleted, and why.
    pub problems: Vec<String>,
}

/// A directory of a session's worktree that can be made again.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RegenerableRow {
    /// The session.
    pub session_id: SessionId,
    /// What people call the session.
    pub session_name: String,
    /// Where it is.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub path: PathBuf,
    /// What would be free without it; at most so much if it is not known what its files share.
    pub own_bytes: u64,
    /// What it shares with other directories.
    pub shared_bytes: u64,
    /// Whether it is known what files share without a link.
    pub is_sharing_known: bool,
    /// Whether it is removed.
    pub removed: bool,
}

/// A database of a session whose worktree was deleted for good.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DatabaseLeft {
    /// The database.
    pub database: Database,
    /// Whether it is dropped.
    pub dropped: bool,
}

/// What housekeeping did, or would do.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct GcReport {
    /// The newest event it includes.
    pub seq: u64,
    /// Whether nothing was done.
    pub dry_run: bool,
    /// Directories of sessions at rest that can be made again.
    pub regenerable: Vec<RegenerableRow>,
    /// Sessions that keep theirs because somebody works there, and who.
    pub skipped: Vec<String>,
    /// Databases of sessions whose worktrees were deleted for good.
    pub databases: Vec<DatabaseLeft>,
    /// What had been cut off before and was put right.
    pub recovered: Vec<String>,
    /// Sessions whose worktrees went into the trash.
    pub cleaned: Vec<SessionId>,
    /// Worktrees that were in the trash for long enough.
    pub deleted: Vec<TrashRow>,
    /// Deletions that had been cut off.
    pub finished_deletions: usize,
    /// Snapshots that were kept for long enough.
    pub snapshots: usize,
    /// Prompts of sessions that could not be made, kept for long enough.
    pub prompts: usize,
    /// Caches that were left when the worktrees of their sessions were deleted for good.
    pub caches: usize,
    /// Transcripts and logs of sessions that are over, kept for long enough.
    pub data: Vec<RemovedData>,
    /// The space that is free now, as far as it was counted.
    pub freed_bytes: u64,
    /// Folders in the trash that cannot be read.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub damaged: Vec<PathBuf>,
    /// What could not be done.
    pub problems: Vec<String>,
}

/// A session's branch against the same branch on a remote, as it was seen last.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PushState {
    /// The remote.
    pub remote: String,
    /// Where its branch was seen last.
    pub commit: String,
    /// Commits that are not there yet.
    pub ahead: u64,
    /// Commits that are only there.
    pub behind: u64,
    /// When it was pushed there last; `null` if another program did.
    pub pushed_at: Option<Timestamp>,
}

/// A session that was pushed.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PushAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// The remote.
    pub remote: String,
    /// Its branch.
    pub branch: String,
    /// The commit it has.
    pub commit: String,
    /// How it came there.
    pub how: PushedAs,
}
