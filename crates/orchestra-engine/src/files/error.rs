//! Why a file of a worktree cannot be shown or saved.

use std::io;

use orchestra_core::visible_line;

use crate::ErrorClass;

/// A file of a worktree cannot be shown or saved.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The path leads elsewhere.
    #[error("`{path}` is no path of a file in a worktree: {why}")]
    Path {
        /// What was given.
        path: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Nothing is there.
    #[error("there is no `{path}` in the worktree")]
    Missing {
        /// What was given.
        path: String,
    },
    /// A link, a directory or something else is there.
    #[error("`{path}` is no plain file or directory, or a link is on the way to it")]
    OtherKind {
        /// What was given.
        path: String,
    },
    /// It is too large.
    #[error("`{path}` is larger than 1 MiB")]
    TooLarge {
        /// What was given.
        path: String,
    },
    /// It has another content than whoever saves it knows.
    #[error("`{path}` was changed meanwhile")]
    Changed {
        /// What was given.
        path: String,
    },
    /// It is there already.
    #[error("`{path}` is there already")]
    Exists {
        /// What was given.
        path: String,
    },
    /// The file system refused.
    #[error("cannot use `{path}`")]
    Io {
        /// What was given.
        path: String,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl FileError {
    pub(super) fn of(path: &str, source: io::Error) -> Self {
        let path = visible_line(path);
        match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { path },
            io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory => Self::OtherKind { path },
            io::ErrorKind::AlreadyExists => Self::Exists { path },
            io::ErrorKind::InvalidFilename => Self::Path {
                path,
                why: "a name in it is too long",
            },
            _ => Self::Io { path, source },
        }
    }

    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Path { .. } => "file.path",
            Self::Missing { .. } => "file.not_found",
            Self::OtherKind { .. } => "file.other_kind",
            Self::TooLarge { .. } => "file.too_large",
            Self::Changed { .. } => "file.changed",
            Self::Exists { .. } => "file.exists",
            Self::Io { .. } => "file.io",
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Path { .. } => "name it from the top of the worktree, such as `src/main.rs`",
            Self::Missing { .. } => "list its directory",
            Self::OtherKind { .. } => "links are not followed; name what the link leads to",
            Self::TooLarge { .. } => "use an editor in the worktree",
            Self::Changed { .. } => "read it again, and join what you changed with what is there",
            Self::Exists { .. } => "read it first, and save it with its version",
            Self::Io { .. } => "see who may read and write it",
        }
        .to_owned()
    }

    pub(crate) fn class(&self) -> ErrorClass {
        match self {
            Self::Path { .. } => ErrorClass::Usage,
            Self::Io { source, .. } if source.kind() != io::ErrorKind::PermissionDenied => {
                ErrorClass::Failed
            }
            _ => ErrorClass::Refused,
        }
    }
}
