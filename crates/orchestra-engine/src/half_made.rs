//! Sessions whose worktree is not whole: it is finished, or taken back with everything that was made for it.

use orchestra_core::{EventBody, Session, SessionStatus};
use orchestra_git::{Fill, HalfMade, Worktree};
use orchestra_store::OpenIntent;

use crate::{Engine, EngineError};

impl Engine {
    /// A worktree that was being made: finished if it is registered, taken back if not.
    pub(crate) fn settle_worktree(
        &self,
        session: &Session,
        intent: &OpenIntent,
    ) -> Result<String, EngineError> {
        let repository = self.repository_of(session)?;
        repository.repair_half_made(&[half_made(session)])?;
        match repository.worktree_at(&session.worktree) {
            Ok(worktree) if worktree.head()?.branch() == Some(&session.branch) => {
                self.finish_worktree(session, intent, &worktree)
            }
            _ => self.take_back(session, "its worktree was never made"),
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
            tx.close_intent(intent.key, &what)?;
            let changed = EventBody::SessionStatusChanged {
                from: SessionStatus::Initializing,
                to: SessionStatus::Idle,
            };
            let recovered = EventBody::Recovered { what: what.clone() };
            tx.append_event(Some(&session.id), &changed)?;
            tx.append_event(Some(&session.id), &recovered)?;
            Ok(())
        })?;
        Ok(what)
    }

    /// Removes the record of a session that never came to be.
    pub(crate) fn take_back(&self, session: &Session, why: &str) -> Result<String, EngineError> {
        let what = format!(
            "session {} ({}) was taken back: {why}",
            session.id, session.name
        );
        self.write(|tx| {
            tx.delete_session(&session.id)?;
            tx.append_event(
                Some(&session.id),
                &EventBody::Recovered { what: what.clone() },
            )?;
            Ok(())
        })?;
        Ok(what)
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
