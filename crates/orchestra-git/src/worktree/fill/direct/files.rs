//! Writes listed files below a directory, on all cores.
//!
//! Every file is new, so nothing that exists is ever overwritten. Each step goes from an open directory to a plain name in it
//! without following links, and links come last: no path can lead outside.

mod path;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use gix_object::Kind;
use rustix::fs::{self, AtFlags, OFlags, Stat};

use super::listing::{Entry, Listing, Mode};
use crate::contained::contained;
use crate::declined::Declined;
use crate::objects::{Objects, Store};

use path::{Directories, OpenPath};

/// Below this many files for each, more threads do not help.
const FILES_PER_THREAD: usize = 50;
const MOST_THREADS: usize = 16;
/// Each thread comes back for more about this often, so that all end at about the same time.
const SHARES_PER_THREAD: usize = 16;
const SHARE: Range<usize> = 8..128;

const NEW_FILE: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// What was written, and what the system says about each file.
pub(super) struct Files<'a> {
    entries: &'a [Entry],
    directories: Directories<'a>,
    facts: Vec<Option<Stat>>,
}

impl<'a> Files<'a> {
    /// Writes everything, or takes back what was written.
    pub(super) fn write(top: &Path, listing: &'a Listing, store: &Store) -> Result<Self, Declined> {
        let mut files = Self {
            entries: &listing.entries,
            directories: Directories::below(top, &listing.directories)?,
            facts: vec![None; listing.entries.len()],
        };
        match files.write_all(store) {
            Ok(()) => Ok(files),
            Err(declined) => {
                files.take_back();
                Err(declined)
            }
        }
    }

    /// One for each entry, in the same order.
    pub(super) fn facts(&self) -> &[Option<Stat>] {
        &self.facts
    }

    /// Removes exactly what was written. What cannot be removed stays in git's way, which then says so.
    pub(super) fn take_back(&self) {
        if let Err(error) = self.remove_all() {
            tracing::debug!(%error, "not everything is taken back");
        }
    }

    fn remove_all(&self) -> io::Result<()> {
        let mut path = self.directories.open()?;
        for (entry, _) in self.written() {
            fs::unlinkat(path.to(entry.directory)?, name(entry), AtFlags::empty())?;
        }
        self.directories.remove_made(&mut path)
    }

    fn written(&self) -> impl Iterator<Item = (&Entry, &Stat)> {
        let facts = self.entries.iter().zip(&self.facts);
        facts.filter_map(|(entry, fact)| Some((entry, fact.as_ref()?)))
    }

    fn write_all(&mut self, store: &Store) -> Result<(), Declined> {
        self.write_files(store)?;
        self.write_links(&store.objects())
    }

    /// Threads take shares of the files until none is left or one of them failed.
    fn write_files(&mut self, store: &Store) -> Result<(), Declined> {
        let threads = threads(self.entries.len());
        let shares = shares(self.entries.len(), threads);
        let next = AtomicUsize::new(0);
        let work = || self.write_shares(&shares, &next, &store.objects());
        let done = std::thread::scope(|scope| {
            let threads = (0..threads).map(|_| scope.spawn(|| contained(work)));
            let threads = threads.collect::<Vec<_>>().into_iter();
            let done = threads.map(|thread| thread.join().ok().flatten());
            done.collect::<Vec<_>>()
        });
        let mut outcome = Ok(());
        for part in done {
            let (facts, result) = part.unwrap_or_else(|| (Vec::new(), Err(Declined::Panicked)));
            for (number, fact) in facts {
                self.facts[number] = Some(fact);
            }
            outcome = outcome.and(result);
        }
        outcome
    }

    /// What was written until it failed is part of the answer.
    fn write_shares(
        &self,
        shares: &[Range<usize>],
        next: &AtomicUsize,
        objects: &Objects,
    ) -> (Vec<(usize, Stat)>, Result<(), Declined>) {
        let mut facts = Vec::new();
        let mut write = || -> Result<(), Declined> {
            let (mut path, mut buffer) = (self.directories.open()?, Vec::new());
            while let Some(share) = shares.get(next.fetch_add(1, Ordering::Relaxed)) {
                for number in share.clone() {
                    let written = self.write_entry(number, &mut path, objects, &mut buffer)?;
                    facts.extend(written.map(|fact| (number, fact)));
                }
            }
            Ok(())
        };
        let result = write().inspect_err(|_| next.store(shares.len(), Ordering::Relaxed));
        (facts, result)
    }

