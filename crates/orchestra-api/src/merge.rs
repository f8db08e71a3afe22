//! Landing on the wire.

use std::path::PathBuf;

use orchestra_core::{
    CaseClash, CheckName, CheckState, MergedAs, MigrationClash, SessionId, Timestamp,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{ErrorBody, ScriptRun, Session};

/// Whether a session may land.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CheckAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// The branch it would land on.
    pub into: String,
    /// Which commit was taken as the base and how fresh it is, when that is not obvious.
    pub base_note: Option<String>,
    /// Whether `merge` would land it: nothing fails that is required.
    pub passes: bool,
    /// One for each thing that was looked at.
    pub checks: Vec<CheckRow>,
}

/// One check and what it found.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CheckRow {
    /// Which one.
    pub name: CheckName,
    /// What it found.
    pub state: CheckState,
    /// Whether `merge` is refused if it fails.
    pub required: bool,
    /// What it found, for people.
    pub text: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// A session that was approved, or whose approval was taken back.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ApprovalAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// What was approved; `null` if it was taken back.
    pub approval: Option<Approval>,
}

/// What was approved.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Approval {
    /// The commit that was looked at.
    pub commit: String,
    /// Who approved it.
    pub by: Option<String>,
    /// When.
    pub at: Timestamp,
}

impl From<&orchestra_core::Approval> for Approval {
    fn from(approval: &orchestra_core::Approval) -> Self {
        Self {
            commit: approval.commit.to_string(),
            by: approval.by.clone(),
            at: approval.at,
        }
    }
}

/// A session that landed.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MergeAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// How it landed.
    #[serde(flatten)]
    pub merge: Merge,
    /// What followed.
    #[serde(flatten)]
    pub afterwards: Afterwards,
    /// Why the command failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorBody>,
}

/// What was left to do for a session that had landed before.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LandedAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// What was done.
    #[serde(flatten)]
    pub afterwards: Afterwards,
    /// Why the command failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorBody>,
}

/// What followed after a session landed. What comes after something that failed is not done.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct Afterwards {
    /// What ran after it; `null` if nothing is set, it is not allowed, or it could not run.
    pub after_merge: Option<ScriptRun>,
    /// Why it could not run.
    pub after_merge_error: Option<ErrorBody>,
    /// Where the base was pushed, if that was asked for and went well.
    pub pushed_to: Option<String>,
    /// Why it could not be pushed. The session landed all the same.
    pub push_error: Option<ErrorBody>,
    /// The name of its worktree in the trash, if it was cleaned up by setting.
    pub trash: Option<String>,
    /// Why it could not be cleaned up.
    pub cleanup_error: Option<ErrorBody>,
}

/// How a session landed.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Merge {
    /// The branch that has it.
    pub into: String,
    /// Where that branch was.
    pub from: String,
    /// Which commit was taken as the base and how fresh it is, when that is not obvious.
    pub base_note: Option<String>,
    /// Where it is now.
    pub commit: String,
    /// In which form.
    pub how: MergedAs,
    /// The checkout whose files came along; `null` if the branch is checked out nowhere.
    #[schema(value_type = Option<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub checkout: Option<PathBuf>,
    /// Whether some of the session's commits were left out.
    pub is_partial: bool,
    /// Checks that failed and were passed over.
    pub overridden: Vec<CheckName>,
}

/// What became of sessions that should land together.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LandAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// Whether all of them have landed.
    pub complete: bool,
    /// The sessions, in the order they land in.
    pub sessions: Vec<LandRow>,
    /// Why the first one failed, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorBody>,
}

/// What became of one of them.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LandRow {
    /// Which session.
    pub session_id: SessionId,
    /// Its name.
    pub session_name: String,
    /// What became of it.
    pub state: LandState,
    /// The commit that brought it to the base.
    pub commit: Option<String>,
    /// How it landed now.
    pub merge: Option<Merge>,
    /// What followed.
    #[serde(flatten)]
    pub afterwards: Afterwards,
    /// Its script, if that failed.
    pub script_run: Option<ScriptRun>,
    /// Why it could not land.
    pub error: Option<ErrorBody>,
}

/// What became of a session that should land.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LandState {
    /// It landed now.
    Landed,
    /// It had landed before.
    LandedBefore,
    /// It could not land, and those after it were not tried.
    Failed,
    /// One before it could not land.
    Waiting,
}

/// Which sessions get into each other's way.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ConflictMatrix {
    /// The newest event it includes.
    pub seq: u64,
    /// Sessions with commits that have not landed, newest first.
    pub sessions: Vec<Session>,
    /// Each of them with its base, then each pair.
    pub pairs: Vec<ConflictPair>,
}

/// Two that were merged in memory.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ConflictPair {
    /// A session.
    pub session_id: SessionId,
    /// Another one; `null` means the base of the first.
    pub other_id: Option<SessionId>,
    /// What a person would have to decide about; empty if git could merge them.
    pub files: Vec<String>,
    /// Whether the base is gone, so that the commit was looked at that the session started from.
    pub base_is_gone: bool,
    /// Migrations of both with the same number, with a proposed order.
    pub migrations: Vec<MigrationClash>,
    /// Names of both that differ in upper and lower case only.
    pub case_clashes: Vec<CaseClash>,
}
