//! What can go wrong with any call of the git program. Features add their own errors beside their code.

use std::io;
use std::path::{Path, PathBuf};

use orchestra_process::ProcessError;

use crate::version::GitVersion;

/// A call of the git program, or a file of git's, that did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The program could not be started.
    #[error("cannot start the git program `{program}`")]
    ProgramMissing {
        /// What was tried.
        program: PathBuf,
        /// Why.
        #[source]
        source: ProcessError,
    },
    /// The program is older than what is supported.
    #[error("git {found} is older than {minimum}, the oldest supported version")]
    VersionTooOld {
        /// What is installed.
        found: GitVersion,
        /// What is needed.
        minimum: GitVersion,
    },
    /// The call ran too long, printed too much or could not be watched.
    #[error("`{command}` did not finish")]
    Process {
        /// The command line.
        command: String,
        /// Why.
        #[source]
        source: ProcessError,
    },
    /// git answered with an exit code that means failure.
    #[error("`{command}` failed with {exit}: {}", in_short(stderr, 3))]
    Failed {
        /// The command line.
        command: String,
        /// The exit code or signal in words.
        exit: String,
        /// The end of what git said.
        stderr: String,
    },
    /// git answered in a form that is not understood.
    #[error("the answer of `{command}` cannot be read: {reason}")]
    Unreadable {
        /// The command line.
        command: String,
        /// What is odd about it.
        reason: String,
    },
    /// A file or directory could not be used.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A branch or other reference is not there.
    #[error("there is no `{0}`")]
    NoSuchRevision(String),
    /// A branch is not where it was looked for.
    #[error("there is no branch called `{name}`")]
    NoSuchBranch {
        /// What was asked for.
        name: String,
        /// Branches that are called almost like it.
        near: Vec<String>,
        /// The remote's branch of this name, such as `origin/topic`, where only a local one will do.
        on_remote: Option<String>,
    },
    /// The running processes cannot be looked at.
    #[error("cannot look for processes that use git's files")]
    Inspect(#[source] ProcessError),
    /// A worktree's directory is gone or was replaced.
    #[error("the worktree directory `{}` is gone, or something else is in its place", .0.display())]
    WorktreeMissing(PathBuf),
    /// Another process holds the repository's lock for too long.
    #[error(
        "another process has been changing worktrees or branches of this repository for {0} seconds"
    )]
    RepositoryLocked(u64),
}

impl GitError {
    /// A stable name for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::ProgramMissing { .. } => "git.program_missing",
            Self::VersionTooOld { .. } => "git.version_too_old",
            Self::Process { .. } if self.is_timeout() => "git.timed_out",
            Self::Process { .. } => "git.process",
            Self::Failed { .. } => "git.failed",
            Self::Unreadable { .. } => "git.unreadable_answer",
            Self::Io { .. } => "git.io",
            Self::NoSuchRevision(_) | Self::NoSuchBranch { .. } => "git.no_such_revision",
            Self::Inspect(_) => "git.inspect",
            Self::WorktreeMissing(_) => "git.worktree_missing",
            Self::RepositoryLocked(_) => "git.repository_locked",
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::ProgramMissing { .. } => {
                Some("install git 2.38 or newer, and check that PATH leads to it".to_owned())
            }
            Self::VersionTooOld { minimum, .. } => Some(format!("install git {minimum} or newer")),
            Self::Process { .. } => {
                Some("try again; if the disk is slow or remote, this can take long".to_owned())
            }
            Self::NoSuchRevision(name) => Some(format!(
                "`git branch --all` lists what exists; `{name}` is not among it"
            )),
            Self::NoSuchBranch {
                on_remote: Some(full),
                ..
            } => {
                let own = full.split_once('/').map_or(full.as_str(), |(_, own)| own);
                Some(format!(
                    "only a remote has it; make it here with `git branch {own} {full}`, then name it `{own}`"
                ))
            }
            Self::NoSuchBranch { near, .. } => Some(match near.as_slice() {
                [] => "`git branch --all` lists what exists".to_owned(),
                near => format!("did you mean `{}`?", near.join("` or `")),
            }),
            Self::WorktreeMissing(_) => {
                Some("`git worktree list` shows what git knows about it".to_owned())
            }
            Self::RepositoryLocked(_) => {
                Some("wait for the other command, or end it, then try again".to_owned())
            }
            Self::Failed { .. } | Self::Io { .. } => Some(
                "see whether the disk has room and the files are yours, then try again; `git fsck` looks at the repository".to_owned(),
            ),
            Self::Unreadable { .. } | Self::Inspect(_) => None,
        }
    }

    /// Whether it took longer than it was given.
    pub(crate) fn is_timeout(&self) -> bool {
        matches!(
            self,
            Self::Process {
                source: ProcessError::TimedOut { .. },
                ..
            }
        )
    }

    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            source,
        }
    }
}

/// The first lines of what git said, on one line and without git's own words for how bad it is.
const DISK_CAUSES: [&str; 3] = [
    "No space left on device",
    "Disk quota exceeded",
    "Read-only file system",
];

pub(crate) fn in_short(stderr: &str, lines: usize) -> String {
    const MARKS: [&str; 3] = ["fatal: ", "error: ", "remote: "];
    let plain = |line: &str| -> String {
        let line = line.trim();
        let mark = MARKS.iter().find_map(|mark| line.strip_prefix(mark));
        mark.unwrap_or(line).trim_end_matches('.').to_owned()
    };
    let said = || stderr.lines().filter(|line| !line.trim().is_empty());
    let told: Vec<_> = said()
        .filter(|line| !line.starts_with("warning: "))
        .take(lines)
        .map(plain)
        .collect();
    if told.is_empty() {
        return said().next_back().map(plain).unwrap_or_default();
    }
    let mut told = told.join("; ");
    // git names the cause in one of many lines, and some of those are warnings.
    for cause in DISK_CAUSES {
        if stderr.contains(cause) && !told.contains(cause) {
            told = format!("{told}: {cause}");
        }
    }
    told
}

/// Gives an I/O error the path it is about.
pub(crate) trait AtPath<T> {
    fn at(self, path: &Path) -> Result<T, GitError>;
}

impl<T> AtPath<T> for io::Result<T> {
    fn at(self, path: &Path) -> Result<T, GitError> {
        self.map_err(|source| GitError::io(path, source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_says_fits_on_a_line() {
        let said = "warning: x\nfatal: '/a' does not appear to be a git repository\n\
                    fatal: Could not read from remote repository.\n\nPlease make sure\n";
        assert_eq!(
            in_short(said, 1),
            "'/a' does not appear to be a git repository"
        );
        assert_eq!(
            in_short(said, 2),
            "'/a' does not appear to be a git repository; Could not read from remote repository"
        );
        assert_eq!(in_short("", 1), "");
        let full =
            "warning: unable to write: No space left on device\nfatal: adding files failed\n";
        assert_eq!(
            in_short(full, 3),
            "adding files failed: No space left on device"
        );
    }
}
