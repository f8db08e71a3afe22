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

use std::ffi::OsStr;
use std::io;
use std::path::Path;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
    Link,
    /// Neither of them, in words.
    Special(&'static str),
}

impl Directory {
    /// The directory at a path below; those that are missing on the way are made. No link is followed.
    pub(crate) fn make_below(&self, path: &Path) -> io::Result<Self> {
        let mut directory = self.child(OsStr::new("."))?;
        for name in path.iter() {
            match directory.make_child(name) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => directory = directory.child(name)?,
            }
        }
        Ok(directory)
    }
}

/// Whether a name stands for a file or a link where a directory is wanted, or the other way round.
pub(crate) fn is_of_another_kind(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory
    )
}
