//! Why something is left to git.

use std::io;

use crate::index_state::Uncertain;
use crate::objects::ObjectError;

/// Why the work is left to git.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Declined {
    /// git does more than writing stored bytes there.
    #[error("{0}")]
    Unsuited(&'static str),
    #[error(transparent)]
    Object(#[from] ObjectError),
    #[error(transparent)]
    Index(#[from] Uncertain),
    #[error("a file cannot be used: {0}")]
    File(#[from] io::Error),
    #[error("a writer failed")]
    Panicked,
}

impl From<rustix::io::Errno> for Declined {
    fn from(error: rustix::io::Errno) -> Self {
        Self::File(error.into())
    }
}
