//! What git said of a changed worktree, remembered for as long as nothing there is different: the board asks again and
//! again, and git looks at every file each time.
//!
//! A stamp covers all that the answer depends on. It is made before git is asked, and remembered only where everything had
//! been as it is for a while, so that no later change can have the same times. Whoever changes a file changes a time that
//! nobody can set.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use gix_hash::{Hasher, ObjectId};
use orchestra_core::CommitId;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, openat, statat};
use tempfile::NamedTempFile;

use crate::byte_path::to_bytes;
use crate::error::GitError;
use crate::racy::{is_settled, seconds_now};
use crate::worktree::Worktree;

const DIRECTORY: &str = "status";
/// A worktree shares its place with few others; whoever was asked last has it. So old answers need no cleaning.
const PLACES: usize = 4096;
/// Looking at more files than this takes longer than it is worth.
const MOST_FILES: usize = 100_000;
const DEEPEST: usize = 256;
/// More than any list of ignored files that people write.
const LARGEST_RULES: u64 = 1 << 20;

/// What was answered last, if nothing is different since; what `ask` answers otherwise.
pub(super) fn answer(
    worktree: &Worktree,
    commit: &CommitId,
    ask: impl FnOnce() -> Result<bool, GitError>,
) -> Result<bool, GitError> {
    let stamp = Stamp::of(worktree, commit);
    let stamp = stamp.inspect_err(|reason| tracing::trace!(%reason, "no stamp of a worktree"));
    let place = place_of(worktree)?;
    let Ok(stamp) = stamp else {
        return ask();
    };
    if let Some(dirty) = stamp.find_answer(&place) {
        return Ok(dirty);
    }
    let dirty = ask()?;
    if stamp.settled
        && let Err(error) = stamp.keep_answer(&place, dirty)
    {
        tracing::debug!(%error, "what git said of a worktree is not remembered");
    }
    Ok(dirty)
}

fn place_of(worktree: &Worktree) -> Result<PathBuf, GitError> {
    let mut hasher = gix_hash::hasher(gix_hash::Kind::Sha1);
    hasher.update(&to_bytes(worktree.admin_dir()));
    let digest = finished(hasher).unwrap_or(gix_hash::Kind::Sha1.null());
    let number = digest.as_bytes().iter().take(2);
    let number = number.fold(0, |number, byte| number * 256 + usize::from(*byte));
    let directory = worktree.repository().git().private_subdir(DIRECTORY)?;
    Ok(directory.join((number % PLACES).to_string()))
}

/// All that git's answer depends on, in short.
struct Stamp {
    digest: ObjectId,
    /// Nothing was changed just now.
    settled: bool,
}

impl Stamp {
    fn of(worktree: &Worktree, commit: &CommitId) -> io::Result<Self> {
        let now = seconds_now();
        let mut look = Look::new();
        look.note(commit.as_str().as_bytes());
        for (key, value) in worktree.repository().configuration().values() {
            look.note(key.as_bytes());
            look.note(value.as_bytes());
        }
        for path in rules_of(worktree) {
            look.rules(&path)?;
        }
        look.file(CWD, worktree.index_path())?;
        look.note(&to_bytes(worktree.path()));
        let top = openat(CWD, worktree.path(), OPEN, Mode::empty())?;
        look.directory(&top, 0)?;
        let settled = is_settled(look.newest, now);
        Ok(Self {
            digest: finished(look.hasher)?,
            settled,
        })
    }

    fn find_answer(&self, place: &Path) -> Option<bool> {
        let text = std::fs::read_to_string(place).ok()?;
        let said = text.strip_prefix(&self.digest.to_string())?;
        match said {
            " changed" => Some(true),
            " unchanged" => Some(false),
            _ => None,
        }
    }

    fn keep_answer(&self, place: &Path, dirty: bool) -> io::Result<()> {
        let word = if dirty { "changed" } else { "unchanged" };
        let mut file = NamedTempFile::new_in(place.parent().unwrap_or(place))?;
        write!(file, "{} {word}", self.digest)?;
        file.persist(place)?;
        Ok(())
    }
}

