//! An open directory, from which a plain name leads on. Links are never followed and nothing is ever replaced, so nothing
//! outside is reached or lost, whatever somebody puts in the place of what was looked at.

#[cfg(not(unix))]
mod elsewhere;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use elsewhere::{Directory, Original};
#[cfg(unix)]
pub(crate) use unix::{Directory, Original};

use std::io;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
    Link,
    /// Neither of them, in words.
    Special(&'static str),
}

/// Whether a name stands for a file or a link where a directory is wanted, or the other way round.
pub(crate) fn is_of_another_kind(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory
    )
}
