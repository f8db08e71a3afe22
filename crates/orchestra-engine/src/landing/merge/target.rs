//! The branch that work lands on, and which commit of it.

use orchestra_core::{BranchName, CommitId, Session};
use orchestra_git::{Base, CheckedOut, FetchPolicy, GitError, Relation, Repository};
use orchestra_store::SessionFilter;

use super::MergeError;
use crate::lease::Held;
use crate::{Engine, EngineError};

/// A branch that work lands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// Where it is.
    pub(crate) from: CommitId,
    /// What the work is put onto: the same commit, or the newer one of the remote that it is brought to on the way.
    pub(crate) base: Base,
}

impl Target {
    pub(crate) const fn branch(&self) -> &BranchName {
        &self.base.name
    }

    pub(crate) const fn tip(&self) -> &CommitId {
        &self.base.commit
    }
}

impl Engine {
    /// Where a session lands: on its base, or on a branch somebody named.
    pub(crate) fn target(
        &self,
        session: &Session,
        repository: &Repository,
        into: Option<&BranchName>,
        policy: FetchPolicy,
    ) -> Result<Target, EngineError> {
        let branch = into.unwrap_or(&session.base_branch);
        if *branch == session.branch {
            return Err(MergeError::OwnBranch {
                branch: branch.clone(),
                session: session.id.clone(),
            }
            .into());
        }
        self.require_unprotected(branch)?;
        let base = match repository.resolve_base(branch, policy) {
            Err(GitError::NoSuchBranch { .. }) => None,
            base => Some(base?),
        };
        let here = repository.find_branch(branch)?;
        let (Some(from), Some(base)) = (here, &base) else {
            return Err(MergeError::NoBranch {
                branch: branch.clone(),
                remote: base.and_then(|base| base.remote),
                session: session.id.clone(),
            }
            .into());
        };
        require_together(session, base)?;
        let base = base.clone();
        Ok(Target { from, base })
    }

    /// The right to change the files of a branch that other sessions have: nothing works there now, and nothing can start
    /// meanwhile.
    pub(crate) fn take_others_at_rest(
        &self,
        session: &Session,
        repository: &Repository,
        branch: &BranchName,
    ) -> Result<Vec<Held>, EngineError> {
        let filter = SessionFilter {
            repository: Some(session.repository),
            archived: true,
        };
        let sessions = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.sessions(filter)?))?;
        let checkouts = repository.checkouts()?;
        let on_branch = CheckedOut::Branch(branch.to_string());
        let has_it = |other: &&Session| {
            other.branch == *branch || checkouts.at(&other.worktree) == Some(&on_branch)
        };
        let others = sessions.iter().filter(|other| other.id != session.id);
        let taken = others
            .filter(has_it)
            .map(|other| self.take_start(&other.id));
        taken.collect()
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

/// Work that began on the remote's branch would bring commits of others to a local one that has gone another way.
fn require_together(session: &Session, base: &Base) -> Result<(), MergeError> {
    let remote = session.base_remote.as_ref();
    match (base.relation, remote) {
        (Relation::Diverged { ahead, behind }, Some(remote))
            if base.name == session.base_branch =>
        {
            Err(MergeError::Diverged {
                branch: base.name.clone(),
                remote: remote.clone(),
                ahead,
                behind,
            })
        }
        _ => Ok(()),
    }
}
