//! What becomes of an operation whose end is not recorded: git is asked how far it came, and it is finished or taken back.

use orchestra_core::{
    BranchName, Change, CommitId, EventBody, Operation, OperationKind, Session, SessionId,
};

use orchestra_git::Snapshot;

use super::advance_of;
use crate::recover::Settled;
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

    /// Finishes one operation or takes it back, and says which.
    pub(super) fn settle_operation(
        &self,
        session: &Session,
        operation: &Operation,
    ) -> Result<String, EngineError> {
        let mut operation = operation.clone();
        let settled = match &operation.change {
            Change::Branch { branch, to, .. } => self.settle_branch(session, branch, to)?,
            Change::Checkout { branch, from, to } => {
                let repository = self.repository_of(session)?;
                let advance = advance_of(branch, from, to);
                match repository.finish_advance(&advance)? {
                    orchestra_git::Settled::New => at(branch, to),
                    orchestra_git::Settled::Old => stayed(),
                    orchestra_git::Settled::Elsewhere(_) => {
                        Settled::gone(format!("`{branch}` was moved by somebody else since"))
                    }
                }
            }
            Change::Index {
                branch, to, index, ..
            } => self.settle_index(session, &operation, (branch, to), index.as_deref())?,
            Change::Worktree { restoring: None } if operation.kind == OperationKind::Rebase => {
                self.settle_rebase(session, &mut operation)
            }
            Change::Worktree { restoring: None } if operation.kind == OperationKind::Resolve => {
                self.settle_resolving(session, &operation)
            }
            Change::Worktree { restoring } => {
                self.settle_restoring(session, &operation, restoring.as_deref())
            }
            Change::Trash {
                entry,
                into,
                branch,
            } => self.settle_trash(session, (entry, *into), branch.as_ref())?,
            Change::TrashedBranch {
                deleted, branch, ..
            } => self.settle_trashed_branch(session, branch, *deleted)?,
            Change::Lasting => self.settle_push(&operation)?,
        };
        if settled.lasts {
            self.finish(&operation)?;
        } else {
            self.fail(&operation)?;
        }
        let Settled { what, .. } = settled;
        Ok(format!("{} was cut off; {what}", operation.kind))
    }

    /// The branch tells whether it took place; the index follows it.
    fn settle_index(
        &self,
        session: &Session,
        operation: &Operation,
        (branch, to): (&BranchName, &CommitId),
        index: Option<&str>,
    ) -> Result<Settled, EngineError> {
        let settled = self.settle_branch(session, branch, to)?;
        if !settled.lasts {
            return Ok(settled);
        }
        let worktree = self.worktree_of(session)?;
        worktree.clear_stale_locks()?;
        if let Some(name) = index {
            worktree.restore_index(&self.snapshot(&session.id, name))?;
        }
        if let Some(name) = &operation.snapshot {
            worktree.record_left(&self.snapshot(&session.id, name))?;
        }
        Ok(settled)
    }

    fn settle_branch(
        &self,
        session: &Session,
        branch: &BranchName,
        to: &CommitId,
    ) -> Result<Settled, EngineError> {
        let current = self.repository_of(session)?.find_branch(branch)?;
        if current.as_ref() == Some(to) {
            return Ok(at(branch, to));
        }
        Ok(stayed())
    }

    /// Everything is put back as it was before, so that the user can ask again. Where that is not possible, the snapshot is
    /// named.
    pub(crate) fn settle_restoring(
        &self,
        session: &Session,
        operation: &Operation,
        restoring: Option<&str>,
    ) -> Settled {
        let Some(name) = &operation.snapshot else {
            return Settled::gone("nothing had been changed".to_owned());
        };
        let before = self.snapshot(&session.id, name);
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
    Settled::gone(format!(
        "{}; the state before is kept in {}",
        chain::text(error),
        before.folder().display()
    ))
}

fn at(branch: &BranchName, commit: &CommitId) -> Settled {
    Settled::lasts(format!("`{branch}` is at {}", commit.short()))
}

fn stayed() -> Settled {
    Settled::gone("the branch is where it was".to_owned())
}
