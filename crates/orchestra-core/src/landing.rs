//! How far a session's way back to its base has come.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{BranchName, CommitId, PatchId, RemoteName, Timestamp, TrashName};

/// What operations change about a session besides git itself. Undoing one brings the earlier value back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct Landing {
    /// The branch it lands on.
    pub base_branch: BranchName,
    /// The remote whose branch that is; `None` if it is the local one.
    pub base_remote: Option<RemoteName>,
    /// The commit its own commits start from.
    pub base_commit: CommitId,
    /// Where its work became part of the base.
    pub landed: Option<Landed>,
    /// A rebase that stopped at a conflict.
    pub rebase: Option<Rebase>,
    /// The name under which its worktree lies in the trash.
    pub trash: Option<TrashName>,
}

/// Work that became part of a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct Landed {
    /// When.
    pub at: Timestamp,
    /// The branch that has it now.
    pub into: BranchName,
    /// The commit that brought it there.
    pub commit: CommitId,
    /// Where the session's branch was: what it gets later has not landed.
    pub head: CommitId,
}

/// A rebase that stopped at a conflict. This list decides what is picked, not the one on disk, which anybody can write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct Rebase {
    /// The branch it goes onto.
    pub base_branch: BranchName,
    /// The remote whose branch that is; `None` if it is the local one.
    pub base_remote: Option<RemoteName>,
    /// The commit it goes onto.
    pub onto: CommitId,
    /// Where the session's branch was.
    pub original: CommitId,
    /// The commit whose changes do not fit.
    pub stopped_at: CommitId,
    /// The commits that come after it, oldest first.
    pub rest: Vec<CommitId>,
}

/// A session's branch on a remote, as it was pushed last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Push {
    /// The remote.
    pub remote: RemoteName,
    /// Its branch.
    pub branch: BranchName,
    /// The commit it got.
    pub commit: CommitId,
    /// When.
    pub at: Timestamp,
}

/// How work became part of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergedAs {
    /// The branch moved forward to it.
    FastForward,
    /// A commit with two parents.
    MergeCommit,
    /// One commit.
    Squash,
    /// Some of its commits, made again.
    CherryPick,
    /// It was there already.
    AlreadyThere,
}

/// How a branch of a remote came to be where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PushedAs {
    /// It was made.
    NewBranch,
    /// It got more commits.
    FastForward,
    /// Other commits were replaced.
    Forced,
    /// It was there already.
    UpToDate,
}

/// What came of a rebase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RebaseState {
    /// There was nothing to do.
    UpToDate,
    /// The branch is on top of the base.
    Finished,
    /// It waits at a conflict.
    Conflicted,
    /// It was given up: everything is as before it.
    Aborted,
}

impl Rebase {
    /// What it goes onto, as git calls it: `main`, or `origin/main`.
    #[must_use]
    pub fn base_name(&self) -> String {
        name_of_base(&self.base_branch, self.base_remote.as_ref())
    }
}

/// What git calls a branch of this repository or of a remote: `main`, or `origin/main`.
#[must_use]
pub fn name_of_base(branch: &BranchName, remote: Option<&RemoteName>) -> String {
    match remote {
        Some(remote) => format!("{remote}/{branch}"),
        None => branch.to_string(),
    }
}

/// A person looked at the work and wants it to land.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct Approval {
    /// What was approved: the same for the same changes, whatever they are based on and in how many commits they are.
    pub patch_id: PatchId,
    /// The commit that was looked at.
    pub commit: CommitId,
    /// Who approved it, as git knows them.
    pub by: Option<String>,
    /// When.
    pub at: Timestamp,
}
