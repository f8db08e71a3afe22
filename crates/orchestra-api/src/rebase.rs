//! Rebases and conflicts on the wire. In a rebase *ours* is the base and *theirs* is the session's commit, as git says.

use std::path::PathBuf;

use orchestra_core::{
    CaseClash, ConflictClass, ConflictContent, ConflictKind, EntryMode, MigrationClash, RebaseState,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::Session;

/// A rebase, or a step of it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Rebased {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// What came of it.
    pub state: RebaseState,
    /// What the base is called.
    pub onto: String,
    /// The commit of the base.
    pub onto_commit: String,
    /// Which commit was taken as the base and how fresh it is, when that is not obvious.
    pub base_note: Option<String>,
    /// Commits that were left out, since the base has their changes.
    pub dropped: Vec<CommitName>,
    /// What the rebase waits for.
    pub conflicts: Vec<Conflict>,
}

/// A commit by its id and the first line of its message.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CommitName {
    /// Its id.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
}

/// The conflicts of a session.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ConflictList {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// Whether a rebase waits at them; else they are what a rebase would stop at first.
    pub in_progress: bool,
    /// What the base is called: *ours*.
    pub onto: String,
    /// The commit of the base.
    pub onto_commit: String,
    /// The session's commit that does not fit: *theirs*; `null` if all of them do.
    pub commit: Option<CommitName>,
    /// How many commits come after it.
    pub commits_after: usize,
    /// The files.
    pub conflicts: Vec<Conflict>,
    /// Migrations of both sides with the same number, with a proposed order.
    pub migrations: Vec<MigrationClash>,
    /// Names of both sides that differ in upper and lower case only.
    pub case_clashes: Vec<CaseClash>,
}

/// A file that git could not decide about.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Conflict {
    /// Its place in the tree.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub path: PathBuf,
    /// Which sides have it.
    pub kind: ConflictKind,
    /// What kind of thing it is.
    pub content: ConflictContent,
    /// Whether its name says how it is best resolved.
    #[serde(flatten)]
    pub class: ConflictClass,
    /// The command that writes it again, if it is a lockfile.
    pub install_command: Option<String>,
    /// What both sides started from.
    pub base: Option<ConflictStage>,
    /// The version of the base.
    pub ours: Option<ConflictStage>,
    /// The version of the session.
    pub theirs: Option<ConflictStage>,
}

/// One version of a file in conflict.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ConflictStage {
    /// What it is.
    pub mode: EntryMode,
    /// Its content; of a submodule, the commit.
    pub object: String,
}

/// A file in conflict with what each side has, for a view side by side.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ConflictSides {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// Whether a rebase waits at it; else it is what a rebase would stop at first.
    pub in_progress: bool,
    /// What the base is called: *ours*.
    pub onto: String,
    /// The session's commit that does not fit: *theirs*.
    pub commit: Option<CommitName>,
    /// The file.
    pub conflict: Conflict,
    /// What both sides started from; `null` if there is no such version, or it is a submodule.
    pub base: Option<SideContent>,
    /// The version of the base.
    pub ours: Option<SideContent>,
    /// The version of the session.
    pub theirs: Option<SideContent>,
    /// What is in the worktree now, with git's markers where nobody edited it; `null` if no rebase waits or no file is there.
    pub worktree: Option<SideContent>,
}

/// The content of one version.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SideContent {
    /// How many bytes it has.
    pub bytes: u64,
    /// The content; `null` if it is no text or too large.
    pub text: Option<String>,
    /// The content of what is no text.
    pub base64: Option<String>,
    /// Whether it is too large to be shown.
    pub too_large: bool,
}

/// A conflict that was decided.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Resolved {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// The file.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub path: PathBuf,
    /// What was run to make the file again.
    pub command: Option<String>,
    /// Files that still have a conflict.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub left: Vec<PathBuf>,
}
