//! The branch that work lands on, and which commit of it.

use orchestra_core::{BranchName, CommitId, RemoteName, Session};
use orchestra_git::{AheadBehind, Repository};

use super::MergeError;
use crate::{Engine, EngineError};

/// A branch that work lands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) branch: BranchName,
    /// Where it is.
    pub(crate) from: CommitId,
    /// What the work is put onto: the same commit, or the newer one of the remote that it is brought to on the way.
    pub(crate) tip: CommitId,
}

impl Engine {
    /// Where a session lands: on its base, or on a branch somebody named.
    pub(crate) fn target(
        &self,
        session: &Session,
        repository: &Repository,
        into: Option<&BranchName>,
    ) -> Result<Target, EngineError> {
        let target = self.find_target(session, repository, into)?;
        self.require_unprotected(&target.branch)?;
        Ok(target)
    }

    fn find_target(
        &self,
        session: &Session,
        repository: &Repository,
        into: Option<&BranchName>,
    ) -> Result<Target, EngineError> {
        let branch = into.unwrap_or(&session.base_branch);
        if *branch == session.branch {
            return Err(MergeError::OwnBranch {
                branch: branch.clone(),
                session: session.id.clone(),
            }
            .into());
        }
        let remote = session.base_remote.as_ref();
        let remote = remote.filter(|_| *branch == session.base_branch);
        let there = match remote {
            Some(remote) => repository.find_remote_branch(remote, branch)?,
            None => None,
        };
        let Some(from) = repository.find_branch(branch)? else {
            return Err(MergeError::NoBranch {
                branch: branch.clone(),
                remote: remote.filter(|_| there.is_some()).cloned(),
                session: session.id.clone(),
            }
            .into());
        };
        let tip = match (remote, there) {
            (Some(remote), Some(there)) => newer(repository, branch, &from, remote, there)?,
            _ => from.clone(),
        };
        Ok(Target {
            branch: branch.clone(),
            from,
            tip,
        })
    }

    /// What a session's work is compared with: its base as it is now, or as it was where that cannot be told.
    pub(crate) fn base_tip(&self, session: &Session, repository: &Repository) -> CommitId {
        let target = self.find_target(session, repository, None);
        target.map_or_else(|_| session.base_commit.clone(), |target| target.tip)
    }

    fn require_unprotected(&self, branch: &BranchName) -> Result<(), MergeError> {
        let protected = &self.config().git.protected_branches;
        match protected.iter().find(|glob| glob.matches(branch)) {
            Some(glob) => Err(MergeError::Protected {
                branch: branch.clone(),
                pattern: glob.to_string(),
            }),
            None => Ok(()),
        }
    }
}

/// The newer one of the local and the remote branch, if one contains the other.
fn newer(
    repository: &Repository,
    branch: &BranchName,
    here: &CommitId,
    remote: &RemoteName,
    there: CommitId,
) -> Result<CommitId, EngineError> {
    match repository.ahead_behind(here, &there)? {
        AheadBehind { ahead: 0, .. } => Ok(there),
        AheadBehind { behind: 0, .. } => Ok(here.clone()),
        AheadBehind { ahead, behind } => Err(MergeError::Diverged {
            branch: branch.clone(),
            remote: remote.clone(),
            ahead,
            behind,
        }
        .into()),
    }
}