    /// `None` for a link, which must wait.
    fn write_entry(
        &self,
        number: usize,
        path: &mut OpenPath<'_>,
        objects: &Objects,
        buffer: &mut Vec<u8>,
    ) -> Result<Option<Stat>, Declined> {
        let entry = &self.entries[number];
        if entry.mode == Mode::Link {
            return Ok(None);
        }
        let content = objects.read(&entry.id, Kind::Blob, buffer)?;
        let directory = path.to(entry.directory)?;
        Ok(Some(write_file(directory, entry, content)?))
    }

    fn write_links(&mut self, objects: &Objects) -> Result<(), Declined> {
        let (mut path, mut buffer) = (self.directories.open()?, Vec::new());
        for (number, entry) in self.entries.iter().enumerate() {
            if entry.mode == Mode::Link {
                let target = objects.read(&entry.id, Kind::Blob, &mut buffer)?;
                let directory = path.to(entry.directory)?;
                self.facts[number] = Some(write_link(directory, entry, target)?);
            }
        }
        Ok(())
    }
}

/// A file that could not be written whole is removed at once.
fn write_file(directory: &OwnedFd, entry: &Entry, content: &[u8]) -> io::Result<Stat> {
    let permissions = match entry.mode {
        Mode::Executable => 0o777,
        _ => 0o666,
    };
    let permissions = fs::Mode::from(permissions);
    let file = fs::openat(directory, name(entry), NEW_FILE, permissions)?;
    let mut file = File::from(file);
    let written = file.write_all(content).and_then(|()| Ok(fs::fstat(&file)?));
    if written.is_err() {
        fs::unlinkat(directory, name(entry), AtFlags::empty())?;
    }
    written
}

fn write_link(directory: &OwnedFd, entry: &Entry, target: &[u8]) -> io::Result<Stat> {
    fs::symlinkat(OsStr::from_bytes(target), directory, name(entry))?;
    let facts = fs::statat(directory, name(entry), AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(facts)
}

fn name(entry: &Entry) -> &OsStr {
    OsStr::from_bytes(entry.name())
}

fn threads(files: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores.min(MOST_THREADS).min(files / FILES_PER_THREAD + 1)
}

/// Consecutive files belong together: they are mostly in the same directories.
fn shares(files: usize, threads: usize) -> Vec<Range<usize>> {
    let size = (files / (threads * SHARES_PER_THREAD)).clamp(SHARE.start, SHARE.end);
    (0..files)
        .step_by(size)
        .map(|start| start..files.min(start + size))
        .collect()
}

#[cfg(test)]
mod tests {
    use gix_hash::{Kind, ObjectId};

    use super::super::listing::Directory;
    use super::*;

    /// A listing of one file at the top.
    fn one_file(name: &str) -> Listing {
        let id = ObjectId::null(Kind::Sha1);
        let top = Directory {
            path: Vec::new(),
            name_at: 0,
            parent: 0,
            id,
            children: Vec::new(),
            size: 1,
        };
        let entry = Entry {
            path: name.into(),
            name_at: 0,
            directory: 0,
            id,
            mode: Mode::File,
        };
        Listing {
            directories: vec![top],
            entries: vec![entry],
        }
    }

    #[test]
    fn taking_back_what_somebody_removed_leaves_the_rest_alone() {
        let top = tempfile::tempdir().unwrap();
        std::fs::write(top.path().join("theirs"), "x").unwrap();
        let listing = one_file("ours");
        let files = Files {
            entries: &listing.entries,
            directories: Directories::below(top.path(), &listing.directories).unwrap(),
            facts: vec![Some(fs::stat(top.path()).unwrap())],
        };
        assert!(files.remove_all().is_err());
        files.take_back();
        assert!(top.path().join("theirs").exists());
    }

    #[test]
    fn shares_cover_all_files_once() {
        for (files, threads) in [(0, 1), (1, 1), (7, 2), (237, 2), (7_000, 2), (100_000, 16)] {
            let covered = shares(files, threads).into_iter().flatten();
            assert!(covered.eq(0..files), "{files}");
        }
    }
}
