//! The turn: writers to one repository's worktree list and branches go one after the other, because git fails there when
//! they meet. The operating system frees the turn when its holder dies.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

use crate::byte_path::fingerprint;
use crate::error::{AtPath, GitError};
use crate::repository::Repository;

const PATIENCE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(2);

/// Held while the worktree list or the branches of a repository change.
#[derive(Debug)]
pub(crate) struct Turn {
    _file: File,
}

impl Turn {
    /// Waits for the turn.
    pub(crate) fn take(repository: &Repository) -> Result<Self, GitError> {
        Self::take_within(repository, PATIENCE)
    }

    fn take_within(repository: &Repository, patience: Duration) -> Result<Self, GitError> {
        let dir = repository.git().private_subdir("turns")?;
        let path = dir.join(format!("{}.lock", fingerprint(repository.common_dir())));
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .at(&path)?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if start.elapsed() < patience => {
                    std::thread::sleep(PAUSE)
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(GitError::TurnTimedOut(patience.as_secs()));
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
    fn a_turn_that_somebody_keeps_is_told() {
        let sandbox = Sandbox::new();
        let plain = sandbox.repository("sample");
        let environment = Environment::from_variables(sandbox.env());
        let git = Git::find(None, environment, &sandbox.data_dir().join("git")).unwrap();
        let repository = git.open(plain.root()).unwrap();
        let held = Turn::take(&repository).unwrap();
        let error = Turn::take_within(&repository, Duration::from_millis(20)).unwrap_err();
        assert_eq!(error.code(), "git.turn_timed_out");
        assert!(error.hint().is_some());
        drop(held);
        Turn::take(&repository).unwrap();
    }
}
