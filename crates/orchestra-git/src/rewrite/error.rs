//! Why commits cannot be made anew.

use orchestra_core::CommitId;

use crate::error::GitError;

/// Why commits cannot be made anew.
#[derive(Debug, thiserror::Error)]
pub enum RewriteError {
    /// No commit of one's own, or none that the prefix is about.
    #[error("there is nothing to squash")]
    NothingToSquash,
    /// The two histories never met.
    #[error("{} and {} have no commit in common", head.short(), base.short())]
    Unrelated {
        /// What was to be rewritten.
        head: CommitId,
        /// What it should stand on.
        base: CommitId,
    },
    /// Commits with two parents cannot be kept apart.
    #[error("{} of the commits merge another branch, the first is {}", .0.len(), first(.0))]
    Merges(Vec<CommitId>),
    /// Something else.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl RewriteError {
    /// A stable name for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NothingToSquash => "git.nothing_to_squash",
            Self::Unrelated { .. } => "git.unrelated_histories",
            Self::Merges(_) => "git.merges_in_range",
            Self::Git(error) => error.code(),
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NothingToSquash => "`git log` in the worktree shows what is on the branch",
            Self::Unrelated { .. } => "choose a base that the branch started from",
            Self::Merges(_) => "squash everything into one commit, without --keep-manual",
            Self::Git(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }
}

fn first(commits: &[CommitId]) -> &str {
    commits.first().map_or("none", CommitId::short)
}
