//! git's lock on an index.

use std::fs;
use std::path::{Path, PathBuf};

use crate::disk;
use crate::error::{AtPath, GitError};
use crate::worktree::Worktree;

/// git's lock on the index of a worktree: whoever has it may replace the index. Given up when dropped.
#[derive(Debug)]
pub(crate) struct IndexLock {
    path: PathBuf,
}

impl IndexLock {
    pub(crate) fn take(worktree: &Worktree) -> Result<Self, GitError> {
        let path = worktree.admin_dir().join("index.lock");
        fs::File::create_new(&path).at(&path)?;
        Ok(Self { path })
    }

    /// Writes a copy of an index into the lock.
    pub(crate) fn fill(&self, from: &Path) -> Result<(), GitError> {
        disk::copy_index(from, &self.path)
    }

    /// New bytes become the index, in one step.
    #[cfg(target_os = "linux")]
    pub(crate) fn put(self, bytes: &[u8], index: &Path) -> Result<(), GitError> {
        fs::write(&self.path, bytes).at(&self.path)?;
        self.replace(index)
    }

    /// What was written into the lock becomes the index, in one step.
    pub(crate) fn replace(self, index: &Path) -> Result<(), GitError> {
        fs::rename(&self.path, index).at(index)
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        // It is gone if it became the index. A lock that cannot be removed is found as a stale one later.
        fs::remove_file(&self.path).ok();
    }
}
