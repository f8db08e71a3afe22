//! git's index, read in process, and whether what it says of a file is still true. Whatever is unusual is left to git.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use filetime::FileTime;
use gix_hash::ObjectId;
use gix_index::entry::stat::{Options as Comparison, Time};
use gix_index::entry::{Flags, Mode, Stat as Remembered};
use gix_index::{Entry, State};
use orchestra_core::CommitId;
use rustix::fs::{
    AtFlags, FileType, Mode as Permissions, OFlags, Stat, openat, readlinkat, statat,
};

use crate::contained::contained;
use crate::objects::ObjectError;
use crate::repository::{ObjectFormat, Repository};

/// More than any index of a repository that people make.
const LARGEST: u64 = 1 << 30;
/// git compares all but the device, which changes when a disk is mounted again.
const STRICT: Comparison = Comparison {
    trust_ctime: true,
    check_stat: true,
    use_nsec: true,
    use_stdev: false,
};
/// git does not look at such files.
const PASSED_OVER: Flags = Flags::ASSUME_VALID.union(Flags::SKIP_WORKTREE);
/// git does not look at such files, or not only at them.
const UNUSUAL: Flags = PASSED_OVER.union(Flags::INTENT_TO_ADD);

/// More than this is not read to compare it.
const MOST_READ: u64 = 16 * 1024 * 1024;
const PLAIN_FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

/// Why it is not certain that nothing changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Uncertain {
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

/// Read and not mapped: whoever cuts the file short could end the process otherwise.
pub(crate) fn load_index(path: &Path) -> Result<State, Uncertain> {
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

/// All entries are in one file, each of them once.
pub(crate) fn require_plain(index: &State) -> Result<(), Uncertain> {
    if index.link().is_some() || index.is_sparse() {
        return Err(Uncertain::Unsuited("the index is split or sparse"));
    }
    let mut pairs = index.entries().windows(2);
    let is_sorted = pairs.all(|pair| pair[0].path(index) < pair[1].path(index));
    let has_conflicts = index.entries().iter().any(|entry| entry.stage_raw() != 0);
    match is_sorted && !has_conflicts {
        true => Ok(()),
        false => Err(Uncertain::Unsuited("there are conflicts")),
    }
}

/// Makes sure that an index holds all of the commit's tree and nothing more.
pub(crate) fn require_index_of(
    repository: &Repository,
    index: &Path,
    commit: &CommitId,
) -> Result<(), Uncertain> {
    if repository.object_format() != ObjectFormat::Sha1 {
        return Err(Uncertain::Unsuited("object ids are not SHA-1"));
    }
    let look = || require_tree_of(repository, commit, &load_index(index)?);
    contained(look).ok_or(Uncertain::Damaged)?
}

/// The index holds all of the commit's tree and nothing more, as git noted when it last wrote trees.
pub(crate) fn require_tree_of(
    repository: &Repository,
    commit: &CommitId,
    index: &State,
) -> Result<(), Uncertain> {
    require_plain(index)?;
    let is_whole = |count: u32| usize::try_from(count) == Ok(index.entries().len());
    let tree = index
        .tree()
        .filter(|tree| tree.num_entries.is_some_and(is_whole));
    let tree = tree.ok_or(Uncertain::Unsuited("something was staged"))?;
    let store = repository.store()?;
    if store.objects().tree_of(commit)? == tree.id {
        Ok(())
    } else {
        Err(Uncertain::Unsuited("the index is not the commit"))
    }
}

/// No entry is one that git does not look at, or not only.
pub(crate) fn require_usual(index: &State) -> Result<(), Uncertain> {
    match index.entries().iter().all(is_usual) {
        true => Ok(()),
        false => Err(Uncertain::Unsuited("files are not looked at")),
    }
}

/// Whether a file is certainly the one that an entry describes.
pub(crate) fn is_same_file(index: &State, entry: &Entry, now: &Stat) -> bool {
    is_usual(entry)
        && !is_racy(entry, index.timestamp())
        && entry.stat.matches(&as_remembered(now), STRICT)
        && mode_of(now) == Some(entry.mode)
}

/// What the system says of a file that certainly is as an entry has it: the one it describes, or one with the same content.
pub(crate) fn clean_file(
    index: &State,
    entry: &Entry,
    directory: impl AsFd,
    name: &OsStr,
) -> Option<Stat> {
    let directory = directory.as_fd();
    let now = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    let is_clean = is_same_file(index, entry, &now)
        || (is_usual(entry) && has_content_of(entry, directory, name, &now));
    is_clean.then_some(now)
}

/// Whether a file has the content and the mode that an entry has, whatever git thinks of it.
pub(crate) fn has_content_of(
    entry: &Entry,
    directory: impl AsFd,
    name: &OsStr,
    now: &Stat,
) -> bool {
    mode_of(now) == Some(entry.mode) && content_id(directory.as_fd(), name, now) == Some(entry.id)
}

/// Whether git was told not to look at the file of an entry.
pub(crate) fn is_passed_over(entry: &Entry) -> bool {
    entry.flags.intersects(PASSED_OVER)
}

/// Whether a file may have changed after the index was written, with the same time.
pub(crate) fn is_racy(entry: &Entry, written: FileTime) -> bool {
    entry.stat.is_racy(written, STRICT)
}

fn is_usual(entry: &Entry) -> bool {
    !entry.flags.intersects(UNUSUAL)
}

/// The id of what is in a file or link, if that is not much.
fn content_id(directory: BorrowedFd<'_>, name: &OsStr, now: &Stat) -> Option<ObjectId> {
    let mut content = Vec::new();
    if FileType::from_raw_mode(now.st_mode) == FileType::Symlink {
        let target = readlinkat(directory, name, content).ok()?;
        content = target.into_bytes();
    } else {
        let file = openat(directory, name, PLAIN_FILE, Permissions::empty()).ok()?;
        File::from(file)
            .take(MOST_READ + 1)
            .read_to_end(&mut content)
            .ok()?;
    }
    let is_small = content.len() as u64 <= MOST_READ;
    let id = gix_object::compute_hash(gix_hash::Kind::Sha1, gix_object::Kind::Blob, &content);
    id.ok().filter(|_| is_small)
}

/// As git remembers it: the low 32 bits of each number.
pub(crate) fn as_remembered(facts: &Stat) -> Remembered {
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
