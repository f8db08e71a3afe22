//! Snapshots are kept for as long as the settings say; after that, their operations cannot be undone any more.

use std::collections::BTreeSet;
use std::path::PathBuf;

use orchestra_core::{Operation, SessionId, SnapshotName, Timestamp};
use orchestra_git::Snapshot;

use super::{Dropped, Gc};
use crate::backup::age;
use crate::folder::paths_in;
use crate::landing::trash::{counted, later};
use crate::{Engine, EngineError};

impl Engine {
    pub(super) fn drop_old_snapshots(&self, request: Gc) -> Result<Dropped, EngineError> {
        let mut old = Dropped::default();
        for session in self.sessions_with_snapshots()? {
            let Some(_lease) = self
                .leases
                .try_start(&session)
                .map_err(|source| EngineError::io("lock the session", source))?
            else {
                continue;
            };
            for folder in self.forget_old(&session, request)? {
                old.count += 1;
                old.bytes += counted(&folder).unwrap_or_default();
                if request == Gc::Do {
                    Snapshot::in_folder(&folder).remove()?;
                }
            }
        }
        Ok(old)
    }

    /// Operations forget their snapshots before these are deleted, so that none promises what is gone. Answers the folders
    /// that nothing needs, those included that somebody who was cut off left behind: at once if not everything is in them.
    fn forget_old(&self, id: &SessionId, request: Gc) -> Result<Vec<PathBuf>, EngineError> {
        let now = self.now();
        let retention = self.config().git.undo_retention;
        let is_old = |operation: &Operation| {
            let ended = operation.finished_at;
            ended.is_some_and(|ended: Timestamp| later(ended, retention) <= now)
        };
        let operations = self.operations(id)?;
        let (old, kept): (Vec<_>, Vec<_>) = operations
            .into_iter()
            .filter(|operation| operation.snapshot.is_some())
            .partition(is_old);
        if request == Gc::Do && !old.is_empty() {
            self.write(|tx| {
                for operation in &old {
                    tx.forget_snapshot(operation.key)?;
                }
                Ok(())
            })?;
            self.failpoints.pass("gc.snapshots_forgotten");
        }
        let needed: BTreeSet<_> = kept.into_iter().filter_map(|it| it.snapshot).collect();
        let known: BTreeSet<_> = old.into_iter().filter_map(|it| it.snapshot).collect();
        let is_dropped = |folder: &PathBuf| {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            // What is called otherwise is nobody's snapshot.
            let name = name.parse::<SnapshotName>().ok();
            let is_one_of = |names: &BTreeSet<SnapshotName>| {
                name.as_ref().is_some_and(|name| names.contains(name))
            };
            let was_left = || age(folder).is_some_and(|age| age >= retention);
            let is_unfinished = Snapshot::in_folder(folder).is_unfinished();
            !is_one_of(&needed) && (is_one_of(&known) || is_unfinished || was_left())
        };
        let folders = paths_in(&self.dirs.snapshots().join(id.as_str()))?;
        Ok(folders.into_iter().filter(is_dropped).collect())
    }

    /// Whose snapshots there are.
    pub(crate) fn sessions_with_snapshots(&self) -> Result<Vec<SessionId>, EngineError> {
        let folders = paths_in(&self.dirs.snapshots())?.into_iter();
        let names = folders.filter_map(|folder| Some(folder.file_name()?.to_str()?.to_owned()));
        Ok(names.filter_map(|name| name.parse().ok()).collect())
    }
}
