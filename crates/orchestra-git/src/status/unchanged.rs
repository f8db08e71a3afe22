//! Whether a worktree is as git left it, found out in process: the board asks it of every session again and again.
//!
//! What the system says of each file is compared with what git's index remembers. Only certainty counts: the index stands
//! for the tree of the commit, every file is the one it describes, and there is nothing else. Whatever is unusual, racy or
//! changed is left to git.

use std::collections::HashSet;
use std::num::NonZero;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicUsize, Ordering};

use gix_index::{Entry, State};
use orchestra_core::CommitId;
use rustix::fs::{AtFlags, Dir, Mode as Permissions, OFlags, openat, statat};

use crate::contained::contained;
use crate::index_state::{Uncertain, is_same_file, load_index, require_tree_of};
use crate::repository::ObjectFormat;
use crate::worktree::Worktree;

/// More than this many unknown files are not worth asking about one by one.
const MOST_UNKNOWN: usize = 64;
/// With fewer files than this, one thread is done before another has begun.
const WORTH_SHARING: usize = 1_000;
/// About as many parts are shared, so that all threads end at about the same time.
const PARTS: usize = 64;
const MOST_THREADS: usize = 8;
/// Deeper than any directory that people make.
const DEEPEST: usize = 256;
/// Makes sure that every file of the commit is there as git wrote it, and gives the paths of what is there besides.
pub(super) fn unknown_paths(
    worktree: &Worktree,
    commit: &CommitId,
) -> Result<Vec<Vec<u8>>, Uncertain> {
    contained(|| look(worktree, commit)).ok_or(Uncertain::Damaged)?
}

fn look(worktree: &Worktree, commit: &CommitId) -> Result<Vec<Vec<u8>>, Uncertain> {
    if worktree.repository().object_format() != ObjectFormat::Sha1 {
        return Err(Uncertain::Unsuited("object ids are not SHA-1"));
    }
    let index = load_index(&worktree.index_path())?;
    require_tree_of(worktree.repository(), commit, &index)?;
    let top = rustix::fs::open(worktree.path(), DIRECTORY, Permissions::empty())?;
    let mut walk = Walk::leaving(&index, smallest_part(index.entries().len()));
    walk.directory(&top, b"", index.entries(), 0)?;
    let parts = std::mem::take(&mut walk.left);
    walk.unknown.extend(look_at_parts(&top, &index, &parts)?);
    walk.require_few()?;
    Ok(walk.unknown)
}

/// Directories with at most this many files are left to be shared among threads; none where it is not worth it.
fn smallest_part(files: usize) -> usize {
    match files {
        0..WORTH_SHARING => 0,
        _ => files / PARTS,
    }
}

/// A directory that nobody has looked at yet.
struct Part<'a> {
    /// Its path, with a slash at the end.
    below: &'a [u8],
    entries: &'a [Entry],
    depth: usize,
}

/// Threads take one directory after another until none is left or one of them is not as it was.
fn look_at_parts(
    top: &OwnedFd,
    index: &State,
    parts: &[Part<'_>],
) -> Result<Vec<Vec<u8>>, Uncertain> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<Vec<u8>>, Uncertain> {
        let mut walk = Walk::leaving(index, 0);
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let looked = walk.part(top, part);
            // The others need not go on.
            looked.inspect_err(|_| next.store(parts.len(), Ordering::Relaxed))?;
        }
        Ok(walk.unknown)
    };
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let others = cores.min(MOST_THREADS).min(parts.len()).saturating_sub(1);
    std::thread::scope(|scope| {
        let others = (0..others).map(|_| scope.spawn(|| contained(work)));
        let others = others.collect::<Vec<_>>();
        let mut unknown = work()?;
        for other in others {
            let found = other.join().ok().flatten().ok_or(Uncertain::Damaged)?;
            unknown.extend(found?);
        }
        Ok(unknown)
    })
}

const DIRECTORY: OFlags = OFlags::DIRECTORY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

struct Walk<'a> {
    index: &'a State,
    unknown: Vec<Vec<u8>>,
    /// Directories with at most this many files are left.
    smallest: usize,
    left: Vec<Part<'a>>,
}