const OPEN: OFlags = OFlags::DIRECTORY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Files outside the worktree that decide what counts as changed.
fn rules_of(worktree: &Worktree) -> Vec<PathBuf> {
    let repository = worktree.repository();
    let (common, own) = (repository.common_dir(), worktree.admin_dir());
    let mut paths = vec![
        common.join("info/exclude"),
        common.join("info/attributes"),
        own.join("info/sparse-checkout"),
        own.join("config.worktree"),
    ];
    let configuration = repository.configuration();
    let named = ["core.excludesfile", "core.attributesfile"];
    let named = named.into_iter().filter_map(|key| configuration.value(key));
    paths.extend(named.map(PathBuf::from));
    if let Some(settings) = repository.git().environment().config_home() {
        paths.push(settings.join("git/ignore"));
        paths.push(settings.join("git/attributes"));
    }
    paths
}

fn finished(hasher: Hasher) -> io::Result<ObjectId> {
    hasher.try_finalize().map_err(io::Error::other)
}

/// One look at everything.
struct Look {
    hasher: Hasher,
    files: usize,
    /// When the last change was made, in seconds.
    newest: u64,
}

impl Look {
    fn new() -> Self {
        Self {
            hasher: gix_hash::hasher(gix_hash::Kind::Sha1),
            files: 0,
            newest: 0,
        }
    }

    /// With its length, so that two never look like one.
    fn note(&mut self, bytes: &[u8]) {
        self.hasher.update(&(bytes.len() as u64).to_le_bytes());
        self.hasher.update(bytes);
    }

    /// A small file by its content, since it may be on another file system.
    fn rules(&mut self, path: &Path) -> io::Result<()> {
        let mut content = Vec::new();
        match File::open(path) {
            Ok(file) => file.take(LARGEST_RULES + 1).read_to_end(&mut content)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(error) => return Err(error),
        };
        if content.len() as u64 > LARGEST_RULES {
            return Err(io::Error::other("a list of rules is huge"));
        }
        self.note(&content);
        Ok(())
    }

    fn file(
        &mut self,
        directory: impl std::os::fd::AsFd,
        name: impl rustix::path::Arg,
    ) -> io::Result<FileType> {
        let stat = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
        self.files += 1;
        if self.files > MOST_FILES {
            return Err(io::Error::other("there are very many files"));
        }
        self.newest = self.newest.max(seconds_of_change(&stat));
        for number in [
            u64::from(stat.st_mode),
            stat.st_ino,
            stat.st_size as u64,
            stat.st_mtime as u64,
            stat.st_mtime_nsec as u64,
            stat.st_ctime as u64,
            stat.st_ctime_nsec as u64,
        ] {
            self.hasher.update(&number.to_le_bytes());
        }
        Ok(FileType::from_raw_mode(stat.st_mode))
    }

    /// What is in a directory, in an order that does not change.
    fn directory(&mut self, directory: &OwnedFd, depth: usize) -> io::Result<()> {
        if depth > DEEPEST {
            return Err(io::Error::other("directories are too deep"));
        }
        for name in names_in(directory)? {
            match name.as_slice() {
                b".git" if depth == 0 => continue,
                // What is checked out there is kept elsewhere.
                b".git" | b".gitmodules" => {
                    return Err(io::Error::other("there is a repository inside"));
                }
                name => self.entry(directory, name, depth)?,
            }
        }
        self.note(b"/");
        Ok(())
    }

    fn entry(&mut self, directory: &OwnedFd, name: &[u8], depth: usize) -> io::Result<()> {
        self.note(name);
        if self.file(directory, name)? == FileType::Directory {
            let child = openat(directory, name, OPEN, Mode::empty())?;
            self.directory(&child, depth + 1)?;
        }
        Ok(())
    }
}

/// The later of the two times: the clock of the file system may have been behind for one of them.
fn seconds_of_change(stat: &Stat) -> u64 {
    let seconds = stat.st_ctime.max(stat.st_mtime);
    u64::try_from(seconds).unwrap_or(0)
}

fn names_in(directory: &OwnedFd) -> io::Result<Vec<Vec<u8>>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if !matches!(name, b"." | b"..") {
            names.push(name.to_vec());
        }
    }
    names.sort();
    Ok(names)
}
