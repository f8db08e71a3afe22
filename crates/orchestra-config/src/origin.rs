//! Where a value comes from, and where exactly something wrong was found.

use std::fmt;
use std::path::PathBuf;

/// The layer that a value in force comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// The user's settings file.
    User(PathBuf),
    /// The repository's settings file.
    Repository(PathBuf),
    /// An environment variable, by name.
    Environment(String),
    /// An option of the command line.
    Flag,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::User(path) => write!(formatter, "user file {}", path.display()),
            Self::Repository(path) => write!(formatter, "repository file {}", path.display()),
            Self::Environment(name) => write!(formatter, "environment variable {name}"),
            Self::Flag => formatter.write_str("command line"),
        }
    }
}

/// The spot that a message is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A line of a file, counted from one.
    File {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
    },
    /// An environment variable, by name.
    Variable(String),
    /// What was typed.
    CommandLine,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line } => write!(formatter, "{}:{line}", path.display()),
            Self::Variable(name) => write!(formatter, "the environment variable {name}"),
            Self::CommandLine => formatter.write_str("the command line"),
        }
    }
}
