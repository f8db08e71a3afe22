//! Who uses a directory: asked before it is moved away or deleted, so it has to be quick where hundreds of processes have
//! thousands of files open.

use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::ProcessError;
#[cfg(target_os = "linux")]
use crate::threads::on_cores;

/// A process that works in a directory or has something open there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessUsing {
    pub pid: u32,
    pub command: String,
    pub why: Use,
}

/// How a process uses a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Use {
    /// It is in there.
    WorkingDirectory(PathBuf),
    /// Its program is in there.
    Program(PathBuf),
    OpenFile(PathBuf),
}

/// Every other process that uses `directory` or something below it, as far as this user may see.
#[cfg(target_os = "linux")]
pub fn processes_using(directory: &Path) -> Result<Vec<ProcessUsing>, ProcessError> {
    let directory = std::fs::canonicalize(directory).map_err(|source| {
        let directory = directory.to_path_buf();
        ProcessError::WorkingDirectory { directory, source }
    })?;
    let ours = std::process::id();
    let others: Vec<u32> = crate::table::numbers().filter(|pid| *pid != ours).collect();
    let next = AtomicUsize::new(0);
    // A thread that panicked looked at processes nobody else looked at, so that is passed on.
    let found = on_cores(threads(others.len()), || {
        look_at_each(&others, &next, &directory)
    });
    let mut using: Vec<_> = found.into_iter().flatten().collect();
    using.sort_unstable_by_key(|process| std::cmp::Reverse(process.pid));
    Ok(using)
}

/// A thread is worth it where it has this many processes to look at.
#[cfg(target_os = "linux")]
const WORTH_A_THREAD: usize = 50;

#[cfg(target_os = "linux")]
fn threads(processes: usize) -> usize {
    (processes / WORTH_A_THREAD).max(1)
}

/// Takes one process after another until none is left.
#[cfg(target_os = "linux")]
fn look_at_each(pids: &[u32], next: &AtomicUsize, directory: &Path) -> Vec<ProcessUsing> {
    let mut link = Vec::new();
    let mut using = Vec::new();
    while let Some(pid) = pids.get(next.fetch_add(1, Ordering::Relaxed)).copied() {
        let found = links::of(pid).and_then(|links| links.find_use(directory, &mut link));
        if let Some(why) = found {
            let command = crate::sweep::command_line(pid);
            using.push(ProcessUsing { pid, command, why });
        }
    }
    using
}

#[cfg(not(target_os = "linux"))]
pub fn processes_using(_directory: &Path) -> Result<Vec<ProcessUsing>, ProcessError> {
    let what = "listing the processes that use a directory";
    Err(ProcessError::Unsupported { what })
}

#[cfg(target_os = "linux")]
mod links {
    //! What `/proc/<pid>` links to, read without a name or an allocation for each of them.

    use std::ffi::{CStr, OsStr};
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::os::unix::ffi::OsStrExt;
    use std::path::{Path, PathBuf};

    use rustix::fs::{Dir, Mode, OFlags, openat, readlinkat};

    use super::Use;

    const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

    /// The folder of one process.
    pub(super) struct Links(OwnedFd);

    /// `None` if the process is gone.
    pub(super) fn of(pid: u32) -> Option<Links> {
        let path = format!("/proc/{pid}");
        let folder = rustix::fs::open(path, DIRECTORY, Mode::empty());
        folder.ok().map(Links)
    }

    impl Links {
        /// The first reason that is found. `link` is space to read into.
        pub(super) fn find_use(&self, directory: &Path, link: &mut Vec<u8>) -> Option<Use> {
            let folder = self.0.as_fd();
            if let Some(path) = inside(folder, c"cwd", directory, link) {
                return Some(Use::WorkingDirectory(path));
            }
            if let Some(path) = inside(folder, c"exe", directory, link) {
                return Some(Use::Program(path));
            }
            let open = openat(folder, c"fd", DIRECTORY, Mode::empty()).ok()?;
            let mut names = Dir::read_from(&open).ok()?;
            names
                .find_map(|name| inside(open.as_fd(), name.ok()?.file_name(), directory, link))
                .map(Use::OpenFile)
        }
    }

    fn inside(
        folder: BorrowedFd<'_>,
        name: &CStr,
        directory: &Path,
        link: &mut Vec<u8>,
    ) -> Option<PathBuf> {
        let target = readlinkat(folder, name, std::mem::take(link)).ok()?;
        // Most links lead to something else, so the beginning is compared before the path is taken apart.
        let found = target
            .as_bytes()
            .starts_with(directory.as_os_str().as_bytes())
            .then(|| Path::new(OsStr::from_bytes(target.as_bytes())))
            .filter(|path| path.starts_with(directory))
            .map(Path::to_owned);
        *link = target.into_bytes();
        found
    }
}
