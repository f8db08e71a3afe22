//! What is recorded of repositories and sessions.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    Approval, BranchName, Caller, CommitId, Landed, Landing, PermissionPolicy, PermissionRule,
    Rebase, RemoteName, RuntimeWishes, SessionId, SessionName, Timestamp, TrashName, name_of_base,
};

/// A repository's key in the store.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema, Deserialize,
)]
#[serde(transparent)]
pub struct RepositoryId(pub i64);

/// A git repository the user works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// Its key.
    pub id: RepositoryId,
    /// The top directory of its main checkout.
    pub root: PathBuf,
    /// Its git directory, shared by all worktrees.
    pub common_dir: PathBuf,
}

/// A prompt worked on in one worktree on one branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// Where it lives.
    pub repository: RepositoryId,
    /// Its name, unique within the repository.
    pub name: SessionName,
    /// The name it was made with, if it was renamed since.
    pub first_name: Option<SessionName>,
    /// What the agent is asked to do.
    pub prompt: String,
    /// What the user wants to remember, also told to the agent.
    pub notes: Option<String>,
    /// What the agent must keep to.
    pub constraints: Option<String>,
    /// The issue it belongs to.
    pub issue: Option<String>,
    /// The branch it started from and lands on.
    pub base_branch: BranchName,
    /// The remote whose branch it started from; `None` if it was the local one.
    pub base_remote: Option<RemoteName>,
    /// The commit it started from.
    pub base_commit: CommitId,
    /// Its own branch.
    pub branch: BranchName,
    /// Whether the branch existed before the session.
    pub branch_adopted: bool,
    /// Its directory.
    pub worktree: PathBuf,
    /// Whether the directory was made completely.
    pub worktree_ready: bool,
    /// The agent's name.
    pub agent: String,
    /// The model asked for.
    pub model: Option<String>,
    /// The command that runs after each iteration.
    pub script: Option<String>,
    /// How long one iteration may take; zero means no limit, `None` what the setting says.
    pub timeout: Option<Duration>,
    /// What happens when the agent wants to use a tool; `None` what the setting says.
    pub permissions: Option<PermissionPolicy>,
    /// Rules of its own, which come before those of the settings.
    pub rules: Vec<PermissionRule>,
    /// How its agent is run.
    pub runtime: RuntimeWishes,
    /// The agent's conversation, continued by the next iteration.
    pub thread: Option<String>,
    /// Who made it; `None` if it was the user.
    pub made_by: Option<Caller>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When the last iteration was started.
    pub last_run: Option<Timestamp>,
    /// When it was put away.
    pub archived_at: Option<Timestamp>,
    /// Where its work became part of the base.
    pub landed: Option<Landed>,
    /// A rebase that stopped at a conflict.
    pub rebase: Option<Rebase>,
    /// The name under which its worktree lies in the trash.
    pub trash: Option<TrashName>,
    /// That a person wants the work to land.
    pub approval: Option<Approval>,
    /// When its worktree was deleted for good, after it lay in the trash.
    pub worktree_deleted_at: Option<Timestamp>,
}

/// What is known of a session when it is made. The rest comes with the wishes of the user and with its work.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// Its id.
    pub id: SessionId,
    /// Where it lives.
    pub repository: RepositoryId,
    /// Its name, unique within the repository.
    pub name: SessionName,
    /// What the agent is asked to do.
    pub prompt: String,
    /// The branch it starts from and lands on.
    pub base_branch: BranchName,
    /// The commit it starts from.
    pub base_commit: CommitId,
    /// Its own branch.
    pub branch: BranchName,
    /// Its directory.
    pub worktree: PathBuf,
    /// The agent's name.
    pub agent: String,
    /// When it is made.
    pub created_at: Timestamp,
}

