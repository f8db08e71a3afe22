//! A person looked at the work and wants it to land. That counts for these very changes, in as many commits and on whatever
//! base they are.

use orchestra_core::{Approval, CommitId, EventBody, PatchId, Session, SessionId};
use orchestra_git::{CommitError, Repository};

use super::MergeError;
use super::merge::conflict_way_out;
use crate::view::SessionView;
use crate::{Engine, EngineError};

impl Engine {
    /// Records that a person wants the work to land, as it is on the branch now.
    ///
    /// # Errors
    /// If something works on the session, something is uncommitted, or there is no work.
    pub fn approve(&self, id: &SessionId) -> Result<SessionView, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        let session = &view.session;
        let repository = self.repository_of(session)?;
        let head = self.own_head(session, &repository)?;
        self.require_all_committed(session)?;
        let base = self.known_base(session, &repository)?;
        let Some(patch_id) = changes_of(&repository, &base, &head)? else {
            return Err(MergeError::Nothing {
                session: id.clone(),
                into: session.base_branch.clone(),
            }
            .into());
        };
        let identity = repository.configuration().identity();
        self.record_approval(
            id,
            Some(&Approval {
                patch_id,
                commit: head,
                by: identity.map(|identity| format!("{} <{}>", identity.name, identity.email)),
                at: self.now(),
            }),
        )
    }

    /// Takes an approval back.
    ///
    /// # Errors
    /// If something works on the session.
    pub fn withdraw_approval(&self, id: &SessionId) -> Result<SessionView, EngineError> {
        let (_lease, _view) = self.take_at_rest(id)?;
        self.record_approval(id, None)
    }

    /// Whether what was approved is what the session has now; `None` if nobody approved it.
    ///
    /// # Errors
    /// If the session has no branch any more, or git fails.
    pub fn approval_counts(&self, session: &Session) -> Result<Option<bool>, EngineError> {
        let Some(approval) = &session.approval else {
            return Ok(None);
        };
        let repository = self.repository_of(session)?;
        let head = self.own_head(session, &repository)?;
        let base = self.known_base(session, &repository)?;
        let now = changes_of(&repository, &base, &head)?;
        Ok(Some(now.is_none_or(|now| now == approval.patch_id)))
    }

    fn record_approval(
        &self,
        id: &SessionId,
        approval: Option<&Approval>,
    ) -> Result<SessionView, EngineError> {
        self.write(|tx| {
            tx.set_approval(id, approval)?;
            let field = "approval".to_owned();
            tx.append_event(Some(id), &EventBody::SessionChanged { field })?;
            self.view_in(tx, id)
        })
    }

    /// What is not committed was perhaps looked at too, and would not be what lands.
    fn require_all_committed(&self, session: &Session) -> Result<(), EngineError> {
        let Some(worktree) = self.find_worktree_of(session)? else {
            return Ok(());
        };
        if let Some(way_out) = conflict_way_out(session) {
            return Err(EngineError::WrongState {
                session: session.id.clone(),
                status: self.session(&session.id)?.status,
                why: "a rebase waits at a conflict",
                way_out,
            });
        }
        if let Some(operation) = worktree.in_progress() {
            return Err(CommitError::OperationInProgress(operation).into());
        }
        if !worktree.is_dirty()? {
            return Ok(());
        }
        let id = &session.id;
        Err(EngineError::WrongState {
            session: id.clone(),
            status: self.session(id)?.status,
            why: "it has uncommitted changes, which would not be part of what is approved",
            way_out: format!(
                "commit them with `orchestra session commit {id} --message \"...\"`, or take them away"
            ),
        })
    }
}

/// What identifies the changes of a session, whatever they are based on. `None`: there are none.
pub(super) fn changes_of(
    repository: &Repository,
    base: &CommitId,
    head: &CommitId,
) -> Result<Option<PatchId>, EngineError> {
    let fork = repository.merge_base(base, head)?;
    let fork = fork.unwrap_or_else(|| base.clone());
    Ok(repository.exact_patch_id(&fork, head)?)
}
