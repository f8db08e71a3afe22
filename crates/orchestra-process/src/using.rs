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
pub fn processes_using(directory: &Path) -> Result<Vec<ProcessUsing>, ProcessError> {
    let using = processes_using_each(&[directory])?;
    Ok(using.into_iter().flatten().collect())
}

/// The same for several directories, in their order, with one look at every process.
#[cfg(target_os = "linux")]
pub fn processes_using_each(directories: &[&Path]) -> Result<Vec<Vec<ProcessUsing>>, ProcessError> {
    let directories = directories.iter().map(|directory| real(directory));
    let directories: Vec<PathBuf> = directories.collect::<Result<_, _>>()?;
    let ours = std::process::id();
    let others: Vec<u32> = crate::table::numbers().filter(|pid| *pid != ours).collect();
    let next = AtomicUsize::new(0);
    // A thread that panicked looked at processes nobody else looked at, so that is passed on.
    let found = on_cores(threads(others.len()), || {
        look_at_each(&others, &next, &directories)
    });
    let mut using = vec![Vec::new(); directories.len()];
    for (directory, process) in found.into_iter().flatten() {
        using[directory].push(process);
    }
    for users in &mut using {
        users.sort_unstable_by_key(|process| std::cmp::Reverse(process.pid));
    }
    Ok(using)
}

#[cfg(target_os = "linux")]
fn real(directory: &Path) -> Result<PathBuf, ProcessError> {
    std::fs::canonicalize(directory).map_err(|source| {
        let directory = directory.to_path_buf();
        ProcessError::WorkingDirectory { directory, source }
    })
}

/// A thread is worth it where it has this many processes to look at.
#[cfg(target_os = "linux")]
const WORTH_A_THREAD: usize = 50;

#[cfg(target_os = "linux")]
fn threads(processes: usize) -> usize {
    (processes / WORTH_A_THREAD).max(1)
}

/// Takes one process after another until none is left. Answers the number of the directory with each.
#[cfg(target_os = "linux")]
fn look_at_each(
    pids: &[u32],
    next: &AtomicUsize,
    directories: &[PathBuf],
) -> Vec<(usize, ProcessUsing)> {
    let mut link = Vec::new();
    let mut using = Vec::new();
    while let Some(pid) = pids.get(next.fetch_add(1, Ordering::Relaxed)).copied() {
        let Some(links) = links::of(pid) else {
            continue;
        };
        for (directory, why) in links.find_uses(directories, &mut link) {
            let command = crate::sweep::command_line(pid);
            using.push((directory, ProcessUsing { pid, command, why }));
        }
    }
    using
}

#[cfg(not(target_os = "linux"))]
pub fn processes_using_each(
    _directories: &[&Path],
) -> Result<Vec<Vec<ProcessUsing>>, ProcessError> {
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
        /// The first reason that is found for each directory, with its number. `link` is space to read into.
        pub(super) fn find_uses(
            &self,
            directories: &[PathBuf],
            link: &mut Vec<u8>,
        ) -> Vec<(usize, Use)> {
            let folder = self.0.as_fd();
            let mut uses = Uses::of(directories);
            uses.look_at(folder, c"cwd", link, Use::WorkingDirectory);
            uses.look_at(folder, c"exe", link, Use::Program);
            uses.look_at_open_files(folder, link);
            uses.found
        }
    }

    /// What was found of one process.
    struct Uses<'a> {
        directories: &'a [PathBuf],
        found: Vec<(usize, Use)>,
    }

    impl<'a> Uses<'a> {
        fn of(directories: &'a [PathBuf]) -> Self {
            let found = Vec::new();
            Self { directories, found }
        }

        fn is_complete(&self) -> bool {
            self.found.len() == self.directories.len()
        }

        /// What cannot be read belongs to somebody else, or is gone.
        fn look_at_open_files(&mut self, folder: BorrowedFd<'_>, link: &mut Vec<u8>) {
            if self.is_complete() {
                return;
            }
            let Ok(open) = openat(folder, c"fd", DIRECTORY, Mode::empty()) else {
                return;
            };
            let names = Dir::read_from(&open).into_iter().flatten().flatten();
            for name in names {
                self.look_at(open.as_fd(), name.file_name(), link, Use::OpenFile);
                if self.is_complete() {
                    return;
                }
            }
        }

        fn look_at(
            &mut self,
            folder: BorrowedFd<'_>,
            name: &CStr,
            link: &mut Vec<u8>,
            why: fn(PathBuf) -> Use,
        ) {
            let Ok(target) = readlinkat(folder, name, std::mem::take(link)) else {
                return;
            };
            for (number, directory) in self.directories.iter().enumerate() {
                let is_known = self.found.iter().any(|(known, _)| *known == number);
                if let Some(path) = inside(target.as_bytes(), directory).filter(|_| !is_known) {
                    self.found.push((number, why(path)));
                }
            }
            *link = target.into_bytes();
        }
    }

    /// Most links lead to something else, so the beginning is compared before the path is taken apart.
    fn inside(target: &[u8], directory: &Path) -> Option<PathBuf> {
        let begins_there = target.starts_with(directory.as_os_str().as_bytes());
        let path = begins_there.then(|| Path::new(OsStr::from_bytes(target)));
        let path = path.filter(|path| path.starts_with(directory));
        path.map(Path::to_owned)
    }
}
