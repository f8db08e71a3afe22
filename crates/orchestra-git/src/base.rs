//! The base of a session: which commit of a branch work starts from, and how it relates to the remote.

mod fetch;

use orchestra_core::{BranchName, CommitId, RemoteName};

pub use fetch::{FetchFailure, FetchPolicy, Fetched};

use crate::error::GitError;
use crate::reference::AheadBehind;
use crate::repository::Repository;

/// Where work starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// The branch.
    pub name: BranchName,
    /// The commit.
    pub commit: CommitId,
    /// Whose commit it is.
    pub used: BaseSource,
    /// The remote, if it is a remote's commit.
    pub remote: Option<RemoteName>,
    /// How the local branch relates to the remote one.
    pub relation: Relation,
    /// How fresh the remote one is.
    pub fetched: Fetched,
}

/// Whose commit was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseSource {
    /// The local branch's.
    Local,
    /// The remote branch's, as last fetched.
    Remote,
}

/// The local branch, seen from the remote one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// There is no remote branch.
    NoRemote,
    /// There is no local branch.
    OnlyRemote,
    /// Both are the same commit.
    UpToDate,
    /// The local branch has this many commits more.
    Ahead(u64),
    /// The remote branch has this many commits more.
    Behind(u64),
    /// Both have commits the other has not.
    Diverged {
        /// Only local.
        ahead: u64,
        /// Only remote.
        behind: u64,
    },
}

impl Repository {
    /// Chooses where work starts: on the remote branch if the local one is behind it, else on the local one.
    ///
    /// # Errors
    /// If the branch exists nowhere or git fails. A fetch that fails is part of the answer.
    pub fn resolve_base(&self, name: &BranchName, policy: FetchPolicy) -> Result<Base, GitError> {
        let tracking = self.tracking_ref(name);
        let fetched = match &tracking {
            Some((remote, full_name)) => self.fetch_base(name, remote, full_name, policy)?,
            None => Fetched::NoRemote,
        };
        let local = self.find_branch(name)?;
        let remote = match &tracking {
            Some((_, full_name)) => self.find_reference(full_name)?,
            None => None,
        };
        let relation = self.relation(local.as_ref(), remote.as_ref())?;
        let (used, commit) = match relation {
            Relation::Behind(_) | Relation::OnlyRemote => (BaseSource::Remote, remote),
            _ => (BaseSource::Local, local),
        };
        let commit = commit.ok_or_else(|| self.no_such_branch(name))?;
        let remote = tracking.map(|(remote, _)| remote);
        Ok(Base {
            name: name.clone(),
            commit,
            used,
            remote: remote.filter(|_| used == BaseSource::Remote),
            relation,
            fetched,
        })
    }

    /// The remote a branch belongs to, and the reference that remembers the remote's branch.
    fn tracking_ref(&self, name: &BranchName) -> Option<(RemoteName, String)> {
        let remote = self.configuration().remote_of(name.as_str())?;
        // The name comes from a shared file; what is not a plain name cannot be part of a reference.
        let remote = remote.parse::<RemoteName>().ok()?;
        let full_name = remote_ref(&remote, name);
        Some((remote, full_name))
    }

    fn relation(
        &self,
        local: Option<&CommitId>,
        remote: Option<&CommitId>,
    ) -> Result<Relation, GitError> {
        let (local, remote) = match (local, remote) {
            (_, None) => return Ok(Relation::NoRemote),
            (None, Some(_)) => return Ok(Relation::OnlyRemote),
            (Some(local), Some(remote)) if local == remote => return Ok(Relation::UpToDate),
            (Some(local), Some(remote)) => (local, remote),
        };
        Ok(match self.ahead_behind(local, remote)? {
            AheadBehind { ahead: 0, behind } => Relation::Behind(behind),
            AheadBehind { ahead, behind: 0 } => Relation::Ahead(ahead),
            AheadBehind { ahead, behind } => Relation::Diverged { ahead, behind },
        })
    }
}

/// The reference that remembers a remote's branch.
pub(crate) fn remote_ref(remote: &RemoteName, name: &BranchName) -> String {
    format!("refs/remotes/{remote}/{name}")
}
