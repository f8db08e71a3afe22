//! What the commands of landing ask of a repository first.

use orchestra_core::{CommitId, Session};
use orchestra_git::{Base, CommitInfo, FetchPolicy, GitError, Relation, Repository};

use super::HistoryError;
use super::merge::plan::MOST_COMMITS;
use crate::{Engine, EngineError};

impl Engine {
    /// What a session's work is compared with: the newest commit of its base that is known here. Where the base is gone, what the
    /// session started from.
    pub(crate) fn known_base(
        &self,
        session: &Session,
        repository: &Repository,
    ) -> Result<CommitId, EngineError> {
        let found = self.find_known_base(session, repository)?;
        Ok(found.unwrap_or_else(|| session.base_commit.clone()))
    }

    /// The base of a session, after its remote was asked.
    pub(super) fn require_base(
        &self,
        session: &Session,
        repository: &Repository,
    ) -> Result<Base, EngineError> {
        let base = &session.base_branch;
        match repository.resolve_base(base, self.fetch_policy()) {
            Err(GitError::NoSuchBranch { .. }) => Err(HistoryError::BaseGone {
                session: session.id.clone(),
                base: base.clone(),
            }
            .into()),
            found => Ok(found?),
        }
    }

    /// The newest commit of a session's base that is known here; `None` if the base is gone.
    pub(crate) fn find_known_base(
        &self,
        session: &Session,
        repository: &Repository,
    ) -> Result<Option<CommitId>, EngineError> {
        let branch = &session.base_branch;
        let base = match repository.resolve_base(branch, FetchPolicy::Never) {
            Err(GitError::NoSuchBranch { .. }) => return Ok(None),
            base => base?,
        };
        match (base.relation, &session.base_remote) {
            // Its own commits begin where those of the remote end, wherever the local branch went.
            (Relation::Diverged { .. }, Some(remote)) => {
                let there = repository.find_remote_branch(remote, branch)?;
                Ok(Some(there.unwrap_or(base.commit)))
            }
            _ => Ok(Some(base.commit)),
        }
    }
}

/// Those of the commits from `base` to `head` that are wanted, oldest first.
pub(crate) fn commits_named(
    repository: &Repository,
    (base, head): (&CommitId, &CommitId),
    wanted: &[CommitId],
) -> Result<Vec<CommitInfo>, EngineError> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let commits = repository.log(base, head, MOST_COMMITS)?.into_iter().rev();
    Ok(commits
        .filter(|commit| wanted.contains(&commit.id))
        .collect())
}
