//! Databases outlive the worktree of their session until somebody wants them dropped.

use std::collections::BTreeSet;

use orchestra_core::{SessionDatabase, SessionId};

use crate::{Engine, EngineError};

impl Engine {
    /// Databases of sessions whose worktree was deleted for good. `cleanup` with [`crate::DatabaseChoice::Drop`] drops them.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn databases_left(&self) -> Result<Vec<SessionDatabase>, EngineError> {
        self.store.read(|tx| {
            let deleted = tx.sessions_deleted_for_good()?.into_iter();
            let deleted: BTreeSet<SessionId> = deleted.map(|session| session.id).collect();
            let all = tx.databases(None)?.into_iter();
            Ok(all.filter(|it| deleted.contains(&it.session)).collect())
        })
    }
}
