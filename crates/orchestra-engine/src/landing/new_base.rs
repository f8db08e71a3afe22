//! Another branch to land on, while the session's commits stay where they are.

use orchestra_core::{BranchName, CommitId, EventBody, Session, SessionId};
use orchestra_git::{Base, Repository};
use orchestra_store::SessionField;

use super::HistoryError;
use crate::view::SessionView;
use crate::{Engine, EngineError};

impl Engine {
    /// Makes a branch the base of a session: what it lands on and is compared with from now on.
    pub(crate) fn take_new_base(
        &self,
        id: &SessionId,
        branch: &BranchName,
    ) -> Result<SessionView, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        let session = &view.session;
        self.require_no_rebase(session)?;
        if *branch == session.branch {
            return Err(EngineError::Invalid {
                problem: format!("`{branch}` is the session's own branch"),
                way_out: Some("choose another one to land on".to_owned()),
            });
        }
        let repository = self.repository_of(session)?;
        let head = self.own_head(session, &repository)?;
        let base = repository.resolve_base(branch, self.fetch_policy())?;
        self.require_own_only(&view, &repository, &base, &head)?;
        let field = SessionField::Base {
            branch: base.name,
            remote: base.remote,
        };
        self.write(|tx| {
            tx.set_field(id, &field)?;
            let field = field.name().to_owned();
            tx.append_event(Some(id), &EventBody::SessionChanged { field })?;
            Ok(())
        })?;
        self.refresh(id)
    }

    /// A rebase that waits knows its base, and goes on with that one.
    fn require_no_rebase(&self, session: &Session) -> Result<(), EngineError> {
        match self.find_worktree_of(session)? {
            Some(worktree) => self.require_nothing_in_progress(session, &worktree),
            None if session.rebase.is_some() => {
                let session = session.id.clone();
                Err(HistoryError::Conflicted { session }.into())
            }
            None => Ok(()),
        }
    }

    /// Whatever a base does not have counts as the session's own, so commits of the former one would land with them.
    fn require_own_only(
        &self,
        view: &SessionView,
        repository: &Repository,
        base: &Base,
        head: &CommitId,
    ) -> Result<(), EngineError> {
        let id = &view.session.id;
        match self.fork(&view.session, repository, head)? {
            Some(fork) if !repository.is_ancestor(&fork, &base.commit)? => {
                Err(EngineError::WrongState {
                    session: id.clone(),
                    status: view.status,
                    why: "it has commits of its base that the other branch does not have",
                    way_out: format!(
                        "`orchestra session rebase {id} --onto {}` takes only its own commits there, and makes it the base",
                        base.name
                    ),
                })
            }
            _ => Ok(()),
        }
    }
}
