//! Walks through a directory on several threads: whoever is free takes the next directory.

use std::fs::{DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

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
        queue: Mutex::new(Queue {
            waiting: vec![directory.to_owned()],
            busy: 0,
        }),
        changed: Condvar::new(),
        device: Space::of(facts).identity.0,
        sharing: Sharing::at(directory),
        deadline,
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut counted = std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..cores.min(MOST_THREADS))
            .map(|_| scope.spawn(|| walk.work()))
            .collect();
        let mut counted = walk.work();
        for helper in helpers {
            match helper.join() {
                Ok(found) => counted.merge(found),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        counted
    });
    counted.use_of.is_complete &= walk.lock().waiting.is_empty();
    counted
}

struct Walk {
    queue: Mutex<Queue>,
    changed: Condvar,
    device: u64,
    sharing: Sharing,
    deadline: Instant,
}

struct Queue {
    waiting: Vec<PathBuf>,
    /// Threads that may still find directories.
    busy: usize,
}

impl Walk {
    fn work(&self) -> Counted {
        let mut counted = Counted::new();
        while let Some(directory) = self.next() {
            let mut below = Vec::new();
            match self.look(&directory, &mut counted, &mut below) {
                // What is gone takes no space.
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    counted.use_of.is_complete = false;
                }
                _ => {}
            }
            self.done(below);
        }
        counted
    }

    /// The next directory; `None` when nobody can find another one, or time is up.
    fn next(&self) -> Option<PathBuf> {
        let mut queue = self.lock();
        loop {
            let is_over = queue.waiting.is_empty() && queue.busy == 0;
            if is_over || self.is_late() {
                return None;
            }
            if let Some(directory) = queue.waiting.pop() {
                queue.busy += 1;
                return Some(directory);
            }
            queue = self
                .changed
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn done(&self, below: Vec<PathBuf>) {
        let mut queue = self.lock();
        queue.waiting.extend(below);
        queue.busy -= 1;
        self.changed.notify_all();
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

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `None` for what somebody removed meanwhile.
fn present(facts: io::Result<Metadata>) -> io::Result<Option<Metadata>> {
    match facts {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        facts => facts.map(Some),
    }
}
