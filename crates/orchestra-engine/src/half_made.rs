//! Sessions whose worktree is not whole: it is finished, or taken back with everything that was made for it.

use orchestra_core::{Session, SessionStatus};
use orchestra_git::{Fill, HalfMade, Removal, Worktree};
use orchestra_store::{Effect, OpenIntent};

use crate::recover::{close_settled, note_recovered};
use crate::view::tell_status;
use crate::{Engine, EngineError, chain};

impl Engine {
    /// A worktree that was being made: finished if it is registered, taken back if not.
    pub(crate) fn settle_worktree(
        &self,
        session: &Session,
        intent: &OpenIntent,
    ) -> Result<String, EngineError> {
        self.repository_of(session)?
            .repair_half_made(&[half_made(session)])?;
        match self.own_worktree(session)? {
            Some(worktree) => self.finish_worktree(session, intent, &worktree),
            None => self.take_back(session),
        }
    }

    /// Files that were all written are left alone: somebody may have worked on them since.
    fn finish_worktree(
        &self,
        session: &Session,
        intent: &OpenIntent,
        worktree: &Worktree,
    ) -> Result<String, EngineError> {
        if !worktree.is_filled() {
            worktree.clear_stale_locks()?;
            let head = worktree.head()?.commit().cloned();
            let head = head.unwrap_or_else(|| session.base_commit.clone());
            worktree.fill(&head, Fill::Again)?;
        }
        let what = "its worktree was finished".to_owned();
        self.write(|tx| {
            tx.set_worktree_ready(&session.id)?;
            let (from, to) = (SessionStatus::Initializing, SessionStatus::Idle);
            tell_status(tx, &session.id, from, to)?;
            close_settled(tx, intent, &what, &what)
        })?;
        Ok(what)
    }

    /// Takes back a session that cannot be made, and answers what to report. What cannot be taken back now keeps its
    /// record and an intent, so that recovery finishes it.
    pub(crate) fn give_up(&self, session: &Session, cause: EngineError) -> EngineError {
        let intended = self.write(|tx| {
            tx.close_intents_of(&session.id, "failed")?;
            tx.open_intent(&session.id, &Effect::TakeBackWorktree)?;
            Ok(())
        });
        self.failpoints.pass("create.giving_up");
        match intended.and_then(|()| self.unmake(session)) {
            Ok(_) => cause,
            Err(error) => EngineError::HalfMade {
                session: session.id.clone(),
                why: format!("it cannot be taken back: {}", chain::text(&error)),
                cause: Box::new(cause),
            },
        }
    }

    /// A worktree that has all its files may have been worked in since: it is finished, not removed.
    pub(crate) fn settle_taking_back(
        &self,
        session: &Session,
        intent: &OpenIntent,
    ) -> Result<String, EngineError> {
        match self.own_worktree(session)? {
            Some(worktree) if worktree.is_filled() => {
                self.finish_worktree(session, intent, &worktree)
            }
            _ => self.unmake(session),
        }
    }

    /// Removes the record of a session that never came to be, and of a repository that has nothing else.
    pub(crate) fn take_back(&self, session: &Session) -> Result<String, EngineError> {
        let what = format!(
            "session {} ({}) was taken back: its worktree could not be made",
            session.id, session.name
        );
        self.write(|tx| {
            tx.delete_session(&session.id)?;
            tx.forget_unused_repository(session.repository)?;
            note_recovered(tx, &session.id, &what)
        })?;
        Ok(what)
    }

    /// Removes worktree, branch and record, in this order. Doing it twice is harmless.
    fn unmake(&self, session: &Session) -> Result<String, EngineError> {
        if let Some(worktree) = self.own_worktree(session)? {
            worktree.remove(Removal::DiscardChanges)?;
        }
        self.failpoints.pass("create.worktree_removed");
        self.repository_of(session)?
            .repair_half_made(&[half_made(session)])?;
        self.failpoints.pass("create.removed");
        self.take_back(session)
    }

    /// The session's worktree, if git has it and it is on the session's branch.
    fn own_worktree(&self, session: &Session) -> Result<Option<Worktree>, EngineError> {
        let repository = self.repository_of(session)?;
        let Ok(worktree) = repository.worktree_at(&session.worktree) else {
            return Ok(None);
        };
        let is_own = worktree.head()?.branch() == Some(&session.branch);
        Ok(is_own.then_some(worktree))
    }
}

/// What git has to look for.
pub(crate) fn half_made(session: &Session) -> HalfMade {
    HalfMade {
        path: session.worktree.clone(),
        branch: (!session.branch_adopted)
            .then(|| (session.branch.clone(), session.base_commit.clone())),
    }
}
