//! Which commits are a session's own: those after the place where it left its base. Somewhere else, the others are work that
//! nobody asked for there.

use orchestra_core::{BranchName, CommitId, Session};
use orchestra_git::{CommitInfo, Replay, Repository};

use super::merge::plan::MOST_COMMITS;
use crate::{Engine, EngineError};

/// A session's commits, made again.
pub(super) struct OwnReplay {
    /// Those that were not left out from the start, oldest first.
    pub(super) commits: Vec<CommitId>,
    /// How far it went.
    pub(super) replay: Replay,
}

impl Engine {
    /// The commits that a session brings to a branch, oldest first. Merges are left out, as git does.
    pub(super) fn commits_onto(
        &self,
        session: &Session,
        repository: &Repository,
        (branch, tip): (&BranchName, &CommitId),
        head: &CommitId,
    ) -> Result<Vec<CommitId>, EngineError> {
        let fork = match *branch == session.base_branch {
            true => None,
            false => self.fork(session, repository, head)?,
        };
        let Some(fork) = fork else {
            return Ok(repository.commits_to_replay(tip, head)?);
        };
        let mut commits = repository.commits_to_replay(&fork, head)?;
        let new_there = repository.not_part_of(&commits, std::slice::from_ref(tip))?;
        commits.retain(|commit| new_there.contains(commit));
        Ok(commits)
    }

    /// Makes a session's commits again on another one, in memory. Where one does not fit, those whose changes are there under
    /// another name are left out, as git does.
    pub(super) fn replay_own(
        &self,
        repository: &Repository,
        (onto, onto_name): (&CommitId, &str),
        head: &CommitId,
        mut commits: Vec<CommitId>,
    ) -> Result<OwnReplay, EngineError> {
        let mut replay = self.replay(repository, onto, onto_name, commits.clone())?;
        if matches!(replay, Replay::Conflict(_)) {
            let there = repository.changes_there(&commits, head, onto)?;
            if !there.is_empty() {
                commits.retain(|commit| !there.contains(commit));
                replay = self.replay(repository, onto, onto_name, commits.clone())?;
                replay.dropped_mut().extend(there);
            }
        }
        Ok(OwnReplay { commits, replay })
    }

    /// Commits of the session's own base that would come along to another branch, newest first.
    pub(super) fn commits_along(
        &self,
        session: &Session,
        repository: &Repository,
        (branch, tip): (&BranchName, &CommitId),
        head: &CommitId,
    ) -> Result<Vec<CommitInfo>, EngineError> {
        if *branch == session.base_branch {
            return Ok(Vec::new());
        }
        match self.fork(session, repository, head)? {
            Some(fork) if repository.landed(&fork, tip)?.is_none() => {
                Ok(repository.log(tip, &fork, MOST_COMMITS)?)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// The newest commit of `head` that the session had from its base. A base that has all of the session tells nothing, and
    /// what it started from tells nothing once somebody put the branch elsewhere.
    pub(super) fn fork(
        &self,
        session: &Session,
        repository: &Repository,
        head: &CommitId,
    ) -> Result<Option<CommitId>, EngineError> {
        let started = &session.base_commit;
        let is_below =
            repository.commit_exists(started)? && repository.is_ancestor(started, head)?;
        let started = is_below.then_some(started);
        let parting = match self.find_known_base(session, repository)? {
            Some(base) if !repository.is_ancestor(head, &base)? => {
                repository.merge_base(head, &base)?
            }
            _ => None,
        };
        Ok(match (parting, started) {
            (Some(parting), Some(started)) if !repository.is_ancestor(started, &parting)? => {
                Some(started.clone())
            }
            (Some(parting), _) => Some(parting),
            (None, started) => started.cloned(),
        })
    }
}
