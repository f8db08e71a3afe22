//! What the commands of landing ask of a repository first.

use orchestra_core::{CommitId, Session};
use orchestra_git::{CommitInfo, FetchPolicy, GitError, Repository};

use crate::{Engine, EngineError};

/// More commits of a session than this are not looked through for their subjects.
const MOST_COMMITS: usize = 1_000;

impl Engine {
    /// The newest commit of a session's base that is known here. Where the base is gone, what the session started from.
    pub(crate) fn known_base(
        &self,
        repository: &Repository,
        session: &Session,
    ) -> Result<CommitId, EngineError> {
        match repository.resolve_base(&session.base_branch, FetchPolicy::Never) {
            Ok(base) => Ok(base.commit),
            Err(GitError::NoSuchBranch { .. }) => Ok(session.base_commit.clone()),
            Err(error) => Err(error.into()),
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
