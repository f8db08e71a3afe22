//! Why a push did not take place.

use std::time::Duration;

use orchestra_core::{BranchName, CommitId, RemoteName, visible_line};

use crate::error::GitError;
use crate::log::CommitInfo;
use crate::remote_url::InvalidUrl;

/// What a remote has where something was to be pushed, as far as it could be found out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoteTip {
    /// Where its branch is.
    pub commit: Option<CommitId>,
    /// The newest commits that only the remote has, newest first.
    pub foreign: Vec<CommitInfo>,
}

/// Why a push did not take place.
#[derive(Debug, thiserror::Error)]
pub enum PushError {
    /// There is nothing to push to.
    #[error("{}", no_remote(wanted.as_deref(), known))]
    NoRemote {
        /// The remote that was asked for.
        wanted: Option<String>,
        /// The remotes there are.
        known: Vec<String>,
    },
    /// The remote's address may not be used.
    #[error(transparent)]
    Url(#[from] InvalidUrl),
    /// The remote has commits that would be lost.
    #[error("`{branch}` on `{remote}` has commits that would be lost{}", told(tip))]
    WouldLose {
        /// The remote.
        remote: RemoteName,
        /// Its branch.
        branch: BranchName,
        /// What is there.
        tip: RemoteTip,
    },
    /// The remote's branch is not where it was seen last.
    #[error("`{branch}` on `{remote}` is not {} any more{}", seen(expected.as_ref()), told(tip))]
    RemoteMoved {
        /// The remote.
        remote: RemoteName,
        /// Its branch.
        branch: BranchName,
        /// Where it was seen last.
        expected: Option<CommitId>,
        /// What is there.
        tip: RemoteTip,
    },
    /// The remote does not want it.
    #[error("`{remote}` refused the push: {reason}")]
    Rejected {
        /// The remote.
        remote: RemoteName,
        /// What it said.
        reason: String,
    },
    /// The remote did not answer in time. Whether it took the push is not known.
    #[error("the remote did not answer within {} s", .0.as_secs_f32())]
    TimedOut(Duration),
    /// The remote could not be reached or understood.
    #[error("cannot push to `{remote}`: {reason}")]
    Failed {
        /// The remote.
        remote: RemoteName,
        /// What git said.
        reason: String,
    },
    /// Something else.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl PushError {
    /// A stable name for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoRemote { .. } => "git.no_remote",
            Self::Url(_) => "git.remote_address",
            Self::WouldLose { .. } => "git.push_would_lose",
            Self::RemoteMoved { .. } => "git.remote_moved",
            Self::Rejected { .. } => "git.push_rejected",
            Self::TimedOut(_) => "git.push_timed_out",
            Self::Failed { .. } => "git.push_failed",
            Self::Git(error) => error.code(),
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoRemote {
                wanted: None,
                known,
            } if known.is_empty() => "add one: git remote add origin <address>".to_owned(),
            Self::NoRemote { known, .. } => {
                format!("name one of the remotes there are: {}", known.join(", "))
            }
            Self::Url(InvalidUrl::Password) => {
                "take the password out (git remote set-url) and let a credential helper keep it"
                    .to_owned()
            }
            Self::Url(_) => {
                "`git remote -v` shows the address; `git remote set-url` changes it".to_owned()
            }
            Self::WouldLose { remote, branch, .. } => format!(
                "look at them: git log {remote}/{branch}, and take what you need before you push again"
            ),
            Self::RemoteMoved { remote, branch, .. } => format!(
                "somebody else pushed there; look at it: git log {remote}/{branch}, and take what you need before you push again"
            ),
            Self::Rejected { .. } => {
                "see what the remote allows on this branch, or push to another one".to_owned()
            }
            Self::TimedOut(_) => "try again; a push that got through is not repeated".to_owned(),
            Self::Failed { .. } => {
                "see whether `git push` works in a terminal: address, network, credentials"
                    .to_owned()
            }
            Self::Git(error) => return error.hint(),
        };
        Some(hint)
    }
}

fn no_remote(wanted: Option<&str>, known: &[String]) -> String {
    match wanted {
        Some(wanted) => format!("there is no remote called `{wanted}`"),
        None if known.is_empty() => "the repository has no remote".to_owned(),
        None => "the repository has several remotes, and none is called `origin`".to_owned(),
    }
}

fn seen(expected: Option<&CommitId>) -> String {
    expected.map_or_else(
        || "absent".to_owned(),
        |commit| format!("at {}", commit.short()),
    )
}

/// The newest commit that stands in the way, and how many there are.
fn told(tip: &RemoteTip) -> String {
    let Some(newest) = tip.foreign.first() else {
        let at = |commit: &CommitId| format!(": it is at {}", commit.short());
        return tip.commit.as_ref().map(at).unwrap_or_default();
    };
    let more = match tip.foreign.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let (subject, author) = (
        visible_line(&newest.subject),
        visible_line(&newest.author.name),
    );
    format!(": {} {subject} ({author}){more}", newest.id.short())
}
