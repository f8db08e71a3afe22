//! What becomes of an operation whose end is not recorded: git is asked how far it came, and it is finished or taken back.

use orchestra_core::{BranchName, Change, CommitId, EventBody, Operation, Session, SessionId};
use orchestra_git::{CommitError, Moved, RefMove, Worktree};

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
        let settled = match &operation.change {
            Change::Index {
                branch, to, index, ..
            } => self.settle_index(session, (branch, to), index.as_deref())?,
            Change::Worktree { restoring } => {
                self.settle_restoring(session, operation, restoring.as_deref())
            }
            Change::Lasting => Settled::gone("its end is not known".to_owned()),
        };
        if settled.lasts {
            self.finish(operation)?;
        } else {
            self.fail(operation)?;
        }
        let Settled { what, .. } = settled;
        Ok(format!("{} was cut off; {what}", operation.kind))
    }

    /// The branch tells whether it took place; the index follows it.
    fn settle_index(
        &self,
        session: &Session,
        (branch, to): (&BranchName, &CommitId),
        index: Option<&str>,
    ) -> Result<Settled, EngineError> {
        let worktree = self.worktree_of(session)?;
        if worktree.repository().find_branch(branch)?.as_ref() != Some(to) {
            return Ok(Settled::gone("the branch is where it was".to_owned()));
        }
        if let Some(name) = index {
            worktree.clear_stale_locks()?;
            worktree.restore_index(&self.snapshot(&session.id, name))?;
        }
        Ok(Settled::lasts(format!("`{branch}` is at {}", to.short())))
    }

    /// Everything is put back as it was before, so that the user can ask again. Where that is not possible, the snapshot is
    /// named.
    fn settle_restoring(
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
        Settled::gone(match put_back {
            Ok(()) => "everything is as it was before".to_owned(),
            Err(error) => format!(
                "{}; the state before is kept in {}",
                chain::text(&error),
                before.folder().display()
            ),
        })
    }

    /// Moves the branch of a session if it still is where the caller thinks.
    pub(crate) fn move_branch(
        &self,
        session: &Session,
        worktree: &Worktree,
        branch: &BranchName,
        (from, to): (&CommitId, &CommitId),
    ) -> Result<(), EngineError> {
        let change = RefMove {
            full_name: &branch.full_ref(),
            from: Some(from),
            to,
            why: &format!("orchestra: {}", session.name),
        };
        match worktree.move_reference(&change)? {
            Moved::Yes => Ok(()),
            Moved::Refused(current) => Err(CommitError::Moved {
                parent: from.clone(),
                current,
            }
            .into()),
        }
    }
}
