//! What iterations used and how they went, in sums.

use std::path::Path;

use orchestra_core::RepositoryId;
use orchestra_store::{MetricsBy, MetricsFilter, MetricsRow};

use crate::{Engine, EngineError};

/// No repository has this key.
const NO_REPOSITORY: RepositoryId = RepositoryId(-1);

impl Engine {
    /// Sums over iterations, once for each thing they are told apart by, all of the same moment.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn metrics(
        &self,
        filter: MetricsFilter,
        by: &[MetricsBy],
    ) -> Result<Vec<Vec<MetricsRow>>, EngineError> {
        self.store.read(|tx| {
            let by = by.iter();
            by.map(|by| Ok(tx.metrics(filter, *by)?)).collect()
        })
    }

    /// The key of a repository for a filter; one that is not known has nothing to sum up.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn repository_key(&self, root: &Path) -> Result<RepositoryId, EngineError> {
        let known = self.known_repository(root)?;
        Ok(known.map_or(NO_REPOSITORY, |known| known.id))
    }

    /// How large the store is: its database, and what is not written into it yet.
    #[must_use]
    pub fn store_bytes(&self) -> u64 {
        let database = &self.config().core.database_path;
        let mut log = database.clone().into_os_string();
        log.push("-wal");
        let sizes = [database.as_path(), Path::new(&log)].into_iter();
        sizes
            .filter_map(|file| file.metadata().ok())
            .map(|metadata| metadata.len())
            .sum()
    }
}
