//! What becomes of an operation whose end is not recorded: git is asked how far it came, and it is finished or taken back.

use orchestra_core::{
    BranchName, Change, CommitId, EventBody, Operation, OperationKind, OperationState, Session,
    SessionId, SnapshotName,
};
use orchestra_git::{Repository, Snapshot};
use orchestra_store::Durability;

use super::{Told, advance_of, changed_nothing};
use crate::recover::{End, Settled};
use crate::{Engine, EngineError, chain};

impl Engine {
    /// Settles everything that a session has open, and says what was done.
    pub(crate) fn settle_operations(&self, session: &Session) -> Result<Vec<String>, EngineError> {
        let open = self.open_operations(&session.id)?;
        let mut done = Vec::new();
        for operation in open {
            let what = self.settle_operation(session, &operation)?;
            self.write(|tx| {
                let body = EventBody::Recovered { what: what.clone() };
                tx.append_event(Some(&session.id), &body)?;
                Ok(())
            })?;
            done.push(what);
        }
        Ok(done)
    }

    pub(crate) fn open_operations(&self, id: &SessionId) -> Result<Vec<Operation>, EngineError> {
        self.store
            .read(|tx| Ok::<_, EngineError>(tx.open_operations(id)?))
    }

    /// What fails half-way is settled at once, or by whoever looks next. The failure itself is what is told.
    pub(super) fn settle_failed(
        &self,
        session: &Session,
        operation: &Operation,
        error: &EngineError,
    ) {
        let settled = match changed_nothing(error) {
            true => self.give_up_on(operation, OperationState::Failed),
            false => self.settle_operation(session, operation).map(drop),
        };
        if let Err(error) = settled {
            tracing::warn!(code = error.code(), %error, operation = %operation.key, "it stays open");
        }
    }

    /// Finishes one operation or takes it back, and says which.
    fn settle_operation(
        &self,
        session: &Session,
        operation: &Operation,
    ) -> Result<String, EngineError> {
        let mut operation = operation.clone();
        let Settled { end, what } = self.settle_change(session, &mut operation)?;
        match end {
            End::Lasts => self.finish(&operation, Told::Unheard, Durability::State)?,
            End::Gone => self.give_up_on(&operation, OperationState::Failed)?,
            End::Unknown => self.give_up_on(&operation, OperationState::Unknown)?,
        }
        Ok(format!("{} was cut off; {what}", operation.kind))
    }

    fn settle_change(
        &self,
        session: &Session,
        operation: &mut Operation,
    ) -> Result<Settled, EngineError> {
        Ok(match &operation.change {
            Change::Branch { branch, from, to } => {
                self.settle_branch(session, branch, (from, to))?
            }
            Change::Checkout { branch, from, to } => {
                self.settle_checkout(session, branch, (from, to))?
            }
            Change::Index {
                branch,
                from,
                to,
                index,
            } => self.settle_index(session, operation, branch, (from, to), index.as_ref())?,
            Change::Worktree { restoring: None } if operation.kind == OperationKind::Rebase => {
                self.settle_rebase(session, operation)
            }
            Change::Worktree { restoring: None } if operation.kind == OperationKind::Resolve => {
                self.settle_resolving(session, operation)
            }
            Change::Worktree { restoring } => {
                self.settle_restoring(session, operation, restoring.as_ref())
            }
            Change::Trash {
                entry,
                into,
                branch,
            } => self.settle_trash(session, (entry, *into), branch.as_ref())?,
            Change::TrashedBranch {
                deleted, branch, ..
            } => self.settle_trashed_branch(session, branch, *deleted)?,
            Change::Lasting => self.settle_push(operation)?,
        })
    }

    fn settle_checkout(
        &self,
        session: &Session,
        branch: &BranchName,
        (from, to): (&CommitId, &CommitId),
    ) -> Result<Settled, EngineError> {
        let repository = self.repository_of(session)?;
        let settled = repository.finish_advance(&advance_of(branch, from, to))?;
        Ok(match settled {
            orchestra_git::AdvanceEnd::New => at(branch, to),
            orchestra_git::AdvanceEnd::Old => stayed(),
            orchestra_git::AdvanceEnd::Elsewhere(current) => {
                moved_since(&repository, branch, (from, to), current.as_ref())
            }
        })
    }

