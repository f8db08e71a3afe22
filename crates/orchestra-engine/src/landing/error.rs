//! Why the commits of a session cannot be squashed, rebased, resolved or exported.

use std::path::PathBuf;

use orchestra_core::{BranchName, SessionId};
use orchestra_git::{RebaseError, ResolveError, RewriteError};

use crate::error::ErrorClass;

/// Why the commits of a session cannot be made anew.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// New commits cannot be made.
    #[error(transparent)]
    Rewrite(#[from] RewriteError),
    /// A rebase cannot stop, go on or be given up.
    #[error(transparent)]
    Rebase(#[from] RebaseError),
    /// A conflict cannot be decided.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// It is one commit with this message.
    #[error("the session {session} is one commit with this message already")]
    OneCommitAlready {
        /// Which session.
        session: SessionId,
    },
    /// It has no commits of its own.
    #[error("the session {session} has no commits that `{base}` has not")]
    NoCommits {
        /// Which session.
        session: SessionId,
        /// What it lands on.
        base: BranchName,
    },
    /// A rebase waits for somebody.
    #[error("a rebase of session {session} waits at a conflict")]
    Conflicted {
        /// Which session.
        session: SessionId,
    },
    /// No rebase waits for anybody.
    #[error("no rebase of session {session} waits at a conflict")]
    NotConflicted {
        /// Which session.
        session: SessionId,
    },
    /// The base was deleted or renamed.
    #[error("there is no branch `{base}` any more, which session {session} is based on")]
    BaseGone {
        /// Which session.
        session: SessionId,
        /// What it lands on.
        base: BranchName,
    },
    /// A branch cannot be put onto itself.
    #[error("`{branch}` is the session's own branch")]
    OntoItself {
        /// The branch.
        branch: BranchName,
    },
    /// Nobody knows a program that writes this file.
    #[error("`{}` is not a lockfile of a known package manager", path.display())]
    NotALockfile {
        /// The file.
        path: PathBuf,
    },
    /// The package manager failed.
    #[error("`{command}` failed, so `{}` still has its conflict", path.display())]
    InstallFailed {
        /// The file.
        path: PathBuf,
        /// What was run.
        command: String,
        /// Where its output is.
        log: PathBuf,
    },
}

impl HistoryError {
    /// A stable name for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Rewrite(error) => error.code(),
            Self::Rebase(error) => error.code(),
            Self::Resolve(error) => error.code(),
            Self::OneCommitAlready { .. } => "squash.one_commit_already",
            Self::NoCommits { .. } => "session.no_commits",
            Self::Conflicted { .. } => "session.conflicted",
            Self::NotConflicted { .. } => "session.not_conflicted",
            Self::BaseGone { .. } => "session.base_gone",
            Self::OntoItself { .. } => "rebase.onto_itself",
            Self::NotALockfile { .. } => "resolve.not_a_lockfile",
            Self::InstallFailed { .. } => "resolve.install_failed",
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Rewrite(error) => error.hint(),
            Self::Rebase(error) => error.hint(),
            Self::Resolve(error) => error.hint(),
            Self::OneCommitAlready { .. } => Some("give another --message to change it".to_owned()),
            Self::NoCommits { session, .. } => Some(format!(
                "`orchestra session log {session}` shows what it has"
            )),
            Self::Conflicted { session } => Some(format!(
                "`orchestra session conflicts {session}` shows it; then `orchestra session rebase {session} --continue`, or --abort"
            )),
            Self::NotConflicted { session } => Some(format!(
                "`orchestra session status {session}` shows how it stands"
            )),
            Self::BaseGone { session, .. } => Some(format!(
                "if it was renamed, name the new one: `orchestra session set {session} base <branch>`; `git branch` lists them"
            )),
            Self::OntoItself { .. } => Some("choose another branch for --onto".to_owned()),
            Self::NotALockfile { .. } => {
                Some("decide it with --ours, --theirs or --edited".to_owned())
            }
            Self::InstallFailed { log, .. } => {
                Some(format!("what it said is in {}", log.display()))
            }
        }
    }

    /// What kind of failure it is.
    #[must_use]
    pub const fn class(&self) -> ErrorClass {
        match self {
            Self::Rewrite(RewriteError::Git(_))
            | Self::Rebase(RebaseError::Git(_))
            | Self::Resolve(ResolveError::Git(_))
            | Self::InstallFailed { .. } => ErrorClass::Failed,
            Self::OntoItself { .. }
            | Self::NotALockfile { .. }
            | Self::Resolve(ResolveError::NotConflicted { .. }) => ErrorClass::Usage,
            Self::Rewrite(_)
            | Self::Rebase(_)
            | Self::Resolve(_)
            | Self::OneCommitAlready { .. }
            | Self::NoCommits { .. }
            | Self::Conflicted { .. }
            | Self::BaseGone { .. }
            | Self::NotConflicted { .. } => ErrorClass::Refused,
        }
    }
}