impl<'a> Walk<'a> {
    fn leaving(index: &'a State, smallest: usize) -> Self {
        Self {
            index,
            unknown: Vec::new(),
            smallest,
            left: Vec::new(),
        }
    }

    /// Goes down to a directory and looks at all that is below it. No step follows a link.
    fn part(&mut self, top: &OwnedFd, part: &Part<'a>) -> Result<(), Uncertain> {
        let mut opened = None;
        let names = part.below.split(|byte| *byte == b'/');
        for name in names.filter(|name| !name.is_empty()) {
            let above = opened.as_ref().unwrap_or(top);
            opened = Some(openat(above, name, DIRECTORY, Permissions::empty())?);
        }
        let directory = opened.as_ref().unwrap_or(top);
        self.directory(directory, part.below, part.entries, part.depth)
    }

    /// Looks at one directory, whose entries all begin with `prefix`.
    fn directory(
        &mut self,
        directory: &OwnedFd,
        prefix: &[u8],
        mut entries: &'a [Entry],
        depth: usize,
    ) -> Result<(), Uncertain> {
        if depth > DEEPEST {
            return Err(Uncertain::Unsuited("directories are too deep"));
        }
        let mut known = Vec::new();
        while let Some(first) = entries.first() {
            let path: &'a [u8] = first.path(self.index);
            let rest = path.get(prefix.len()..).ok_or(Uncertain::Damaged)?;
            let length = rest.iter().position(|byte| *byte == b'/');
            let name = &rest[..length.unwrap_or(rest.len())];
            known.push(name);
            entries = if let Some(length) = length {
                let below = &path[..=prefix.len() + length];
                let (inside, after) = split_after(self.index, entries, below);
                self.child(directory, (name, below), inside, depth + 1)?;
                after
            } else {
                self.require_unchanged(directory, first, name)?;
                &entries[1..]
            };
        }
        self.note_unknown(directory, prefix, &known)
    }

    fn child(
        &mut self,
        parent: &OwnedFd,
        (name, below): (&[u8], &'a [u8]),
        entries: &'a [Entry],
        depth: usize,
    ) -> Result<(), Uncertain> {
        if entries.len() <= self.smallest {
            self.left.push(Part {
                below,
                entries,
                depth,
            });
            return Ok(());
        }
        let child = openat(parent, name, DIRECTORY, Permissions::empty())?;
        self.directory(&child, below, entries, depth)
    }

    fn require_unchanged(
        &self,
        directory: &OwnedFd,
        entry: &Entry,
        name: &[u8],
    ) -> Result<(), Uncertain> {
        let now = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
        match is_same_file(self.index, entry, &now) {
            true => Ok(()),
            false => Err(Uncertain::Unsuited("a file may have changed")),
        }
    }

    /// The known names are all there, so only their number has to be compared.
    fn note_unknown(
        &mut self,
        directory: &OwnedFd,
        prefix: &[u8],
        known: &[&[u8]],
    ) -> Result<(), Uncertain> {
        let names = names_in(directory, prefix.is_empty())?;
        if names.len() == known.len() {
            return Ok(());
        }
        let known: HashSet<&[u8]> = known.iter().copied().collect();
        let unknown = names.iter().filter(|name| !known.contains(name.as_slice()));
        self.unknown
            .extend(unknown.map(|name| [prefix, name].concat()));
        self.require_few()
    }

    fn require_few(&self) -> Result<(), Uncertain> {
        match self.unknown.len() > MOST_UNKNOWN {
            true => Err(Uncertain::Unsuited("there are many unknown files")),
            false => Ok(()),
        }
    }
}

/// Entries below a directory come one after the other.
fn split_after<'a>(
    index: &State,
    entries: &'a [Entry],
    below: &[u8],
) -> (&'a [Entry], &'a [Entry]) {
    let end = entries.partition_point(|entry| entry.path(index).starts_with(below));
    entries.split_at(end)
}

fn names_in(directory: &OwnedFd, is_top: bool) -> Result<Vec<Vec<u8>>, Uncertain> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        let is_mark = is_top && name == b".git";
        if !is_mark && !matches!(name, b"." | b"..") {
            names.push(name.to_vec());
        }
    }
    Ok(names)
}