    /// The branch tells whether it took place; the index follows it, unless somebody went on from there.
    fn settle_index(
        &self,
        session: &Session,
        operation: &Operation,
        branch: &BranchName,
        (from, to): (&CommitId, &CommitId),
        index: Option<&SnapshotName>,
    ) -> Result<Settled, EngineError> {
        let settled = self.settle_branch(session, branch, (from, to))?;
        let current = self.repository_of(session)?.find_branch(branch)?;
        if settled.end != End::Lasts || current.as_ref() != Some(to) {
            return Ok(settled);
        }
        let worktree = self.worktree_of(session)?;
        worktree.clear_stale_locks()?;
        if let Some(name) = index {
            worktree.restore_index(&self.snapshot(&session.id, name))?;
        }
        worktree.record_left(&self.kept_for(operation)?)?;
        Ok(settled)
    }

    fn settle_branch(
        &self,
        session: &Session,
        branch: &BranchName,
        (from, to): (&CommitId, &CommitId),
    ) -> Result<Settled, EngineError> {
        let repository = self.repository_of(session)?;
        repository.clear_locks_of_cut_off_move(branch, to)?;
        let current = repository.find_branch(branch)?;
        Ok(match current {
            Some(commit) if commit == *to => at(branch, to),
            Some(commit) if commit == *from => stayed(),
            current => moved_since(&repository, branch, (from, to), current.as_ref()),
        })
    }

    /// Everything is put back as it was before, so that the user can ask again. Where that is not possible, the snapshot is
    /// named.
    pub(crate) fn settle_restoring(
        &self,
        session: &Session,
        operation: &Operation,
        restoring: Option<&SnapshotName>,
    ) -> Settled {
        let before = match self.kept_for(operation) {
            Ok(before) => before,
            Err(error) => return Settled::unknown(chain::text(&error)),
        };
        let other = restoring.map(|name| self.snapshot(&session.id, name));
        let put_back = self.worktree_of(session).and_then(|worktree| {
            worktree.clear_stale_locks()?;
            let after_file = || self.failpoints.pass("recover.restoring");
            Ok(worktree.put_back(&before, other.as_ref(), &after_file)?)
        });
        match put_back {
            Ok(()) => Settled::gone("everything is as it was before".to_owned()),
            Err(error) => kept_apart(&before, &error),
        }
    }
}

/// It can neither be finished nor put back; the snapshot is named.
pub(crate) fn kept_apart(before: &Snapshot, error: &EngineError) -> Settled {
    Settled::unknown(format!(
        "{}; the state before is kept in {}",
        chain::text(error),
        before.folder().display()
    ))
}

/// Somebody moved the branch since: what it has tells what it came from. Where one of the two places contains the other, only
/// the newer one does.
fn moved_since(
    repository: &Repository,
    branch: &BranchName,
    (from, to): (&CommitId, &CommitId),
    current: Option<&CommitId>,
) -> Settled {
    let Some(current) = current else {
        return Settled::unknown(format!("`{branch}` is gone"));
    };
    // A commit that is not there any more is part of nothing.
    let has = |commit, tip| repository.is_ancestor(commit, tip).unwrap_or(false);
    let went_on = || Settled::lasts(format!("`{branch}` has it and went on from there"));
    let without = || Settled::gone(format!("`{branch}` went on without it"));
    match (has(from, current), has(to, current)) {
        (true, true) if has(from, to) => went_on(),
        (true, _) => without(),
        (false, true) => went_on(),
        (false, false) => Settled::unknown(format!("`{branch}` was moved by somebody else since")),
    }
}

fn at(branch: &BranchName, commit: &CommitId) -> Settled {
    Settled::lasts(format!("`{branch}` is at {}", commit.short()))
}

fn stayed() -> Settled {
    Settled::gone("the branch is where it was".to_owned())
}
