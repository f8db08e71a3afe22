//! Bringing back what was kept. Everything is looked at, under git's own lock, before the first file is changed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use orchestra_core::CommitId;

use super::entries::Entries;
use super::files::{self, Place};
use super::{INDEX, KeepError, KeptChanges, OBJECTS, copy_index};
use crate::diff::DiffScope;
use crate::error::{AtPath, GitError};
use crate::shadow::{Shadow, shared_indexes};
use crate::worktree::Worktree;

impl Worktree {
    /// Brings back what was kept: files, what is staged, what is not. Doing it twice, or after it was cut off, is harmless.
    /// `after_file` is called after each file.
    ///
    /// # Errors
    /// If git is in the middle of something, the worktree is on another commit now, or it holds changes that would be
    /// overwritten; nothing is changed then.
    pub fn restore_changes(
        &self,
        kept: &KeptChanges,
        after_file: &dyn Fn(),
    ) -> Result<(), KeepError> {
        let unfinished = self.path().join(kept.unfinished_name());
        files::remove_if_present(&unfinished)?;
        self.require_no_operation()?;
        let (head, paths) = (kept.head()?, kept.paths()?);
        if self.head()?.commit() != Some(&head) {
            return Err(KeepError::HeadMoved {
                kept_on: head,
                patch: kept.patch(),
            });
        }
        let lock = IndexLock::take(self)?;
        self.require_free(kept, &head, &paths)?;
        self.prepare_index(&head, kept, &lock)?;
        for path in &paths {
            Place::new(self.path(), path).remove()?;
        }
        let files = kept.files();
        for path in &paths {
            Place::new(&files, path).copy_to(Place::new(self.path(), path), &unfinished)?;
            after_file();
        }
        Ok(lock.replace(&self.index_path())?)
    }

    /// What is there must be as it is in the commit or as it was kept; else it would be lost.
    fn require_free(
        &self,
        kept: &KeptChanges,
        head: &CommitId,
        paths: &BTreeSet<PathBuf>,
    ) -> Result<(), KeepError> {
        let committed = self.committed_entries(head)?;
        let mut in_the_way = self.overwritten(kept, head, paths, &committed)?;
        let files = kept.files();
        for path in paths {
            if !Place::new(&files, path).is_free()? {
                in_the_way.extend(Place::new(self.path(), path).obstacle(paths)?);
            }
        }
        if !in_the_way.is_empty() {
            return Err(KeepError::InTheWay(in_the_way.into_iter().collect()));
        }
        let kept_index = self.index_entries_in(kept.folder(), head)?;
        let staged = self.index_entries(head)?;
        match staged.unlike(&[&committed, &kept_index]) {
            other if other.is_empty() => Ok(()),
            other => Err(KeepError::StagedInTheWay(other)),
        }
    }

    fn overwritten(
        &self,
        kept: &KeptChanges,
        head: &CommitId,
        paths: &BTreeSet<PathBuf>,
        committed: &Entries,
    ) -> Result<BTreeSet<PathBuf>, GitError> {
        let changes = self.diff_summary(&DiffScope::Since(head.clone()))?;
        let different: BTreeSet<PathBuf> = changes
            .into_iter()
            .flat_map(|change| [Some(change.path), change.original])
            .flatten()
            .collect();
        let files = kept.files();
        let mut found = BTreeSet::new();
        for path in different.union(paths) {
            let place = Place::new(self.path(), path);
            let is_kept = paths.contains(path) && place.is_same_as(Place::new(&files, path))?;
            // What the commit does not have and git ignores is in no diff.
            let is_committed = !different.contains(path) && committed.has(path);
            if !is_kept && !is_committed && !place.is_free()? {
                found.insert(path.clone());
            }
        }
        Ok(found)
    }

    /// Everything about the index but its taking its place: objects nobody needs do no harm.
    fn prepare_index(
        &self,
        head: &CommitId,
        kept: &KeptChanges,
        lock: &IndexLock,
    ) -> Result<(), GitError> {
        let pack = kept.folder().join(OBJECTS);
        let shadow = Shadow::of_worktree(self, head)?;
        let call = shadow
            .call("unpack-objects")
            .arg("-q")
            .stdin(fs::read(&pack).at(&pack)?);
        self.repository().git().run(&call)?.require_success()?;
        for shared in shared_indexes(kept.folder())? {
            let name = shared.file_name().unwrap_or_default();
            copy_index(&shared, &self.admin_dir().join(name))?;
        }
        copy_index(&kept.folder().join(INDEX), &lock.path)
    }
}

/// git's lock on the index of a worktree: whoever has it may replace the index. Given up when dropped.
#[derive(Debug)]
struct IndexLock {
    path: PathBuf,
}

impl IndexLock {
    fn take(worktree: &Worktree) -> Result<Self, GitError> {
        let path = worktree.admin_dir().join("index.lock");
        fs::File::create_new(&path).at(&path)?;
        Ok(Self { path })
    }

    /// What was written into the lock becomes the index, in one step.
    fn replace(self, index: &Path) -> Result<(), GitError> {
        fs::rename(&self.path, index).at(index)
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        // It is gone if it became the index. A lock that cannot be removed is found as a stale one later.
        fs::remove_file(&self.path).ok();
    }
}
