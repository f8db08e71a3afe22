//! One walk through a checkout, on several threads: which files of the index may have changed, and what else is there.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::ops::{Bound, ControlFlow, Range};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use gix_index::State;
use gix_index::entry::{Flags, Mode};
use orchestra_process::{WorkQueue, on_cores};
use rustix::fs::{AtFlags, Dir, FileType, Mode as Permissions, OFlags, Stat, openat, statat};
use rustix::io::Errno;

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

/// What was before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before<'a> {
    pub(super) at: Moment,
    /// What the index did not know, directories with a slash at the end; `None` if nobody looked.
    pub(super) unknown: Option<&'a BTreeSet<String>>,
}

/// Walks through all directories that the index knows. Without a time before, nothing is asked about files that it knows.
pub(super) fn walk(top: &Path, index: &State, before: Option<Before<'_>>) -> Found {
    let mut all = Found::default();
    let Ok(top) = rustix::fs::open(top, DIRECTORY, Permissions::empty()) else {
        return all;
    };
    let walk = Walk { top, index, before };
    let queue = WorkQueue::new(Part {
        below: Vec::new(),
        entries: 0..index.entries().len(),
        is_presumed: false,
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
    /// Whether nobody has seen that it is there, but only that the directory above is as it was.
    is_presumed: bool,
}

impl Part {
    fn path_of(&self, name: &[u8]) -> Vec<u8> {
        [self.below.as_slice(), name].concat()
    }

    fn within(&self, name: &[u8], entries: Range<usize>, is_presumed: bool) -> Self {
        Self {
            below: [self.below.as_slice(), name, b"/"].concat(),
            entries,
            is_presumed,
        }
    }
}

/// What the index knows under one name.
enum Known {
    File(usize),
    Directory(Range<usize>),
}

struct Walk<'a> {
    top: OwnedFd,
    index: &'a State,
    before: Option<Before<'a>>,
}

impl Walk<'_> {
    /// Looks at one directory. Answers those in it that the index knows.
    fn directory(&self, part: &Part, found: &mut Found) -> Vec<Part> {
        let known = self.known(part);
        let directory = match self.open(part) {
            Ok(directory) => directory,
            Err(Errno::NOENT | Errno::NOTDIR) if part.is_presumed => return Vec::new(),
            Err(_) => {
                // Whoever removed it changed the directory above, or put something else in its place.
                self.note_missing(known.into_iter().map(|(_, it)| it), found);
                return Vec::new();
            }
        };
        let unknown = self.unknown_before(part);
        match unknown.filter(|_| !self.has_news(&directory)) {
            Some(unknown) => self.remembered(&directory, part, known, &unknown, found),
            None => self.listed(&directory, part, known, found),
        }
    }

    fn open(&self, part: &Part) -> Result<OwnedFd, Errno> {
        let path: &[u8] = match part.below.as_slice() {
            b"" => b".",
            path => path,
        };
        openat(&self.top, path, DIRECTORY, Permissions::empty())
    }

    /// What the index did not know in one directory before; `None` if only the directory itself can tell.
    fn unknown_before(&self, part: &Part) -> Option<Vec<&[u8]>> {
        let all = self.before?.unknown?;
        let below = std::str::from_utf8(&part.below).ok()?;
        let from = (Bound::Included(below), Bound::Unbounded);
        let paths = all.range::<str, _>(from);
        let names = paths.map_while(|path| path.strip_prefix(below));
        let names = names.map(|name| name.strip_suffix('/').unwrap_or(name));
        let names = names.filter(|name| !name.contains('/'));
        // A name that is no text cannot be had back.
        let is_whole = |name: &&str| !name.contains(char::REPLACEMENT_CHARACTER);
        names
            .map(|name| Some(name).filter(is_whole).map(str::as_bytes))
            .collect()
    }

    /// Nothing came into the directory or left it, so that it need not be listed.
    fn remembered(
        &self,
        directory: &OwnedFd,
        part: &Part,
        known: Vec<(&[u8], Known)>,
        unknown: &[&[u8]],
        found: &mut Found,
    ) -> Vec<Part> {
        let mut below = Vec::new();
        for (name, known) in known {
            match known {
                Known::File(number) => self.file(directory, name, number, found),
                Known::Directory(entries) => below.push(part.within(name, entries, true)),
            }
        }
        for name in unknown {
            self.unknown(directory, name, part.path_of(name), found);
        }
        below
    }

    fn listed(
        &self,
        directory: &OwnedFd,
        part: &Part,
        known: Vec<(&[u8], Known)>,
        found: &mut Found,
    ) -> Vec<Part> {
        let mut known: HashMap<_, _> = known.into_iter().collect();
        let mut below = Vec::new();
        let entries = Dir::read_from(directory).into_iter().flatten();
        for entry in entries.flatten() {
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") || (part.below.is_empty() && name == b".git") {
                continue;
            }
            match known.remove(name) {
                Some(Known::File(number)) => self.file(directory, name, number, found),
                Some(Known::Directory(entries)) => below.push(part.within(name, entries, false)),
                None => self.unknown(directory, name, part.path_of(name), found),
            }
        }
        if !known.is_empty() && self.has_news(directory) {
            self.note_missing(known.into_values(), found);
        }
        below
    }

    fn file(&self, directory: &OwnedFd, name: &[u8], number: usize, found: &mut Found) {
        let entry = &self.index.entries()[number];
        if self.before.is_none() || entry.mode == Mode::COMMIT {
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
    fn known(&self, part: &Part) -> Vec<(&[u8], Known)> {
        let entries = self.index.entries();
        let mut known = Vec::new();
        let mut at = part.entries.start;
        while at < part.entries.end {
            let path: &[u8] = entries[at].path(self.index);
            let rest = path.get(part.below.len()..).unwrap_or_default();
            let Some(length) = rest.iter().position(|byte| *byte == b'/') else {
                known.push((rest, Known::File(at)));
                at += 1;
                continue;
            };
            let below = &path[..=part.below.len() + length];
            let rest_of = &entries[at..part.entries.end];
            let count = rest_of.partition_point(|entry| {
                AsRef::<[u8]>::as_ref(entry.path(self.index)).starts_with(below)
            });
            known.push((&rest[..length], Known::Directory(at..at + count)));
            at += count;
        }
        known
    }

    /// Whether something came into a directory or left it since. One that does not tell may have.
    fn has_news(&self, directory: &OwnedFd) -> bool {
        rustix::fs::fstat(directory).map_or(true, |facts| self.is_recent(&facts))
    }

    fn is_recent(&self, facts: &Stat) -> bool {
        let seconds = u64::try_from(facts.st_ctime).unwrap_or_default();
        let rest = facts.st_ctime_nsec;
        let changed = Moment(seconds.saturating_mul(1_000_000_000).saturating_add(rest));
        self.before.is_some_and(|before| changed >= before.at)
    }
}
