//! Reviewing work: log, and what to do after an interruption.

use orchestra_core::status::{Outcome, Settlement};
use orchestra_core::{GitFacts, Iteration, Progress, Session, SessionId, SessionStatus, Timestamp};
use orchestra_git::{CommitInfo, Repository};

use crate::board::{board_query, facts};
use crate::change::busy;
use crate::checkout::{checkouts, other_checkout};
use crate::iterate::{StartIteration, require_place};
use crate::landing::still_landed::{Question, look};
use crate::setup::SetupNeed;
use crate::view::{SessionView, tell_status};
use crate::{Engine, EngineError};

/// A session's history.
#[derive(Debug, Clone)]
pub struct SessionLog {
    /// The newest event it includes.
    pub seq: u64,
    /// Commits since the base, newest first.
    pub commits: Vec<CommitInfo>,
    /// Iterations, oldest first.
    pub iterations: Vec<Iteration>,
    /// Script runs, oldest first.
    pub script_runs: Vec<orchestra_core::ScriptRun>,
}

/// What became of a session that was resumed.
#[derive(Debug, Clone)]
pub enum Resumed {
    /// An iteration goes on where the last one was interrupted.
    Started(Iteration),
    /// The iteration that waited for its agent's provider tries now.
    GoesOn(Iteration),
}

const LOG_LIMIT: usize = 1_000;

impl Engine {
    /// Commits, iterations and script runs.
    ///
    /// # Errors
    /// If git or the store fails.
    pub fn session_log(&self, id: &SessionId) -> Result<SessionLog, EngineError> {
        // What happens meanwhile may be included too; it comes again to whoever follows from here.
        let seq = self.last_seq()?;
        let session = self.session(id)?.session;
        let repository = self.repository_of(&session)?;
        let commits = match repository.find_branch(&session.branch)? {
            Some(head) => repository.log(&session.base_commit, &head, LOG_LIMIT)?,
            None => Vec::new(),
        };
        Ok(SessionLog {
            seq,
            commits,
            iterations: self.iterations(id)?,
            script_runs: self.script_runs(id)?,
        })
    }

    /// Goes on after an interruption, in the same conversation, or now with what waits for its agent's provider.
    ///
    /// # Errors
    /// If the session was not interrupted and does not wait for a provider.
    pub fn resume(&self, id: &SessionId) -> Result<Resumed, EngineError> {
        self.recover_session(id)?;
        match self.end_wait(id)? {
            Some(iteration) => Ok(Resumed::GoesOn(iteration)),
            None => self.resume_interrupted(id).map(Resumed::Started),
        }
    }

    fn resume_interrupted(&self, id: &SessionId) -> Result<Iteration, EngineError> {
        let view = self.session(id)?;
        require_interrupted(&view)?;
        let commit = view
            .iteration
            .as_ref()
            .is_none_or(|iteration| iteration.commit);
        let input = view.iteration.and_then(|iteration| iteration.input);
        let input = Some(input.unwrap_or_else(|| {
            "You were interrupted. Look at what is done already and continue.".to_owned()
        }));
        self.start_iteration(
            id,
            &StartIteration {
                input,
                no_commit: !commit,
                // What was interrupted had begun without.
                setup: SetupNeed::Waived,
                ..StartIteration::default()
            },
        )
    }

    /// Asks git about one session now, and remembers the answer.
    ///
    /// # Errors
    /// If git or the store fails.
    pub fn refresh(&self, id: &SessionId) -> Result<SessionView, EngineError> {
        let repository = self.repository_of(&self.session(id)?.session)?;
        self.refresh_knowing(id, &repository, |_| None)
    }

    /// The same after the branch moved, its files with it or not at all. So whether something is uncommitted is as it was when
    /// that was asked last.
    pub(crate) fn refresh_branch(
        &self,
        id: &SessionId,
        repository: &Repository,
    ) -> Result<SessionView, EngineError> {
        let known = |known: &GitFacts| Some((known.dirty?, known.checked_at));
        self.refresh_knowing(id, repository, known)
    }

    fn refresh_knowing(
        &self,
        id: &SessionId,
        repository: &Repository,
        dirty: impl FnOnce(&GitFacts) -> Option<(bool, Timestamp)>,
    ) -> Result<SessionView, EngineError> {
        let view = self.session(id)?;
        let query = board_query(&view.session);
        let row = repository.board(&[query])?.into_iter().next();
        let (dirty, checked_at) = match view.git.as_ref().and_then(dirty) {
            Some((dirty, checked_at)) => (Some(dirty), checked_at),
            None => (is_dirty(repository, &view.session), self.now()),
        };
        let (known, checkouts) = (view.git.as_ref(), checkouts(repository));
        let other = row
            .as_ref()
            .and_then(|row| other_checkout(&view.session, repository, row, &checkouts, known));
        let landed = view.session.landed.as_ref().and_then(|landed| {
            let known = view.git.as_ref().and_then(|facts| facts.landed.clone());
            let question = Question { landed, known };
            look(repository, &[question]).pop().flatten()
        });
        let facts = facts(row, other, landed, dirty, checked_at);
        self.write_stream(|tx| {
            tx.put_git_facts(id, &facts)?;
            self.view_in(tx, id)
        })
    }

    /// The right to change a session by hand: nothing works on it now, and nothing can start meanwhile.
    pub(crate) fn take_at_rest(
        &self,
        id: &SessionId,
    ) -> Result<(crate::lease::Held, SessionView), EngineError> {
        self.recover_session(id)?;
        let lease = self.take_start(id)?;
        Ok((lease, self.session(id)?))
    }

    /// The user chose: the session is not interrupted any more.
    pub(crate) fn settle_interruption(
        &self,
        view: &SessionView,
        settlement: Settlement,
        how: &str,
    ) -> Result<(), EngineError> {
        let Some(iteration) = view
            .iteration
            .as_ref()
            .filter(|_| view.status == SessionStatus::Interrupted)
        else {
            return Ok(());
        };
        let mut iteration = iteration.clone();
        iteration.progress = Progress::Finished(Outcome::Settled(settlement));
        iteration.message = Some(format!("interrupted; {how}"));
        self.write(|tx| {
            tx.put_iteration(&iteration)?;
            let id = &view.session.id;
            tell_status(tx, id, view.status, self.view_in(tx, id)?.status)
        })
    }
}

/// `None` if it cannot be told.
fn is_dirty(repository: &Repository, session: &Session) -> Option<bool> {
    let worktree = repository.worktree_at(&session.worktree).ok()?;
    worktree.is_dirty().ok()
}

pub(crate) fn require_interrupted(view: &SessionView) -> Result<(), EngineError> {
    if view.status == SessionStatus::Interrupted {
        return Ok(());
    }
    if view.may_be_at_work() {
        return Err(busy(view));
    }
    require_place(view)?;
    let id = &view.session.id;
    Err(EngineError::WrongState {
        session: id.clone(),
        status: view.status,
        why: "it was not interrupted",
        way_out: format!("`orchestra session iterate {id}` starts the next iteration"),
    })
}
