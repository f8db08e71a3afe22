//! Why a workspace cannot be made, or what is in it not be fetched.

use std::path::PathBuf;

use crate::error::GitError;
use crate::in_progress::InProgress;

/// Why a workspace cannot be made, or what is in it not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The main checkout has a git directory and no link to one.
    #[error("`{}` is no linked worktree, so that it cannot have a workspace", .0.display())]
    NotLinked(PathBuf),
    /// The repository needs more than objects that can be borrowed.
    #[error("the repository {0}, which a workspace cannot have")]
    Unsuited(&'static str),
    /// git waits for somebody in the worktree.
    #[error("git is in the middle of a {0} in the worktree, which a workspace cannot have")]
    InProgress(InProgress),
    /// What an agent left is not what git makes.
    #[error("what the agent left in its workspace is not fetched: {problem}")]
    Rejected {
        /// What is wrong with it.
        problem: String,
        /// What git said.
        #[source]
        source: Option<GitError>,
    },
    /// git or the file system failed.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl WorkspaceError {
    pub(super) fn rejected(problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self::Rejected {
            problem,
            source: None,
        }
    }

    /// A stable name for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotLinked(_) => "workspace.not_linked",
            Self::Unsuited(_) => "workspace.unsuited",
            Self::InProgress(_) => "workspace.in_progress",
            Self::Rejected { .. } => "workspace.rejected",
            Self::Git(error) => error.code(),
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotLinked(_) | Self::Unsuited(_) => {
                Some("choose another isolation, such as `guard`".to_owned())
            }
            Self::InProgress(operation) => Some(operation.way_out().to_owned()),
            Self::Rejected { .. } => None,
            Self::Git(error) => error.hint(),
        }
    }
}
