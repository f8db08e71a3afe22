//! Whether a worktree is as git left it, found out in process: the board asks it of every session again and again.
//!
//! What the system says of each file is compared with what git's index remembers. Only certainty counts: the index stands
//! for the tree of the commit, every file is the one it describes, and there is nothing else. Whatever is unusual, racy or
//! changed is left to git.

use std::collections::HashSet;
use std::os::fd::OwnedFd;

use gix_index::{Entry, State};
use orchestra_core::CommitId;
use rustix::fs::{AtFlags, Dir, Mode as Permissions, OFlags, openat, statat};

use crate::contained::contained;
use crate::index_state::{Uncertain, is_same_file, load_index, require_tree_of};
use crate::repository::ObjectFormat;
use crate::worktree::Worktree;

/// More than this many unknown files are not worth asking about one by one.
const MOST_UNKNOWN: usize = 64;
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
    let mut walk = Walk {
        index: &index,
        unknown: Vec::new(),
    };
    let top = rustix::fs::open(worktree.path(), DIRECTORY, Permissions::empty())?;
    walk.directory(&top, b"", index.entries(), 0)?;
    Ok(walk.unknown)
}

const DIRECTORY: OFlags = OFlags::DIRECTORY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

struct Walk<'a> {
    index: &'a State,
    unknown: Vec<Vec<u8>>,
}

impl<'a> Walk<'a> {
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
                let child = openat(directory, name, DIRECTORY, Permissions::empty())?;
                let (inside, after) = split_after(self.index, entries, below);
                self.directory(&child, below, inside, depth + 1)?;
                after
            } else {
                self.require_unchanged(directory, first, name)?;
                &entries[1..]
            };
        }
        self.note_unknown(directory, prefix, &known)
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
        if self.unknown.len() > MOST_UNKNOWN {
            return Err(Uncertain::Unsuited("there are many unknown files"));
        }
        Ok(())
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
