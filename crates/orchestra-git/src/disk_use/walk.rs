//! Walks through a directory on several threads: whoever is free takes the next directory.

use std::fs::{DirEntry, Metadata};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use orchestra_process::{WorkQueue, on_cores};

use super::mounts::is_mount_point;
use super::sharing::Sharing;
use super::{Counted, Space};

/// More threads wait for the same disk.
const MOST_THREADS: usize = 8;
/// A look at the clock costs about as much as a look at a file.
const BETWEEN_LOOKS: usize = 256;

/// Counts everything below `directory`, as long as there is time.
pub(super) fn count(directory: &Path, facts: &Metadata, deadline: Instant) -> Counted {
    let walk = Walk {
        directories: WorkQueue::new(directory.to_owned()),
        device: Space::of(facts).identity.0,
        sharing: Sharing::at(directory),
        deadline,
    };
    let mut counted = Counted::new();
    for found in on_cores(MOST_THREADS, || walk.work()) {
        counted.merge(found);
    }
    counted
}

struct Walk {
    directories: WorkQueue<PathBuf>,
    device: u64,
    sharing: Sharing,
    deadline: Instant,
}

impl Walk {
    fn work(&self) -> Counted {
        let mut counted = Counted::new();
        let end = self.directories.take_each(|directory| {
            if self.is_late() {
                return ControlFlow::Break(());
            }
            let mut below = Vec::new();
            match self.look(&directory, &mut counted, &mut below) {
                // What is gone takes no space.
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    counted.use_of.is_complete = false;
                }
                _ => {}
            }
            ControlFlow::Continue(below)
        });
        counted.use_of.is_complete &= end.is_continue();
        counted
    }

    fn look(
        &self,
        directory: &Path,
        counted: &mut Counted,
        below: &mut Vec<PathBuf>,
    ) -> io::Result<()> {
        for (number, entry) in std::fs::read_dir(directory)?.enumerate() {
            if number % BETWEEN_LOOKS == BETWEEN_LOOKS - 1 && self.is_late() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let entry = entry?;
            let Some(facts) = present(entry.metadata())? else {
                continue;
            };
            let is_elsewhere = Space::of(&facts).identity.0 != self.device;
            // File systems in layers give files other devices than directories, so only these tell.
            if facts.is_dir() && (is_elsewhere || is_mount_point(&entry.path())) {
                counted.use_of.has_mount = true;
                continue;
            }
            if is_elsewhere {
                continue;
            }
            counted.use_of.has_repository |= entry.file_name() == ".git";
            counted.add(&facts, self.shared_bytes(&entry, &facts));
            if facts.is_dir() {
                below.push(entry.path());
            }
        }
        Ok(())
    }

    fn shared_bytes(&self, entry: &DirEntry, facts: &Metadata) -> Option<u64> {
        match facts.is_file() && Space::of(facts).bytes > 0 {
            true => self.sharing.shared_bytes(&entry.path()),
            false => Some(0),
        }
    }

    fn is_late(&self) -> bool {
        Instant::now() >= self.deadline
    }
}

/// `None` for what somebody removed meanwhile.
fn present(facts: io::Result<Metadata>) -> io::Result<Option<Metadata>> {
    match facts {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        facts => facts.map(Some),
    }
}
