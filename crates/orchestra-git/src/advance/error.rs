//! Why a branch cannot be moved.

use std::path::PathBuf;

use orchestra_core::{BranchName, CommitId};

use super::Busy;
use crate::error::GitError;
use crate::switch::SwitchError;
use crate::worktree::Worktree;

/// Why a branch cannot be moved.
#[derive(Debug, thiserror::Error)]
pub enum AdvanceError {
    /// The branch is not where the caller saw it last.
    #[error("the branch `{branch}` is no longer at {}", expected.short())]
    Moved {
        /// The branch.
        branch: BranchName,
        /// Where it should be.
        expected: CommitId,
        /// Where it is, if it exists.
        current: Option<CommitId>,
    },
    /// Somebody is in the middle of something in its checkout.
    #[error("the branch `{branch}` is in use at `{}`: {}", place.display(), told(busy))]
    Busy {
        /// The branch.
        branch: BranchName,
        /// The checkout.
        place: PathBuf,
        /// What.
        busy: Busy,
    },
    /// The files of one checkout alone would be right.
    #[error(
        "the branch `{branch}` is checked out more than once: {}",
        listed(places)
    )]
    CheckedOutTwice {
        /// The branch.
        branch: BranchName,
        /// The checkouts.
        places: Vec<PathBuf>,
    },
    /// Somebody checked it out, or switched to another branch, at this moment.
    #[error("the branch `{0}` was checked out or left at this moment")]
    CheckoutChanged(BranchName),
    /// Another git process moves it, or was killed while it did.
    #[error("the branch is locked by `{}`", .0.display())]
    Locked(PathBuf),
    /// The files of its checkout cannot be changed.
    #[error("the checkout at `{}` cannot follow", place.display())]
    Files {
        /// The checkout.
        place: PathBuf,
        /// Why.
        #[source]
        source: SwitchError,
    },
    /// Something else.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl AdvanceError {
    /// A stable name for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Moved { .. } => "git.branch_moved",
            Self::Busy { .. } => "git.branch_busy",
            Self::CheckedOutTwice { .. } => "git.branch_checked_out_twice",
            Self::CheckoutChanged(_) => "git.checkout_changed",
            Self::Locked(_) => "git.branch_locked",
            Self::Files { source, .. } => source.code(),
            Self::Git(error) => error.code(),
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Moved { .. } => {
                Some("look at what is new on it (git log), then try again".to_owned())
            }
            Self::Busy {
                busy: Busy::InProgress(operation),
                place,
                ..
            } => Some(format!("in `{}`: {}", place.display(), operation.way_out())),
            Self::Busy {
                busy: Busy::IndexLocked(lock),
                ..
            }
            | Self::Locked(lock) => Some(format!(
                "wait for the other git command; if none runs, one was killed and left it: rm '{}'",
                lock.display()
            )),
            Self::CheckedOutTwice { .. } => Some(
                "leave it in all but one of them (git switch --detach), then try again".to_owned(),
            ),
            Self::CheckoutChanged(_) => Some("try again".to_owned()),
            Self::Files { source, .. } => source.hint(),
            Self::Git(error) => error.hint(),
        }
    }

    pub(super) fn files(worktree: &Worktree, source: SwitchError) -> Self {
        Self::Files {
            place: worktree.path().to_owned(),
            source,
        }
    }
}

fn told(busy: &Busy) -> String {
    match busy {
        Busy::InProgress(operation) => format!("a {operation} is in progress"),
        Busy::IndexLocked(lock) => format!("the index is locked by `{}`", lock.display()),
    }
}

fn listed(places: &[PathBuf]) -> String {
    let places: Vec<_> = places
        .iter()
        .map(|place| format!("`{}`", place.display()))
        .collect();
    places.join(", ")
}
