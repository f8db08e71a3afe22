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
    /// Whether the file of that name is still ours.
    is_held: bool,
}

impl IndexLock {
    pub(crate) fn take(worktree: &Worktree) -> Result<Self, GitError> {
        let path = worktree.admin_dir().join("index.lock");
        fs::File::create_new(&path).at(&path)?;
        Ok(Self {
            path,
            is_held: true,
        })
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
    pub(crate) fn replace(mut self, index: &Path) -> Result<(), GitError> {
        self.become_index(index)
    }

    fn become_index(&mut self, index: &Path) -> Result<(), GitError> {
        fs::rename(&self.path, index).at(index)?;
        self.is_held = false;
        Ok(())
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        // Once it became the index, a file of its name is the lock of whoever came next.
        if self.is_held {
            // A lock that cannot be removed is found as a stale one later.
            fs::remove_file(&self.path).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_of_whoever_came_next_stays() {
        let place = tempfile::tempdir().unwrap();
        let (path, index) = (place.path().join("index.lock"), place.path().join("index"));
        let taken = || {
            fs::File::create_new(&path).unwrap();
            IndexLock {
                path: path.clone(),
                is_held: true,
            }
        };
        let mut ours = taken();
        ours.become_index(&index).unwrap();
        let theirs = taken();
        drop(ours);
        assert!(path.exists() && index.exists());
        drop(theirs);
        assert!(!path.exists());
    }
}
