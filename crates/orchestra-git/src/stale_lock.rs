//! Lock files that a killed process left, git or one of ours. git never removes them by itself and fails until they are gone.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use orchestra_core::{BranchName, CommitId};

use crate::error::{AtPath, GitError};
use crate::git_process::{is_running_in, wait_for_others_in};
use crate::repository::Repository;
use crate::repository_lock::RepositoryLock;
use crate::worktree::Worktree;

/// Locks that belong to one worktree.
const OF_WORKTREE: &[&str] = &["index.lock", "HEAD.lock"];
/// Locks that all worktrees share.
const OF_REPOSITORY: &[&str] = &["packed-refs.lock", "config.lock"];

/// A lock file, and whether a process still uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleLock {
    /// The file.
    pub path: PathBuf,
    /// Whether a process of ours has it, or a git process works in the worktree or has a file of its git data open.
    pub in_use: bool,
}

impl Worktree {
    /// The lock files of this worktree and of its branch.
    ///
    /// # Errors
    /// If processes cannot be looked at.
    pub fn locks(&self) -> Result<Vec<StaleLock>, GitError> {
        let mut paths = self.own_locks();
        if let Ok(crate::Head::Branch { name, .. }) = self.head() {
            paths.push(self.repository().lock_of(&name));
        }
        found(paths, &[self.path(), self.admin_dir()])
    }

    /// Removes the lock files of this worktree that no process uses. Only for a worktree whose session nobody runs.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn clear_stale_locks(&self) -> Result<Vec<PathBuf>, GitError> {
        let stale = self
            .locks()?
            .into_iter()
            .filter(|lock| !lock.in_use)
            .map(|lock| lock.path)
            .collect::<Vec<_>>();
        for path in &stale {
            std::fs::remove_file(path).at(path)?;
        }
        Ok(stale)
    }

    fn own_locks(&self) -> Vec<PathBuf> {
        let names = OF_WORKTREE.iter();
        names.map(|name| self.admin_dir().join(name)).collect()
    }
}

impl Repository {
    /// The lock files that all worktrees share.
    ///
    /// # Errors
    /// If processes cannot be looked at.
    pub fn shared_locks(&self) -> Result<Vec<StaleLock>, GitError> {
        let paths = OF_REPOSITORY
            .iter()
            .map(|name| self.common_dir().join(name))
            .collect();
        found(paths, &[self.common_dir()])
    }

    /// Removes the shared lock files that no git process uses. git holds them for an instant, so one that is still the same
    /// after git processes had the time to finish was left by one that was killed.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn clear_stale_shared_locks(&self) -> Result<Vec<PathBuf>, GitError> {
        let _lock = RepositoryLock::take(self)?;
        self.clear_unchanged(&|| self.shared_locks())
    }

    /// Removes the lock of a reference that git left when it was killed.
    pub(crate) fn clear_stale_lock_of(&self, full_name: &str) -> Result<Vec<PathBuf>, GitError> {
        let lock = self.common_dir().join(format!("{full_name}.lock"));
        self.clear_unchanged(&|| found(vec![lock.clone()], &[self.common_dir()]))
    }

    /// Removes what is left of somebody who was killed while moving a branch to a commit, alone or together with its checkout. A
    /// lock on the branch that holds another commit is not from that, and then none of the locks is touched.
    ///
    /// # Errors
    /// If processes cannot be looked at, or a file cannot be removed.
    pub fn clear_locks_of_cut_off_move(
        &self,
        branch: &BranchName,
        to: &CommitId,
    ) -> Result<Vec<PathBuf>, GitError> {
        let lock = self.lock_of(branch);
        // git makes the file first and writes into it then.
        let is_foreign = std::fs::read_to_string(&lock)
            .is_ok_and(|content| !content.is_empty() && content.trim_end() != to.as_str());
        if is_foreign {
            return Ok(Vec::new());
        }
        let checkouts = self.branch_place(branch)?.checkouts;
        self.clear_unchanged(&|| {
            let mut locks = found(vec![lock.clone()], &[self.common_dir()])?;
            for checkout in &checkouts {
                let worktree = &checkout.worktree;
                let used = [worktree.path(), self.common_dir()];
                locks.extend(found(worktree.own_locks(), &used)?);
            }
            Ok(locks)
        })
    }

    /// Removes lock files that are still the same, and unused, after git processes had the time to finish.
    fn clear_unchanged(
        &self,
        list: &dyn Fn() -> Result<Vec<StaleLock>, GitError>,
    ) -> Result<Vec<PathBuf>, GitError> {
        let written = |path: &Path| path.metadata().and_then(|it| it.modified()).ok();
        let before: Vec<_> = list()?
            .into_iter()
            .map(|lock| (written(&lock.path), lock.path))
            .collect();
        if before.is_empty() {
            return Ok(Vec::new());
        }
        wait_for_others_in(self.common_dir())?;
        let mut removed = Vec::new();
        for lock in list()? {
            let is_same = before.contains(&(written(&lock.path), lock.path.clone()));
            if is_same && !lock.in_use {
                std::fs::remove_file(&lock.path).at(&lock.path)?;
                removed.push(lock.path);
            }
        }
        Ok(removed)
    }

    fn lock_of(&self, branch: &BranchName) -> PathBuf {
        self.common_dir()
            .join(format!("{}.lock", branch.full_ref()))
    }
}

fn found(paths: Vec<PathBuf>, used: &[&Path]) -> Result<Vec<StaleLock>, GitError> {
    let present = paths
        .into_iter()
        .filter(|path| path.exists())
        .collect::<Vec<_>>();
    if present.is_empty() {
        return Ok(Vec::new());
    }
    let mut is_used_by_git = false;
    for dir in used {
        is_used_by_git |= is_running_in(dir)?;
    }
    Ok(present
        .into_iter()
        .map(|path| StaleLock {
            in_use: is_used_by_git || is_held(&path),
            path,
        })
        .collect())
}

/// Whether the operating system knows of a process that has the file locked: ours do, git does not.
fn is_held(path: &Path) -> bool {
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
    let file = File::open(path).ok().filter(|_| is_file);
    file.is_some_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}
