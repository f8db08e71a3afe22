//! Sessions as every face shows them: the record, the derived status, the last iteration and what git last said.

use std::collections::HashMap;

use orchestra_core::status::{self, SessionFacts, WorktreeFact};
use orchestra_core::{
    GitFacts, Iteration, Repository, RepositoryId, Session, SessionId, SessionStatus,
};
use orchestra_store::{SessionFilter, Tx};

use crate::{Engine, EngineError};

/// A session with everything a list or a detail page shows.
#[derive(Debug, Clone)]
pub struct SessionView {
    /// The record.
    pub session: Session,
    /// Where it lives.
    pub repository: Repository,
    /// The derived status.
    pub status: SessionStatus,
    /// The newest iteration.
    pub iteration: Option<Iteration>,
    /// What git last said, and when.
    pub git: Option<GitFacts>,
}

impl SessionView {
    /// Whether the session cannot go on without the user: a question, a conflict, a failure, or a script that failed.
    #[must_use]
    pub fn needs_user(&self) -> bool {
        let script_failed = self
            .iteration
            .as_ref()
            .and_then(|iteration| iteration.script_passed)
            == Some(false);
        self.status.needs_user() || (self.status == SessionStatus::Idle && script_failed)
    }
}

/// Sessions, and the number of the event log they are true at.
#[derive(Debug, Clone)]
pub struct Listing {
    /// The newest event they include.
    pub seq: u64,
    /// The sessions, newest first.
    pub sessions: Vec<SessionView>,
}

/// Which sessions to list.
#[derive(Debug, Clone, Default)]
pub struct ListRequest {
    /// Only those of one repository.
    pub repository: Option<RepositoryId>,
    /// Only those with one of these statuses; empty means all.
    pub statuses: Vec<SessionStatus>,
    /// Only those that cannot go on without the user.
    pub needs_me: bool,
    /// Also those that were put away.
    pub archived: bool,
}

impl Engine {
    /// Lists sessions from the store alone; git is not asked.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn list_sessions(&self, request: &ListRequest) -> Result<Listing, EngineError> {
        let filter = SessionFilter {
            repository: request.repository,
            archived: request.archived,
        };
        self.store.read(|tx| {
            let sessions = tx.sessions(filter)?;
            let mut iterations: HashMap<SessionId, Iteration> = tx
                .latest_iterations()?
                .into_iter()
                .map(|iteration| (iteration.session.clone(), iteration))
                .collect();
            let mut git: HashMap<SessionId, GitFacts> = tx.git_facts()?.into_iter().collect();
            let repositories: HashMap<RepositoryId, Repository> = tx
                .repositories()?
                .into_iter()
                .map(|repository| (repository.id, repository))
                .collect();
            let sessions = sessions
                .into_iter()
                .filter_map(|session| {
                    let repository = repositories.get(&session.repository)?.clone();
                    let iteration = iterations.remove(&session.id);
                    let git = git.remove(&session.id);
                    Some(self.view(session, repository, iteration, git))
                })
                .filter(|view| {
                    request.statuses.is_empty() || request.statuses.contains(&view.status)
                })
                .filter(|view| !request.needs_me || view.needs_user())
                .collect();
            Ok(Listing {
                seq: tx.last_seq()?,
                sessions,
            })
        })
    }

    /// One session, by id.
    ///
    /// # Errors
    /// If there is none, or the store cannot be read.
    pub fn session(&self, id: &SessionId) -> Result<SessionView, EngineError> {
        self.store.read(|tx| self.view_in(tx, id))
    }

    pub(crate) fn view_in(&self, tx: &Tx<'_>, id: &SessionId) -> Result<SessionView, EngineError> {
        let not_found = || EngineError::SessionNotFound {
            text: id.to_string(),
        };
        let session = tx.find_session(id)?.ok_or_else(not_found)?;
        let repository = tx.repository(session.repository)?;
        let iteration = tx.latest_iteration(id)?;
        let git = tx.git_facts_of(id)?;
        Ok(self.view(session, repository, iteration, git))
    }

    fn view(
        &self,
        session: Session,
        repository: Repository,
        iteration: Option<Iteration>,
        git: Option<GitFacts>,
    ) -> SessionView {
        let status = self.status_of(&session, iteration.as_ref());
        SessionView {
            session,
            repository,
            status,
            iteration,
            git,
        }
    }

    /// Derives the status from the record, the lease and whether the directory is there.
    pub(crate) fn status_of(
        &self,
        session: &Session,
        iteration: Option<&Iteration>,
    ) -> SessionStatus {
        let unfinished = iteration.is_some_and(|iteration| !iteration.progress.is_finished())
            || !session.worktree_ready;
        let lease = if unfinished {
            self.leases.state(&session.id)
        } else {
            status::Lease::Free
        };
        let worktree = match (
            session.worktree_ready,
            session.worktree.join(".git").exists(),
        ) {
            (false, _) => WorktreeFact::Reserved,
            (true, true) => WorktreeFact::Ready,
            (true, false) => WorktreeFact::Missing,
        };
        status::derive(SessionFacts {
            worktree,
            iteration: iteration.map(Iteration::facts),
            lease,
            rebase_in_progress: false,
            landed: session.landed_at.is_some(),
        })
    }
}
