//! Snapshots, and what is left of taking one that was cut off.

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_core::SessionId;
use orchestra_git::Snapshot;

use super::{Diagnosis, Health};
use crate::folder::paths_in;
use crate::{Engine, EngineError};

const NAME: &str = "snapshots";

impl Engine {
    pub(super) fn check_snapshots(&self, fix: bool) -> Result<Vec<Diagnosis>, EngineError> {
        let (mut whole, mut checks) = (0, Vec::new());
        for (session, folder) in self.snapshot_folders()? {
            if !Snapshot::in_folder(&folder).is_unfinished() {
                whole += 1;
            } else if let Some(check) = self.check_unfinished(&session, &folder, fix)? {
                checks.push(check);
            }
        }
        if whole > 0 {
            let place = self.dirs.snapshots();
            let detail = format!("{whole} kept in {}", place.display());
            checks.insert(0, Diagnosis::new(NAME, Health::Good, detail));
        }
        Ok(checks)
    }

    /// The folders of all sessions, in the order of their names.
    fn snapshot_folders(&self) -> Result<Vec<(SessionId, PathBuf)>, EngineError> {
        let mut found = Vec::new();
        for id in self.sessions_with_snapshots()? {
            let folders = paths_in(&self.dirs.snapshots().join(id.as_str()))?;
            found.extend(folders.into_iter().map(|folder| (id.clone(), folder)));
        }
        Ok(found)
    }

    fn check_unfinished(
        &self,
        session: &SessionId,
        folder: &Path,
        fix: bool,
    ) -> Result<Option<Diagnosis>, EngineError> {
        let lock = self.leases.try_start(session);
        let lock = lock.map_err(|source| EngineError::io("lock the session", source))?;
        let Some(_lock) = lock else {
            return Ok(None);
        };
        let place = folder.display();
        if !fix {
            let detail = format!("taking a snapshot was cut off and left {place}");
            let check = Diagnosis::new(NAME, Health::Note, detail);
            return Ok(Some(check.hint("`orchestra doctor --fix` removes it")));
        }
        fs::remove_dir_all(folder)
            .map_err(|source| EngineError::io(format!("remove {place}"), source))?;
        let detail = format!("removed the unfinished {place}");
        Ok(Some(Diagnosis::new(NAME, Health::Fixed, detail)))
    }
}
