//! A rebase that waits at a conflict is one of git's, so anybody can go on with it, finish it or give it up there. What is
//! recorded follows.

use orchestra_core::{Change, EventBody, Landing, OperationKind, Session, SessionId};
use orchestra_git::{RebaseProgress, Snapshot, StoppedRebase, Worktree};

use super::step::{finished, rebase_in_git, stopped};
use crate::operations::Draft;
use crate::view::tell_status;
use crate::{Engine, EngineError};

/// Something that was done with git.
pub(crate) struct MovedOn {
    after: Landing,
    pub(crate) what: String,
}

impl Engine {
    /// How the rebase of a session stands, if it is not where it is recorded. `None` as well where that cannot be told.
    pub(crate) fn rebase_moved_on(&self, session: &Session) -> Option<MovedOn> {
        let rebase = session.rebase.as_ref()?;
        let worktree = self.worktree_of(session).ok()?;
        let onto = rebase.base_name();
        let progress = worktree.rebase_progress(&rebase_in_git(session, rebase));
        match progress {
            Ok(RebaseProgress::Finished(_)) => Some(MovedOn {
                after: finished(session, rebase),
                what: format!("the rebase onto {onto} was finished with git"),
            }),
            Ok(RebaseProgress::Aborted) => Some(MovedOn {
                after: Landing {
                    rebase: None,
                    ..session.landing()
                },
                what: format!("the rebase onto {onto} was given up with git"),
            }),
            Ok(RebaseProgress::Stopped(StoppedRebase {
                at: Some(at),
                rest,
                is_whole: true,
            })) if (&at, &rest) != (&rebase.stopped_at, &rebase.rest) => Some(MovedOn {
                after: stopped(session, rebase, &at, &rest),
                what: format!(
                    "somebody went on with the rebase onto {onto}, which waits at {} now",
                    at.short()
                ),
            }),
            Ok(RebaseProgress::Stopped(_)) => None,
            Err(error) => {
                tracing::debug!(code = error.code(), %error, "cannot tell where a rebase stands");
                None
            }
        }
    }

    /// Records what was done with git. Only for whoever has the session's lease.
    pub(crate) fn notice_rebase(&self, id: &SessionId) -> Result<Option<String>, EngineError> {
        let session = self.session(id)?.session;
        let Some(MovedOn { after, what }) = self.rebase_moved_on(&session) else {
            return Ok(None);
        };
        self.record_landing(&session, &after, "rebase")?;
        Ok(Some(what))
    }

    /// Records what an agent did to the rebase with git since a snapshot, so that it can be taken back. Only for whoever has the
    /// session's lease.
    pub(crate) fn take_rebase(
        &self,
        session: &Session,
        worktree: &Worktree,
        before: &Snapshot,
    ) -> Result<Option<String>, EngineError> {
        let Some(MovedOn { after, what }) = self.rebase_moved_on(session) else {
            return Ok(None);
        };
        let draft = Draft {
            after,
            snapshot: Some(before),
            ..Draft::new(
                session,
                OperationKind::Rebase,
                Change::Worktree { restoring: None },
                what.clone(),
            )
        };
        self.operate(&draft, || Ok(worktree.record_left(before)?))?;
        Ok(Some(what))
    }

    /// Records what holds for a session without anything that we did.
    pub(super) fn record_landing(
        &self,
        session: &Session,
        after: &Landing,
        field: &str,
    ) -> Result<(), EngineError> {
        let id = &session.id;
        self.write(|tx| {
            let before = self.view_in(tx, id)?.status;
            tx.set_landing(id, after)?;
            let field = field.to_owned();
            tx.append_event(Some(id), &EventBody::SessionChanged { field })?;
            tell_status(tx, id, before, self.view_in(tx, id)?.status)
        })
    }
}
