//! Caches of sessions whose worktree was deleted for good, where that could not be done at the same time.

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
            let Some(cache) = self.find_useless_cache(&id)? else {
                continue;
            };
            let lease = self.leases.try_start(&id);
            let lease = lease.map_err(|source| EngineError::io("lock the session", source))?;
            let Some(_lease) = lease else {
                continue;
            };
            let bytes = counted(&cache).unwrap_or_default();
            if request == Gc::Do
                && let Err(error) = self.remove_cache(&id)
            {
                problems.push(format!("{id}: {}", chain::text(&error)));
                continue;
            }
            dropped.count += 1;
            dropped.bytes += bytes;
        }
        Ok(dropped)
    }
}
