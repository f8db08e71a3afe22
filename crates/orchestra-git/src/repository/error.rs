//! Why a directory cannot be opened as a repository.

use std::path::PathBuf;

use crate::error::GitError;

/// Why a directory cannot be opened as a repository.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no directory.
    #[error("there is no directory `{}`", .0.display())]
    NoSuchDirectory(PathBuf),
    /// No repository here or above.
    #[error("`{}` is not in a git repository", .0.display())]
    NotARepository(PathBuf),
    /// No checked-out files.
    #[error("`{}` is a bare repository, which has no files to work on", .0.display())]
    Bare(PathBuf),
    /// Inside the `.git` directory.
    #[error("`{}` is inside a repository's own data, not among its files", .0.display())]
    InsideGitDirectory(PathBuf),
    /// It belongs to somebody else.
    #[error("the repository `{}` belongs to another user", .0.display())]
    Unsafe(PathBuf),
    /// git cannot read it.
    #[error("the repository `{}` cannot be read", path.display())]
    Broken {
        /// Its directory.
        path: PathBuf,
        /// What git said.
        #[source]
        source: GitError,
    },
    /// Something else.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl OpenError {
    /// A stable name for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoSuchDirectory(_) => "git.no_such_directory",
            Self::NotARepository(_) => "git.not_a_repository",
            Self::Bare(_) => "git.bare_repository",
            Self::InsideGitDirectory(_) => "git.inside_git_directory",
            Self::Unsafe(_) => "git.unsafe_repository",
            Self::Broken { .. } => "git.broken_repository",
            Self::Git(error) => error.code(),
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoSuchDirectory(_) => Some("check the path".to_owned()),
            Self::NotARepository(_) => {
                Some("run `git init` there, or name a directory inside a repository".to_owned())
            }
            Self::Bare(path) => Some(format!(
                "make a clone with files: git clone '{}' <directory>",
                path.display()
            )),
            Self::InsideGitDirectory(_) => {
                Some("name the directory that contains `.git`".to_owned())
            }
            Self::Unsafe(path) => {
                let path = path.display();
                Some(format!(
                    "if you trust it: git config --global --add safe.directory '{path}'"
                ))
            }
            Self::Broken { .. } => Some("`git fsck` looks for what is broken".to_owned()),
            Self::Git(error) => error.hint(),
        }
    }
}
