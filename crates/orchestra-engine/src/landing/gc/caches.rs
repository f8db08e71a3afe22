//! Caches of sessions whose worktree was deleted for good, where that could not be done at the same time.

use orchestra_core::SessionId;

use super::{Dropped, Gc};
use crate::landing::trash::counted;
use crate::{Engine, EngineError, chain};

impl Engine {
    /// Removes them. One that cannot be removed is a problem, and keeps no other from it.
    pub(super) fn drop_useless_caches(
        &self,
        request: Gc,
        problems: &mut Vec<String>,
    ) -> Result<Dropped, EngineError> {
        let deleted = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.sessions_deleted_for_good()?))?;
        let mut dropped = Dropped::default();
        for id in deleted.into_iter().map(|session| session.id) {
            match self.drop_useless_cache(&id, request) {
                Ok(None) => {}
                Ok(Some(bytes)) => {
                    dropped.count += 1;
                    dropped.bytes += bytes;
                }
                Err(error) => problems.push(format!("{id}: {}", chain::text(&error))),
            }
        }
        Ok(dropped)
    }

    /// The bytes that are free now, or would be. `None` if there is nothing to remove, or somebody works with it.
    fn drop_useless_cache(&self, id: &SessionId, request: Gc) -> Result<Option<u64>, EngineError> {
        let Some(cache) = self.find_useless_cache(id)? else {
            return Ok(None);
        };
        let lease = self.leases.try_start(id);
        let lease = lease.map_err(|source| EngineError::io("lock the session", source))?;
        let Some(_lease) = lease else {
            return Ok(None);
        };
        let bytes = counted(&cache).unwrap_or_default();
        if request == Gc::Do {
            self.remove_cache(id)?;
        }
        Ok(Some(bytes))
    }
}
