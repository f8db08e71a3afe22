//! Fetches one branch without ever letting git see the repository's configuration: the network and the user's credentials
//! meet only a private git directory with our own. The objects go straight into the repository's store, which is data.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use orchestra_core::{BranchName, CommitId, RemoteName};

use crate::error::{GitError, in_short};
use crate::reference::RefMove;
use crate::remote_url::{InvalidUrl, RemoteUrl};
use crate::repository::Repository;
use crate::shadow::Shadow;

/// Where the fetched commit is put, in the private directory.
const FETCHED_REF: &str = "refs/fetched/base";

/// Whether to ask the remote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchPolicy {
    /// Use what was fetched before.
    Never,
    /// Ask, and go on without an answer after this long.
    Within(Duration),
}

/// How fresh the remote branch is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// There is no remote.
    NoRemote,
    /// It was just fetched.
    Now,
    /// It is as it was fetched before.
    Before {
        /// When, as far as that is known.
        last: Option<SystemTime>,
        /// Why it was not fetched now; `None` if nobody asked for it.
        failure: Option<FetchFailure>,
    },
}

/// Why a fetch brought nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchFailure {
    /// The remote did not answer in time.
    #[error("it did not answer within {} s", .0.as_secs_f32())]
    TimedOut(Duration),
    /// The address is not one that may be used.
    #[error(transparent)]
    Url(#[from] InvalidUrl),
    /// The history is cut, and fetching could cut it elsewhere.
    #[error("the repository is a shallow clone")]
    Shallow,
    /// git could not fetch.
    #[error("{0}")]
    Failed(String),
}

impl Repository {
    pub(crate) fn fetch_base(
        &self,
        name: &BranchName,
        remote: &RemoteName,
        tracking: &str,
        policy: FetchPolicy,
    ) -> Result<Fetched, GitError> {
        let FetchPolicy::Within(wait) = policy else {
            return Ok(Fetched::Before {
                last: self.last_fetch(remote, tracking),
                failure: None,
            });
        };
        match self.try_fetch(name, remote, tracking, wait)? {
            Ok(commit) => {
                self.remember(tracking, &commit, "fetch")?;
                self.stamp_fetch(tracking);
                Ok(Fetched::Now)
            }
            Err(failure) => Ok(Fetched::Before {
                last: self.last_fetch(remote, tracking),
                failure: Some(failure),
            }),
        }
    }

    fn try_fetch(
        &self,
        name: &BranchName,
        remote: &RemoteName,
        tracking: &str,
        wait: Duration,
    ) -> Result<Result<CommitId, FetchFailure>, GitError> {
        let url = self
            .configuration()
            .remote_url(remote.as_str())
            .unwrap_or_default();
        let url = match RemoteUrl::parse(url, self.root()) {
            Ok(url) => url,
            Err(reason) => return Ok(Err(reason.into())),
        };
        if self.common_dir().join("shallow").exists() {
            return Ok(Err(FetchFailure::Shallow));
        }
        let shadow = self.fetching_shadow(name, tracking)?;
        let refspec = format!("+{}:{FETCHED_REF}", name.full_ref());
        let call = self
            .network_call(&shadow, "fetch", &url, wait)
            .args([
                "--quiet",
                "--no-tags",
                "--no-write-fetch-head",
                "--no-recurse-submodules",
                "--no-auto-maintenance",
            ])
            .args(["--", url.as_str(), &refspec]);
        match self
            .git()
            .run(&call)
            .and_then(crate::call::Answer::require_success)
        {
            Ok(_) => shadow.reference(FETCHED_REF).map(Ok),
            Err(error) => Ok(Err(failure(&error, wait))),
        }
    }

    /// A private directory that knows what we have, so that only what is new is sent.
    fn fetching_shadow(&self, name: &BranchName, tracking: &str) -> Result<Shadow, GitError> {
        let shadow = Shadow::of_objects(self)?;
        let known = [
            ("refs/known/remote", self.find_reference(tracking)?),
            ("refs/known/local", self.find_branch(name)?),
        ];
        for (full_name, commit) in known {
            if let Some(commit) = commit {
                shadow.write_reference(full_name, &commit)?;
            }
        }
        Ok(shadow)
    }

    /// Moves the tracking reference. If somebody else fetched meanwhile, theirs is as good.
    pub(crate) fn remember(
        &self,
        tracking: &str,
        commit: &CommitId,
        why: &str,
    ) -> Result<(), GitError> {
        let from = self.find_reference(tracking)?;
        if from.as_ref() == Some(commit) {
            return Ok(());
        }
        let change = RefMove {
            full_name: tracking,
            from: from.as_ref(),
            to: commit,
            why,
        };
        if self.move_reference(&change).is_err() {
            self.clear_stale_lock_of(tracking)?;
            self.move_reference(&change)?;
        }
        Ok(())
    }

    /// Remembers that the remote answered just now, also if it had nothing new. Only an age is lost without it.
    fn stamp_fetch(&self, tracking: &str) {
        let stamp = self.fetch_stamp(tracking);
        let folder = stamp.parent().map_or(Ok(()), std::fs::create_dir_all);
        if let Err(error) = folder.and_then(|()| std::fs::write(&stamp, "fetched\n")) {
            tracing::debug!(%error, "cannot remember the time of a fetch");
        }
    }

    fn fetch_stamp(&self, tracking: &str) -> PathBuf {
        let folder = self.common_dir().join("orchestra").join("fetched");
        folder.join(tracking.replace('/', "%"))
    }

    /// The newest of the files that a fetch or a clone writes.
    fn last_fetch(&self, remote: &RemoteName, tracking: &str) -> Option<SystemTime> {
        let common = self.common_dir();
        let files = [
            self.fetch_stamp(tracking),
            common.join("FETCH_HEAD"),
            common.join(tracking),
            common.join("logs").join(tracking),
            common.join(format!("logs/refs/remotes/{remote}/HEAD")),
        ];
        files
            .iter()
            .filter_map(|file| std::fs::metadata(file).ok()?.modified().ok())
            .max()
    }
}

fn failure(error: &GitError, wait: Duration) -> FetchFailure {
    match error {
        error if error.is_timeout() => FetchFailure::TimedOut(wait),
        GitError::Failed { stderr, .. } => FetchFailure::Failed(in_short(stderr, 1)),
        other => FetchFailure::Failed(other.to_string()),
    }
}
