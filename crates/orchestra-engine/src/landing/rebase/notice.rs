//! A rebase that waits at a conflict is one of git's, so anybody can go on with it, finish it or give it up there. What is
//! recorded follows.

use orchestra_core::{
    Change, CommitId, EventBody, Landing, Operation, OperationKind, OperationState, Rebase,
    Session, SessionId,
};
use orchestra_git::{RebaseProgress, Snapshot, StoppedRebase, Worktree};
use orchestra_store::Tx;

use super::step::{finished, rebase_in_git, stopped};
use crate::operations::Draft;
use crate::view::tell_status;
use crate::{Engine, EngineError};

/// Something that was done with git.
pub(crate) struct MovedOn {
    after: Landing,
    pub(crate) what: String,
    way: Way,
}

/// What became of the rebase.
enum Way {
    Finished(CommitId),
    GivenUp,
    WentOn,
}

impl Engine {
    /// How the rebase of a session stands, if it is not where it is recorded. `None` as well where that cannot be told.
    pub(crate) fn rebase_moved_on(&self, session: &Session) -> Option<MovedOn> {
        let rebase = session.rebase.as_ref()?;
        let worktree = self.worktree_of(session).ok()?;
        let onto = rebase.base_name();
        let progress = worktree.rebase_progress(&rebase_in_git(session, rebase));
        match progress {
            Ok(RebaseProgress::Finished(head)) => Some(MovedOn {
                after: finished(session, rebase),
                what: format!("the rebase onto {onto} was finished with git"),
                way: Way::Finished(head),
            }),
            Ok(RebaseProgress::Aborted) => Some(MovedOn {
                after: Landing {
                    rebase: None,
                    ..session.landing()
                },
                what: format!("the rebase onto {onto} was given up with git"),
                way: Way::GivenUp,
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
                way: Way::WentOn,
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
        let Some(MovedOn { after, what, way }) = self.rebase_moved_on(&session) else {
            return Ok(None);
        };
        self.record_landing_and(&session, &after, "rebase", |tx| {
            close_steps(tx, &session, &after, &way)
        })?;
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
        let Some(MovedOn { after, what, .. }) = self.rebase_moved_on(session) else {
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
        self.record_landing_and(session, after, field, |_| Ok(()))
    }

    fn record_landing_and(
        &self,
        session: &Session,
        after: &Landing,
        field: &str,
        more: impl FnOnce(&Tx<'_>) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let id = &session.id;
        self.write(|tx| {
            let before = self.view_in(tx, id)?.status;
            tx.set_landing(id, after)?;
            more(tx)?;
            let field = field.to_owned();
            tx.append_event(Some(id), &EventBody::SessionChanged { field })?;
            tell_status(tx, id, before, self.view_in(tx, id)?.status)
        })
    }
}

/// The operations of a rebase that ended with git cannot be undone step by step any more. One that was given up is taken back;
/// one that was finished is one move of the branch, which undo takes back as a whole.
fn close_steps(
    tx: &Tx<'_>,
    session: &Session,
    after: &Landing,
    way: &Way,
) -> Result<(), EngineError> {
    let operations = tx.operations(&session.id)?;
    let done = operations
        .iter()
        .filter(|it| it.state == OperationState::Done);
    let beginning = done
        .clone()
        .filter_map(|it| Some((it.key, begun(it)?)))
        .next_back();
    let (Some((key, rebase)), false) = (beginning, matches!(way, Way::WentOn)) else {
        return Ok(());
    };
    match way {
        Way::Finished(head) => {
            let change = Change::Checkout {
                branch: session.branch.clone(),
                from: rebase.original.clone(),
                to: head.clone(),
            };
            tx.set_operation_change(key, &change)?;
            tx.set_operation_after(key, after)?;
        }
        Way::GivenUp | Way::WentOn => tx.set_operation_state(key, OperationState::Undone)?,
    }
    for step in done.filter(|it| it.key > key) {
        match way {
            Way::Finished(_) if step.can_be_undone() => tx.set_operation_lasting(step.key)?,
            _ => tx.set_operation_state(step.key, OperationState::Undone)?,
        }
    }
    Ok(())
}

/// The rebase that an operation began.
fn begun(operation: &Operation) -> Option<&Rebase> {
    let is_beginning = operation.kind == OperationKind::Rebase && operation.before.rebase.is_none();
    operation.after.rebase.as_ref().filter(|_| is_beginning)
}
