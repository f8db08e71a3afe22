//! The lock of a repository: those who would get into each other's way there go one after the other. Writers to its worktree
//! list and branches do, because git fails there when they meet, and so do merges, which all move the same branch. The operating
//! system frees it when its holder dies.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

use crate::byte_path::fingerprint;
use crate::error::{AtPath, GitError};
use crate::repository::Repository;

const PATIENCE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(2);

/// What a lock is for. Locks for different things do not wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Registration,
    Landing,
}

impl Purpose {
    const fn ending(self) -> &'static str {
        match self {
            Self::Registration => "lock",
            Self::Landing => "landing.lock",
        }
    }
}

/// Held by whoever may go on.
#[derive(Debug)]
pub struct RepositoryLock {
    _file: File,
}

impl Repository {
    /// Waits until no other merge is under way.
    ///
    /// # Errors
    /// If another one takes very long, or the file system refuses.
    pub fn lock_for_landing(&self) -> Result<RepositoryLock, GitError> {
        RepositoryLock::take_within(self, Purpose::Landing, PATIENCE)
    }
}

impl RepositoryLock {
    /// Waits until nobody else changes the worktree list or the branches.
    pub(crate) fn take(repository: &Repository) -> Result<Self, GitError> {
        Self::take_within(repository, Purpose::Registration, PATIENCE)
    }

    fn take_within(
        repository: &Repository,
        purpose: Purpose,
        patience: Duration,
    ) -> Result<Self, GitError> {
        // Older runners that are still at work look for the locks under this name.
        let dir = repository.git().private_subdir("turns")?;
        let name = fingerprint(repository.common_dir());
        let path = dir.join(format!("{name}.{}", purpose.ending()));
        let mut options = File::options();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).at(&path)?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if start.elapsed() < patience => {
                    std::thread::sleep(PAUSE)
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(GitError::RepositoryLocked(patience.as_secs()));
                }
                Err(TryLockError::Error(source)) => return Err(GitError::io(&path, source)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use orchestra_testkit::Sandbox;

    use super::*;
    use crate::{Environment, Git};

    #[test]
    fn a_lock_that_somebody_keeps_is_told() {
        let sandbox = Sandbox::new();
        let plain = sandbox.repository("sample");
        let environment = Environment::from_variables(sandbox.env());
        let git = Git::find(None, environment, &sandbox.data_dir().join("git")).unwrap();
        let repository = git.open(plain.root()).unwrap();
        let held = RepositoryLock::take(&repository).unwrap();
        let short = Duration::from_millis(20);
        let error =
            RepositoryLock::take_within(&repository, Purpose::Registration, short).unwrap_err();
        assert_eq!(error.code(), "git.repository_locked");
        assert!(error.hint().is_some());
        let landing = repository.lock_for_landing().unwrap();
        RepositoryLock::take_within(&repository, Purpose::Landing, short).unwrap_err();
        drop((held, landing));
        repository.lock_for_landing().unwrap();
        RepositoryLock::take(&repository).unwrap();
    }
}
