//! The way from the top directory to the one that is written to, kept open. Directories are made when they are needed first.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{self, AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::super::listing::Directory;

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// The directories of a listing, and which of them were made here.
pub(super) struct Directories<'a> {
    top: OwnedFd,
    listed: &'a [Directory],
    made: Vec<AtomicBool>,
}

impl<'a> Directories<'a> {
    pub(super) fn below(top: &Path, listed: &'a [Directory]) -> io::Result<Self> {
        let top = fs::open(top, DIRECTORY, Mode::empty())?;
        let made = listed.iter().map(|_| AtomicBool::new(false)).collect();
        Ok(Self { top, listed, made })
    }

    /// A way for one thread.
    pub(super) fn open(&self) -> io::Result<OpenPath<'_>> {
        let top = self.top.try_clone()?;
        Ok(OpenPath {
            directories: self,
            steps: vec![(0, top)],
        })
    }

    /// Removes the directories that were made and are empty, the deepest first.
    pub(super) fn remove_made(&self, path: &mut OpenPath<'_>) -> io::Result<()> {
        for (directory, made) in self.listed.iter().zip(&self.made).rev() {
            if made.load(Ordering::Relaxed) {
                let parent = path.to(directory.parent)?;
                fs::unlinkat(parent, name(directory), AtFlags::REMOVEDIR)?;
            }
        }
        Ok(())
    }

    /// Another thread may have made it meanwhile. A link in its place is not opened.
    fn enter(&self, parent: &OwnedFd, number: usize) -> io::Result<OwnedFd> {
        let name = name(&self.listed[number]);
        match fs::mkdirat(parent, name, Mode::from(0o777)) {
            Ok(()) => self.made[number].store(true, Ordering::Relaxed),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(fs::openat(parent, name, DIRECTORY, Mode::empty())?)
    }
}

/// Open directories from the top to the one that was asked for last.
pub(super) struct OpenPath<'a> {
    directories: &'a Directories<'a>,
    steps: Vec<(usize, OwnedFd)>,
}

impl OpenPath<'_> {
    /// Goes up as far as needed and down to a directory.
    pub(super) fn to(&mut self, number: usize) -> io::Result<&OwnedFd> {
        let mut missing = Vec::new();
        let mut wanted = number;
        let shared = loop {
            if let Some(at) = self.steps.iter().rposition(|(step, _)| *step == wanted) {
                break at;
            }
            missing.push(wanted);
            wanted = self.directories.listed[wanted].parent;
        };
        self.steps.truncate(shared + 1);
        for step in missing.into_iter().rev() {
            let directory = self.directories.enter(self.last(), step)?;
            self.steps.push((step, directory));
        }
        Ok(self.last())
    }

    fn last(&self) -> &OwnedFd {
        self.steps
            .last()
            .map_or(&self.directories.top, |(_, directory)| directory)
    }
}

fn name(directory: &Directory) -> &OsStr {
    OsStr::from_bytes(directory.name())
}
