//! Whether a worktree is as git left it, found out in process: the board asks it of every session again and again.
//!
//! What the system says of each file is compared with what git's index remembers. Only certainty counts: the index stands
//! for the tree of the commit, every file is the one it describes, and there is nothing else. Whatever is unusual, racy or
//! changed is left to git.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::Path;

use filetime::FileTime;
use gix_index::entry::stat::{Options as Comparison, Time};
use gix_index::entry::{Flags, Mode, Stat as Remembered};
use gix_index::{Entry, State};
use orchestra_core::CommitId;
use rustix::fs::{AtFlags, Dir, FileType, Mode as Permissions, OFlags, Stat, openat, statat};

use crate::contained::contained;
use crate::objects::{ObjectError, Store};
use crate::repository::{ObjectFormat, Repository};
use crate::worktree::Worktree;

/// More than this many unknown files are not worth asking about one by one.
const MOST_UNKNOWN: usize = 64;
/// Deeper than any directory that people make.
const DEEPEST: usize = 256;
/// More than any index of a repository that people make.
const LARGEST: u64 = 1 << 30;
/// git compares all but the device, which changes when a disk is mounted again.
const STRICT: Comparison = Comparison {
    trust_ctime: true,
    check_stat: true,
    use_nsec: true,
    use_stdev: false,
};
/// git does not look at such files, or not only at them.
const UNUSUAL: Flags = Flags::ASSUME_VALID
    .union(Flags::INTENT_TO_ADD)
    .union(Flags::SKIP_WORKTREE);

/// Why it is not certain that nothing changed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Uncertain {
    #[error("{0}")]
    Unsuited(&'static str),
    #[error(transparent)]
    Object(#[from] ObjectError),
    #[error("a file cannot be looked at: {0}")]
    File(#[from] io::Error),
    #[error("the index is damaged")]
    Damaged,
}

impl From<rustix::io::Errno> for Uncertain {
    fn from(error: rustix::io::Errno) -> Self {
        Self::File(error.into())
    }
}

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

/// Read and not mapped: whoever cuts the file short could end the process otherwise.
fn load_index(path: &Path) -> Result<State, Uncertain> {
    let mut file = File::open(path)?;
    let facts = file.metadata()?;
    if facts.len() > LARGEST {
        return Err(Uncertain::Unsuited("the index is huge"));
    }
    let written = FileTime::from_last_modification_time(&facts);
    let options = gix_index::decode::Options {
        thread_limit: Some(1),
        ..Default::default()
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let (state, _) = State::from_bytes(&bytes, written, gix_hash::Kind::Sha1, options)
        .map_err(|_| Uncertain::Damaged)?;
    Ok(state)
}

/// Makes sure that an index holds all of the commit's tree and nothing more.
pub(super) fn require_index_of(
    repository: &Repository,
    index: &Path,
    commit: &CommitId,
) -> Result<(), Uncertain> {
    if repository.object_format() != ObjectFormat::Sha1 {
        return Err(Uncertain::Unsuited("object ids are not SHA-1"));
    }
    let look = || require_tree_of(repository, commit, &load_index(index)?);
    std::thread::scope(|scope| scope.spawn(look).join()).map_err(|_| Uncertain::Damaged)?
}

/// The index holds all of the commit's tree and nothing more, as git noted when it last wrote trees.
fn require_tree_of(
    repository: &Repository,
    commit: &CommitId,
    index: &State,
) -> Result<(), Uncertain> {
    if index.link().is_some() || index.is_sparse() {
        return Err(Uncertain::Unsuited("the index is split or sparse"));
    }
    let mut pairs = index.entries().windows(2);
    if !pairs.all(|pair| pair[0].path(index) < pair[1].path(index)) {
        return Err(Uncertain::Unsuited("there are conflicts"));
    }
    let is_whole = |count: u32| usize::try_from(count) == Ok(index.entries().len());
    let tree = index
        .tree()
        .filter(|tree| tree.num_entries.is_some_and(is_whole));
    let tree = tree.ok_or(Uncertain::Unsuited("something was staged"))?;
    let store = Store::open(repository.common_dir())?;
    if store.objects().tree_of(commit)? == tree.id {
        Ok(())
    } else {
        Err(Uncertain::Unsuited("the index is not the commit"))
    }
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
        let is_same = !entry.flags.intersects(UNUSUAL)
            && !entry.stat.is_racy(self.index.timestamp(), STRICT)
            && entry.stat.matches(&as_remembered(&now), STRICT)
            && mode_of(&now) == Some(entry.mode);
        if is_same {
            Ok(())
        } else {
            Err(Uncertain::Unsuited("a file may have changed"))
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

/// As git remembers it: the low 32 bits of each number.
fn as_remembered(facts: &Stat) -> Remembered {
    let time = |seconds: i64, nanoseconds| Time {
        secs: seconds as u32,
        nsecs: nanoseconds as u32,
    };
    Remembered {
        mtime: time(facts.st_mtime, facts.st_mtime_nsec),
        ctime: time(facts.st_ctime, facts.st_ctime_nsec),
        dev: facts.st_dev as u32,
        ino: facts.st_ino as u32,
        uid: facts.st_uid,
        gid: facts.st_gid,
        size: facts.st_size as u32,
    }
}

fn mode_of(facts: &Stat) -> Option<Mode> {
    match FileType::from_raw_mode(facts.st_mode) {
        FileType::RegularFile if facts.st_mode & 0o100 == 0 => Some(Mode::FILE),
        FileType::RegularFile => Some(Mode::FILE_EXECUTABLE),
        FileType::Symlink => Some(Mode::SYMLINK),
        _ => None,
    }
}
