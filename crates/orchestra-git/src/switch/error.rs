//! Why the files of a checkout cannot go to another commit.

use std::path::PathBuf;

use crate::error::GitError;
use crate::shown::shown;

/// Why the files of a checkout cannot go to another commit. Nothing is changed, unless the text says so.
#[derive(Debug, thiserror::Error)]
pub enum SwitchError {
    /// Uncommitted changes would be lost.
    #[error("uncommitted changes would be overwritten: {}", shown(.0))]
    Dirty(Vec<PathBuf>),
    /// Files that git does not know would be lost, ignored ones too.
    #[error("files that git does not track are in the way: {}", shown(.0))]
    InTheWay(Vec<PathBuf>),
    /// Some files were written, and could not be taken back.
    #[error("some files are changed already and could not be put back, since {undo}")]
    LeftBehind {
        /// Why they could not be taken back.
        undo: Box<Self>,
        /// Why the others could not be written.
        #[source]
        cause: Box<Self>,
    },
    /// Something else.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl SwitchError {
    /// A stable name for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Dirty(_) => "git.checkout_dirty",
            Self::InTheWay(_) => "git.changes_in_the_way",
            Self::LeftBehind { .. } => "git.checkout_half_changed",
            Self::Git(error) => error.code(),
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Dirty(_) => {
                Some("commit or stash these files (git stash), then try again".to_owned())
            }
            Self::InTheWay(_) => Some("move these files away, then try again".to_owned()),
            Self::LeftBehind { cause, .. } => cause.hint(),
            Self::Git(error) => error.hint(),
        }
    }

    pub(super) fn left_behind(self, undo: Self) -> Self {
        Self::LeftBehind {
            undo: Box::new(undo),
            cause: Box::new(self),
        }
    }
}