impl Session {
    /// A session in which nothing was done yet: no wish beyond the prompt, a branch of its own that starts from the local
    /// base, and a directory still to be made.
    #[must_use]
    pub fn new(new: NewSession) -> Self {
        Self {
            id: new.id,
            repository: new.repository,
            name: new.name,
            first_name: None,
            prompt: new.prompt,
            notes: None,
            constraints: None,
            issue: None,
            base_branch: new.base_branch,
            base_remote: None,
            base_commit: new.base_commit,
            branch: new.branch,
            branch_adopted: false,
            worktree: new.worktree,
            worktree_ready: false,
            agent: new.agent,
            model: None,
            script: None,
            timeout: None,
            permissions: None,
            rules: Vec::new(),
            runtime: RuntimeWishes::default(),
            thread: None,
            made_by: None,
            created_at: new.created_at,
            last_run: None,
            archived_at: None,
            landed: None,
            rebase: None,
            trash: None,
            approval: None,
            worktree_deleted_at: None,
        }
    }

    /// How far its way back to the base has come.
    #[must_use]
    pub fn landing(&self) -> Landing {
        Landing {
            base_branch: self.base_branch.clone(),
            base_remote: self.base_remote.clone(),
            base_commit: self.base_commit.clone(),
            landed: self.landed.clone(),
            rebase: self.rebase.clone(),
            trash: self.trash.clone(),
        }
    }

    /// What it started from, as git calls it: `main`, or `origin/main`.
    #[must_use]
    pub fn base_name(&self) -> String {
        name_of_base(&self.base_branch, self.base_remote.as_ref())
    }
}

/// The disk space that a session's worktree takes, and when it was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskFacts {
    /// What would be free without it; at most so much if it is not known what its files share.
    pub own_bytes: u64,
    /// What it shares with other directories.
    pub shared_bytes: u64,
    /// Whether it is known what files share without a link. Some file systems do not tell.
    pub is_sharing_known: bool,
    /// When it was counted.
    pub checked_at: Timestamp,
}

/// What git said about a session's branch and directory, and when it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitFacts {
    /// The branch's commit.
    pub head: Option<CommitId>,
    /// Commits the base does not have.
    pub ahead: Option<u32>,
    /// Commits of the base that the branch does not have.
    pub behind: Option<u32>,
    /// Whether the directory has uncommitted changes.
    pub dirty: Option<bool>,
    /// What the directory has checked out instead of the branch; `None` if all is well or it cannot be told.
    pub other_checkout: Option<OtherCheckout>,
    /// Whether the branch it landed in still has its work; `None` if it did not land or nobody looked.
    pub landed: Option<LandedFact>,
    /// When git was asked.
    pub checked_at: Timestamp,
}

/// Whether the branch that a session landed in still has its work. It is true as long as that branch is where it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct LandedFact {
    /// The commit that brought it there.
    pub commit: CommitId,
    /// Where the branch was, here and on every remote; empty if it does not exist any more.
    pub tips: Vec<CommitId>,
    /// Whether one of these has it.
    pub is_there: bool,
}

/// Why a session's directory does not stand on the session's branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum OtherCheckout {
    /// The branch does not exist any more.
    BranchGone {
        /// What it is called now, if it was renamed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        now: Option<String>,
        /// Where it was when git was asked before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last: Option<CommitId>,
    },
    /// Another branch is checked out.
    Branch {
        /// Its short name.
        name: String,
    },
    /// A commit without a branch is checked out.
    Commit {
        /// Which one.
        id: CommitId,
    },
}

impl OtherCheckout {
    /// What is wrong, in words, for a session with this branch.
    #[must_use]
    pub fn problem(&self, branch: &BranchName) -> String {
        match self {
            Self::BranchGone { now: Some(now), .. } => {
                format!("its branch `{branch}` is called `{now}` now")
            }
            Self::BranchGone { now: None, .. } => format!("its branch `{branch}` is gone"),
            Self::Branch { name } => format!("`{name}` is checked out instead of `{branch}`"),
            Self::Commit { id } => format!(
                "{} without a branch is checked out instead of `{branch}`",
                id.short()
            ),
        }
    }
}
