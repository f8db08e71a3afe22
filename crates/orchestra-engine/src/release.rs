//! A session whose worktree was deleted for good keeps its records, and nobody has to do without its name, branch or directory
//! because of them: it gives them up to whoever wants them.

use std::path::{Path, PathBuf};

use orchestra_core::{BranchName, EventBody, RepositoryId, Session, SessionName};
use orchestra_store::Tx;

use crate::EngineError;

/// What a session is about to get.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) repository: RepositoryId,
    pub(crate) name: &'a SessionName,
    pub(crate) branch: Option<&'a BranchName>,
    pub(crate) worktree: Option<&'a Path>,
}

impl<'a> Wanted<'a> {
    /// Everything that a new session reserves.
    pub(crate) fn by(session: &'a Session) -> Self {
        Self {
            repository: session.repository,
            name: &session.name,
            branch: Some(&session.branch),
            worktree: Some(&session.worktree),
        }
    }

    /// What another session is called, has and uses afterwards.
    fn beside(self, session: &Session) -> Session {
        let id = &session.id;
        let is_here = session.repository == self.repository;
        let mut aside = session.clone();
        if is_here && session.name == *self.name {
            aside.name = session.name.beside(id);
        }
        if is_here && Some(&session.branch) == self.branch {
            aside.branch = session.branch.beside(id);
        }
        if Some(session.worktree.as_path()) == self.worktree {
            let mut path = session.worktree.clone().into_os_string();
            path.push(format!("-{id}"));
            aside.worktree = PathBuf::from(path);
        }
        aside
    }
}

/// Lets sessions that were deleted for good give up what is wanted.
pub(crate) fn release(tx: &Tx<'_>, wanted: Wanted<'_>) -> Result<(), EngineError> {
    for session in tx.sessions_deleted_for_good()? {
        let aside = wanted.beside(&session);
        if aside == session {
            continue;
        }
        tx.put_aside(&aside)?;
        let fields = [
            ("name", aside.name != session.name),
            ("branch", aside.branch != session.branch),
            ("worktree", aside.worktree != session.worktree),
        ];
        for (field, _) in fields.into_iter().filter(|(_, changed)| *changed) {
            let field = field.to_owned();
            tx.append_event(Some(&session.id), &EventBody::SessionChanged { field })?;
        }
    }
    Ok(())
}
