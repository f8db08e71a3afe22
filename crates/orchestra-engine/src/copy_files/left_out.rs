//! Why something is not copied.

use std::io;

use super::directory::is_of_another_kind;

/// Why something is not copied. All but the last three concern one name only.
#[derive(Debug, thiserror::Error)]
pub(super) enum LeftOut {
    #[error("it is there already")]
    IsThere,
    #[error("files with secrets are copied only where a pattern of worktree.copy names them")]
    NotNamed,
    #[error("it is a link that leads out of the repository")]
    LeadsOut,
    #[error("it is a repository of its own")]
    NestedRepository,
    #[error("it is {0}")]
    Special(&'static str),
    #[error("it is no directory, and only directories are reused")]
    NotADirectory,
    #[error("a file or a link is in its way")]
    InTheWay,
    #[error("it became something else while it was copied")]
    Changed,
    #[error("it is not there any more")]
    Gone,
    #[error("it is too large for an env file")]
    TooLarge,
    #[error("{0}")]
    Failed(io::Error),
    #[error("this file system cannot share data between files")]
    CannotShare,
    #[error("the disk is full")]
    DiskFull,
    #[error("it was stopped before all of it was there")]
    Stopped,
}

impl LeftOut {
    /// Why something cannot be read. What is in the way of reading is not what was found there before.
    pub(super) fn at_source(error: io::Error) -> Self {
        match is_of_another_kind(&error) {
            true => Self::Changed,
            false => error.into(),
        }
    }

    /// Whether there is no sense in going on with what is beside it.
    pub(super) fn concerns_all(&self) -> bool {
        matches!(self, Self::CannotShare | Self::DiskFull | Self::Stopped)
    }

    /// Whether the user may want to do something about it.
    pub(super) fn is_warning(&self) -> bool {
        !matches!(
            self,
            Self::IsThere | Self::NotNamed | Self::CannotShare | Self::Stopped
        )
    }
}

impl From<io::Error> for LeftOut {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::AlreadyExists => Self::IsThere,
            io::ErrorKind::NotFound => Self::Gone,
            io::ErrorKind::Unsupported => Self::CannotShare,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull,
            _ if is_of_another_kind(&error) => Self::InTheWay,
            _ => Self::Failed(error),
        }
    }
}
