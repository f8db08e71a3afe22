//! One walk through a checkout, on several threads: which files of the index may have changed, and what else is there.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::ops::{ControlFlow, Range};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use gix_index::State;
use gix_index::entry::{Flags, Mode};
use orchestra_process::{WorkQueue, on_cores};
use rustix::fs::{AtFlags, Dir, FileType, Mode as Permissions, OFlags, Stat, openat, statat};

use super::Moment;
use crate::index_state::{has_content_of, is_passed_over, is_same_file};

/// More threads wait for the same disk.
const MOST_THREADS: usize = 8;
const DIRECTORY: OFlags = OFlags::DIRECTORY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// What a walk came upon.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Files of the index that changed since, or went away.
    pub(super) suspects: Vec<Vec<u8>>,
    /// Files of the index that changed since and that git was told not to look at.
    pub(super) passed_over: Vec<Vec<u8>>,
    /// What the index does not know, a directory standing for all in it.
    pub(super) unknown: Vec<Unknown>,
}

/// Something that the index does not know.
#[derive(Debug)]
pub(super) struct Unknown {
    /// Below the checkout; a directory ends with a slash.
    pub(super) path: Vec<u8>,
    pub(super) is_directory: bool,
    pub(super) is_recent: bool,
}

/// Walks through all directories that the index knows. Without a moment, nothing is asked about files that it knows.
pub(super) fn walk(top: &Path, index: &State, since: Option<Moment>) -> Found {
    let mut all = Found::default();
    let Ok(top) = rustix::fs::open(top, DIRECTORY, Permissions::empty()) else {
        return all;
    };
    let walk = Walk { top, index, since };
    let queue = WorkQueue::new(Part {
        below: Vec::new(),
        entries: 0..index.entries().len(),
    });
    let parts = on_cores(MOST_THREADS, || {
        let mut found = Found::default();
        // Nothing breaks it off.
        let _end = queue
            .take_each(|part| ControlFlow::<(), _>::Continue(walk.directory(&part, &mut found)));
        found
    });
    for part in parts {
        all.suspects.extend(part.suspects);
        all.passed_over.extend(part.passed_over);
        all.unknown.extend(part.unknown);
    }
    all
}

/// A directory, and its part of the index.
struct Part {
    /// Its path, with a slash at the end.
    below: Vec<u8>,
    entries: Range<usize>,
}

/// What the index knows under one name.
enum Known {
    File(usize),
    Directory(Range<usize>),
}

struct Walk<'a> {
    top: OwnedFd,
    index: &'a State,
    since: Option<Moment>,
}

impl Walk<'_> {
    /// Looks at one directory. Answers those in it that the index knows.
    fn directory(&self, part: &Part, found: &mut Found) -> Vec<Part> {
        let mut known = self.known(part);
        let mut below = Vec::new();
        if let Some(directory) = self.open(part) {
            self.entries(&directory, part, &mut known, &mut below, found);
            let is_recent = || rustix::fs::fstat(&directory).is_ok_and(|it| self.is_recent(&it));
            if !known.is_empty() && is_recent() {
                self.note_missing(known.into_values(), found);
            }
        } else {
            // Whoever removed it changed the directory above, or put something else in its place.
            self.note_missing(known.into_values(), found);
        }
        below
    }

    fn open(&self, part: &Part) -> Option<OwnedFd> {
        let path: &[u8] = match part.below.as_slice() {
            b"" => b".",
            path => path,
        };
        openat(&self.top, path, DIRECTORY, Permissions::empty()).ok()
    }

    fn entries<'i>(
        &'i self,
        directory: &OwnedFd,
        part: &Part,
        known: &mut HashMap<&'i [u8], Known>,
        below: &mut Vec<Part>,
        found: &mut Found,
    ) {
        let Ok(entries) = Dir::read_from(directory) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") || (part.below.is_empty() && name == b".git") {
                continue;
            }
            let path = || [part.below.as_slice(), name].concat();
            match known.remove(name) {
                Some(Known::File(number)) => self.file(directory, name, number, found),
                Some(Known::Directory(entries)) => below.push(Part {
                    below: [path().as_slice(), b"/"].concat(),
                    entries,
                }),
                None => self.unknown(directory, name, path(), found),
            }
        }
    }

    fn file(&self, directory: &OwnedFd, name: &[u8], number: usize, found: &mut Found) {
        let entry = &self.index.entries()[number];
        if self.since.is_none() || entry.mode == Mode::COMMIT {
            return;
        }
        let Ok(facts) = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) else {
            return;
        };
        if !self.is_recent(&facts) || is_same_file(self.index, entry, &facts) {
            return;
        }
        let path = entry.path(self.index).to_vec();
        match is_passed_over(entry) {
            false => found.suspects.push(path),
            true if has_content_of(entry, directory, OsStr::from_bytes(name), &facts) => {}
            true => found.passed_over.push(path),
        }
    }

    fn unknown(&self, directory: &OwnedFd, name: &[u8], mut path: Vec<u8>, found: &mut Found) {
        let Ok(facts) = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) else {
            return;
        };
        let is_directory = FileType::from_raw_mode(facts.st_mode) == FileType::Directory;
        if is_directory {
            path.push(b'/');
        }
        found.unknown.push(Unknown {
            path,
            is_directory,
            is_recent: self.is_recent(&facts),
        });
    }

    fn note_missing(&self, known: impl Iterator<Item = Known>, found: &mut Found) {
        let entries = self.index.entries();
        for known in known {
            let range = match known {
                Known::File(number) => number..number + 1,
                Known::Directory(range) => range,
            };
            let wanted = entries[range]
                .iter()
                .filter(|entry| !entry.flags.contains(Flags::SKIP_WORKTREE));
            let paths = wanted.map(|entry| entry.path(self.index).to_vec());
            found.suspects.extend(paths);
        }
    }

    /// What the index knows in one directory, by name.
    fn known(&self, part: &Part) -> HashMap<&[u8], Known> {
        let entries = self.index.entries();
        let mut known = HashMap::new();
        let mut at = part.entries.start;
        while at < part.entries.end {
            let path: &[u8] = entries[at].path(self.index);
            let rest = path.get(part.below.len()..).unwrap_or_default();
            let Some(length) = rest.iter().position(|byte| *byte == b'/') else {
                known.insert(rest, Known::File(at));
                at += 1;
                continue;
            };
            let below = &path[..=part.below.len() + length];
            let rest_of = &entries[at..part.entries.end];
            let count = rest_of.partition_point(|entry| {
                AsRef::<[u8]>::as_ref(entry.path(self.index)).starts_with(below)
            });
            known.insert(&rest[..length], Known::Directory(at..at + count));
            at += count;
        }
        known
    }

    fn is_recent(&self, facts: &Stat) -> bool {
        let seconds = u64::try_from(facts.st_ctime).unwrap_or_default();
        let rest = facts.st_ctime_nsec;
        let changed = Moment(seconds.saturating_mul(1_000_000_000).saturating_add(rest));
        self.since.is_some_and(|since| changed >= since)
    }
}
