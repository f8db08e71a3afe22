//! A change of one reference that is locked and compared first, and made later or not at all.

use std::path::{Path, PathBuf};
use std::time::Duration;

use orchestra_core::CommitId;
use orchestra_process::{Dialogue, Reply};

#[cfg(target_os = "linux")]
use crate::branch_lock::BranchLock;
use crate::call::{Answer, Call};
use crate::error::GitError;
use crate::reference::RefMove;
use crate::repository::Repository;

const PATIENCE: Duration = Duration::from_secs(60);

/// A reference that is locked. Given up when dropped.
#[derive(Debug)]
pub(super) enum RefTransaction {
    /// In process. What is left when this process is killed is found as stale by the next one of us.
    #[cfg(target_os = "linux")]
    Ours(Box<BranchLock>),
    /// git has the lock, and gives it up when this process dies.
    Gits(Box<GitTransaction>),
}

/// Whether a reference could be locked.
#[derive(Debug)]
pub(super) enum Preparation {
    Ready(RefTransaction),
    /// It has another value.
    Moved(Option<CommitId>),
    /// Somebody else holds the lock, or was killed with it.
    Locked(PathBuf),
}

impl RefTransaction {
    /// Locks a reference, seen from one checkout: its `HEAD` is locked too if it is on that branch. The main checkout is the
    /// user's, where no lock may stay when we are killed; git sees to that.
    pub(super) fn prepare(
        repository: &Repository,
        git_dir: &Path,
        change: &RefMove<'_>,
    ) -> Result<Preparation, GitError> {
        #[cfg(target_os = "linux")]
        if git_dir != repository.common_dir()
            && let Some(lock) = BranchLock::take(repository, git_dir, change)
        {
            return Ok(Preparation::Ready(Self::Ours(Box::new(lock))));
        }
        GitTransaction::prepare(repository, git_dir, change)
    }

    /// Makes the change.
    pub(super) fn commit(self) -> Result<(), GitError> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Ours(lock) => lock.commit(),
            Self::Gits(transaction) => transaction.commit(),
        }
    }
}

/// A transaction of a git process that waits for the next word.
#[derive(Debug)]
pub(super) struct GitTransaction {
    call: Call,
    dialogue: Dialogue,
}

impl GitTransaction {
    fn prepare(
        repository: &Repository,
        git_dir: &Path,
        change: &RefMove<'_>,
    ) -> Result<Preparation, GitError> {
        let call = Call::new("update-ref", git_dir).env("GIT_DIR", git_dir);
        let call = call.args(["--no-deref", "--create-reflog", "-m", change.why, "--stdin"]);
        let call = repository.with_identity(call);
        let dialogue = repository.git().converse(&call)?;
        let mut transaction = Self { call, dialogue };
        let from = change
            .from
            .map_or_else(|| repository.object_format().zero_id(), ToString::to_string);
        let update = format!("update {} {} {from}", change.full_name, change.to);
        let is_ready = transaction.ask("start", "start: ok")?
            && transaction.say(&update)?
            && transaction.ask("prepare", "prepare: ok")?;
        if is_ready {
            return Ok(Preparation::Ready(RefTransaction::Gits(Box::new(
                transaction,
            ))));
        }
        transaction.why_not(repository, git_dir, change)
    }

    /// Makes the change.
    fn commit(mut self) -> Result<(), GitError> {
        let is_done = self.ask("commit", "commit: ok")?;
        let answer = self.end()?;
        match is_done && answer.is_success() {
            true => Ok(()),
            false => Err(answer.failure()),
        }
    }

    fn why_not(
        self,
        repository: &Repository,
        git_dir: &Path,
        change: &RefMove<'_>,
    ) -> Result<Preparation, GitError> {
        let answer = self.end()?;
        let current = repository.find_reference(change.full_name)?;
        if current.as_ref() != change.from {
            return Ok(Preparation::Moved(current));
        }
        let branch = repository
            .common_dir()
            .join(format!("{}.lock", change.full_name));
        let locks = [branch, git_dir.join("HEAD.lock")];
        match locks.into_iter().find(|lock| lock.exists()) {
            Some(lock) => Ok(Preparation::Locked(lock)),
            None => Err(answer.failure()),
        }
    }

    fn say(&mut self, line: &str) -> Result<bool, GitError> {
        let said = self.dialogue.say(line);
        said.map_err(|source| self.call.unfinished(source))?;
        Ok(true)
    }

    fn ask(&mut self, line: &str, expected: &str) -> Result<bool, GitError> {
        self.say(line)?;
        match self.dialogue.hear(PATIENCE) {
            Ok(reply) => Ok(reply == Reply::Line(expected.as_bytes().to_vec())),
            Err(source) => Err(self.call.unfinished(source)),
        }
    }

    fn end(self) -> Result<Answer, GitError> {
        let farewell = self.dialogue.end();
        let farewell = farewell.map_err(|source| self.call.unfinished(source))?;
        Ok(Answer::after_dialogue(&self.call, farewell))
    }
}
