//! Git processes of anybody's that are at work in a directory.

use std::path::Path;
use std::time::{Duration, Instant};

use orchestra_process::ProcessError;

use crate::error::GitError;

const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(15);
/// A process that is just being started can be missed once.
const QUIET_LOOKS: u32 = 4;

/// Whether git works in `dir` or has a file open there. A shell or an editor in the directory does not count; where
/// processes cannot be seen, git might be there.
pub(crate) fn is_running_in(dir: &Path) -> Result<bool, GitError> {
    match orchestra_process::processes_using(dir) {
        Ok(users) => Ok(users.iter().any(|user| is_git(&user.command))),
        Err(ProcessError::Unsupported { .. }) => Ok(true),
        Err(error) => Err(GitError::Inspect(error)),
    }
}

/// Gives git processes whose parent was killed the time to finish, which takes them milliseconds.
pub(crate) fn wait_for_others_in(dir: &Path) -> Result<(), GitError> {
    let start = Instant::now();
    let mut quiet = 0;
    while quiet < QUIET_LOOKS && start.elapsed() < PATIENCE {
        std::thread::sleep(PAUSE);
        quiet = if is_running_in(dir)? { 0 } else { quiet + 1 };
    }
    Ok(())
}

/// A process without a command line is between two programs, so it may become git.
fn is_git(command: &str) -> bool {
    let Some(program) = command.split_whitespace().next() else {
        return true;
    };
    Path::new(program)
        .file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with("git"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_is_known_by_its_name() {
        assert!(is_git("git commit -q"));
        assert!(is_git("/usr/libexec/git-core/git-remote-https x"));
        assert!(!is_git("bash /home/u/git/run"));
        assert!(is_git(""));
    }
}
