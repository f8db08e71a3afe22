//! What can go wrong with a child process.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::sandbox::SandboxError;

/// Why a child could not be started, followed or ended.
///
/// A child that ran and exited with a non-zero code is not an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    #[error("program `{}` was not found", program.display())]
    ProgramNotFound { program: PathBuf },
    #[error("program `{}` may not be run", program.display())]
    NotExecutable {
        program: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("cannot work in directory `{}`", directory.display())]
    WorkingDirectory {
        directory: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("cannot start `{}`", program.display())]
    Spawn {
        program: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{}` did not finish within {after:?} and was ended", program.display())]
    TimedOut { program: PathBuf, after: Duration },
    #[error("`{}` wrote more than {limit} bytes and was ended", program.display())]
    OutputTooLarge { program: PathBuf, limit: usize },
    #[error("the guardian of `{}` {problem}", program.display())]
    Guardian {
        program: PathBuf,
        problem: &'static str,
        #[source]
        source: Option<io::Error>,
    },
    #[error("cannot take over from the guardian at `{}`", meeting.display())]
    TakeOver {
        meeting: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("what the guardian at `{}` guards is followed by another process", meeting.display())]
    AlreadyFollowed { meeting: PathBuf },
    #[error("the guardian at `{}` is of another version of this program", meeting.display())]
    OtherVersion { meeting: PathBuf },
    #[error("`{}` did not detach from the terminal", program.display())]
    NotDetached { program: PathBuf },
    #[error("cannot {action}")]
    Io {
        action: &'static str,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("{what} is not supported on this system")]
    Unsupported { what: &'static str },
}

impl ProcessError {
    /// A stable name for the kind of failure.
    pub fn code(&self) -> &'static str {
        match self {
            Self::ProgramNotFound { .. } => "process.program_not_found",
            Self::NotExecutable { .. } => "process.not_executable",
            Self::WorkingDirectory { .. } => "process.working_directory",
            Self::Spawn { .. } => "process.spawn_failed",
            Self::TimedOut { .. } => "process.timed_out",
            Self::OutputTooLarge { .. } => "process.output_too_large",
            Self::Guardian { .. } => "process.guardian_failed",
            Self::TakeOver { .. } => "process.take_over_failed",
            Self::AlreadyFollowed { .. } => "process.already_followed",
            Self::OtherVersion { .. } => "process.other_version",
            Self::NotDetached { .. } => "process.not_detached",
            Self::Io { .. } => "process.io",
            Self::Sandbox(error) => error.code(),
            Self::Unsupported { .. } => "process.unsupported",
        }
    }

    /// What the user can do next.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::ProgramNotFound { program } => Some(format!(
                "install `{0}`, or check that PATH contains the directory it is in",
                program.display()
            )),
            Self::NotExecutable { program, .. } => Some(format!(
                "check the permissions of `{}` and that it is a program for this system",
                program.display()
            )),
            Self::WorkingDirectory { directory, .. } => Some(format!(
                "check that `{}` exists and may be entered",
                directory.display()
            )),
            Self::TimedOut { .. } => {
                Some("allow it more time, or find out what it waits for".into())
            }
            Self::OtherVersion { .. } => {
                Some("use the version that started it, or end it and start it again".into())
            }
            Self::Sandbox(error) => error.hint(),
            Self::Spawn { .. } => Some("check the limits on processes and memory".into()),
            Self::OutputTooLarge { .. }
            | Self::Guardian { .. }
            | Self::TakeOver { .. }
            | Self::AlreadyFollowed { .. }
            | Self::NotDetached { .. }
            | Self::Io { .. }
            | Self::Unsupported { .. } => None,
        }
    }

    /// Tells apart the causes that the system reports with one number: a missing working
    /// directory looks like a missing program.
    pub(crate) fn from_spawn(program: &Path, cwd: &Path, source: io::Error) -> Self {
        if let Err(source) = check_directory(cwd) {
            let directory = cwd.to_path_buf();
            return Self::WorkingDirectory { directory, source };
        }
        let program = program.to_path_buf();
        match source.kind() {
            // A script whose interpreter is missing is reported as not found as well.
            io::ErrorKind::NotFound if program.is_file() => Self::NotExecutable { program, source },
            io::ErrorKind::NotFound => Self::ProgramNotFound { program },
            io::ErrorKind::PermissionDenied => Self::NotExecutable { program, source },
            _ => Self::Spawn { program, source },
        }
    }
}

fn check_directory(directory: &Path) -> io::Result<()> {
    if !std::fs::metadata(directory)?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    #[cfg(unix)]
    rustix::fs::access(directory, rustix::fs::Access::EXEC_OK)?;
    Ok(())
}
