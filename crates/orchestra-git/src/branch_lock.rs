//! Moves or makes a branch in process, with the locks, the comparison and the reflogs of git. Whatever is unusual is left to git.
//!
//! The new value is written and synced in a file without a name, before anybody has to wait. Then that file becomes the lock of
//! the branch and of the `HEAD` that is on it. It is locked for the operating system too, which frees it when its owner dies, and
//! marked as ours: so the next one of us knows at once that nobody has it any more. For git it is a lock like any other.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use orchestra_core::{BranchName, CommitId, Timestamp};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, fchmod, linkat};
use rustix::io::Errno;

use crate::commit_object::signature;
use crate::configuration::Identity;
use crate::declined::Declined;
use crate::error::{AtPath, GitError};
use crate::files::remove_if_present;
use crate::ref_file::{HeadFile, Lookup, look_up, read_head};
use crate::reference::RefMove;
use crate::repository::Repository;

/// What git gives new files, less what the user takes away.
const PERMISSIONS: u32 = 0o666;
/// The sticky bit means nothing for a file. Our locks have it.
const OURS: u32 = 0o1000;
/// What git takes away at both ends of a name.
const CRUD: &[char] = &['.', ',', ':', ';', '<', '>', '"', '\\', '\''];

/// A branch that is locked and has the expected value. Given up when dropped.
#[derive(Debug)]
pub(crate) struct BranchLock {
    branch: PathBuf,
    lock: LockFile,
    _head: Option<LockFile>,
    logs: Vec<(PathBuf, File)>,
    line: Vec<u8>,
    /// Has the lock of the operating system.
    value: File,
}

impl BranchLock {
    /// Locks a branch, seen from one checkout. `None`: git has to do it or to say why not.
    pub(crate) fn take(
        repository: &Repository,
        git_dir: &Path,
        change: &RefMove<'_>,
    ) -> Option<Self> {
        let taken = Self::try_take(repository, git_dir, change);
        let told = |declined: &Declined| tracing::debug!(reason = %declined, "left to git");
        taken.inspect_err(told).ok()
    }

    /// What the reflogs will say.
    pub(crate) fn line(&self) -> &[u8] {
        &self.line
    }

    /// Makes the change.
    pub(crate) fn commit(mut self) -> Result<(), GitError> {
        for (path, log) in &mut self.logs {
            log.write_all(&self.line).at(path)?;
        }
        mark(&self.value, Mark::Gits).at(&self.branch)?;
        self.lock.rename(&self.branch)
    }

    fn try_take(
        repository: &Repository,
        git_dir: &Path,
        change: &RefMove<'_>,
    ) -> Result<Self, Declined> {
        let before = require_usual(repository, change)?;
        let common_dir = repository.common_dir();
        let branch = common_dir.join(change.full_name);
        let log = common_dir.join("logs").join(change.full_name);
        let is_checked_out = is_on(git_dir, change.full_name)?;
        if before == Before::Absent {
            if is_checked_out {
                return Err(Declined::Unsuited("a checkout waits for it"));
            }
            make_folders_of(&[&branch, &log])?;
        }
        let value = unnamed_file(&branch, change.to)?;
        let line = log_line(repository, change, &value)?;
        let lock = LockFile::make(&value, with_lock_ending(&branch), &branch)?;
        let of_head = is_checked_out.then(|| git_dir.join("HEAD.lock"));
        let head = of_head.map(|path| LockFile::make(&value, path, &branch));
        let head = head.transpose()?;
        if !before.is_still(repository, change)?
            || is_on(git_dir, change.full_name)? != is_checked_out
        {
            return Err(Declined::Unsuited("something else is there now"));
        }
        // git replaces reflogs too, but not those of a branch that is locked.
        let log = before.open_log(log)?;
        let of_head = is_checked_out.then(|| open_log(git_dir.join("logs/HEAD")));
        let logs = [Ok(log)].into_iter().chain(of_head);
        let logs = logs.collect::<Result<_, Declined>>()?;
        Ok(Self {
            branch,
            lock,
            _head: head,
            logs,
            line,
            value,
        })
    }
}

/// A name that keeps git away. Removed when dropped, unless it got another name.
#[derive(Debug)]
struct LockFile(Option<PathBuf>);

impl LockFile {
    fn make(value: &File, path: PathBuf, branch: &Path) -> Result<Self, Declined> {
        let unnamed = format!("/proc/self/fd/{}", value.as_raw_fd());
        let link = || linkat(CWD, &unnamed, CWD, &path, AtFlags::SYMLINK_FOLLOW);
        match link() {
            Err(Errno::EXIST) if is_cleared(&path, branch)? => link()?,
            linked => linked?,
        }
        Ok(Self(Some(path)))
    }

    fn rename(&mut self, to: &Path) -> Result<(), GitError> {
        if let Some(path) = &self.0 {
            fs::rename(path, to).at(to)?;
        }
        // Whoever takes the lock next has a file of this name.
        self.0 = None;
        Ok(())
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // One that cannot be removed is found as a stale one later.
            fs::remove_file(path).ok();
        }
    }
}

/// Takes away what one of us left who was killed while it made a branch: its lock, and the reflog of a branch that is not there.
pub(crate) fn clear_half_made(repository: &Repository, full_name: &str) -> Result<(), GitError> {
    let branch = repository.common_dir().join(full_name);
    // One of another kind, or that somebody holds, stays.
    if !is_cleared(&with_lock_ending(&branch), &branch).unwrap_or(false) {
        return Ok(());
    }
    let log = repository.common_dir().join("logs").join(full_name);
    // One with more lines is of a branch that was there before.
    let is_new =
        || fs::read(&log).is_ok_and(|log| log.split_inclusive(|byte| *byte == b'\n').count() <= 1);
    match look_up(repository.common_dir(), full_name) {
        Lookup::Missing if is_new() => remove_if_present(&log),
        Lookup::Missing | Lookup::Found(_) | Lookup::AskGit => Ok(()),
    }
}

/// Removes a lock that one of us was killed with: ours by its mark, or because it has become the branch. Only one can find that
/// out at a time, and what is there by then under its name is not looked at again.
fn is_cleared(path: &Path, branch: &Path) -> Result<bool, Declined> {
    if !path.symlink_metadata()?.is_file() {
        return Ok(false);
    }
    let left = File::open(path)?;
    if left.try_lock().is_err() {
        return Ok(false);
    }
    let (found, named) = (left.metadata()?, path.symlink_metadata()?);
    let is_same = |other: &fs::Metadata| (found.dev(), found.ino()) == (other.dev(), other.ino());
    let has_become_it = || branch.symlink_metadata().is_ok_and(|it| is_same(&it));
    let is_ours = found.mode() & OURS != 0 || has_become_it();
    if !is_same(&named) || !is_ours {
        return Ok(false);
    }
    fs::remove_file(path)?;
    Ok(true)
}

/// Whose a lock is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Ours,
    Gits,
}

fn mark(value: &File, mark: Mark) -> std::io::Result<()> {
    let mode = value.metadata()?.mode() & 0o777;
    let mode = match mark {
        Mark::Ours => mode | OURS,
        Mark::Gits => mode,
    };
    Ok(fchmod(value, Mode::from_raw_mode(mode))?)
}

/// What there is of a branch before the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before<'a> {
    /// Nothing: it is made.
    Absent,
    /// A file with this value.
    At(&'a CommitId),
}

impl Before<'_> {
    fn is_still(self, repository: &Repository, change: &RefMove<'_>) -> Result<bool, Declined> {
        let common_dir = repository.common_dir();
        let branch = common_dir.join(change.full_name);
        match self {
            // An empty directory in its place means nothing to git, which removes it.
            Self::Absent => Ok(branch.symlink_metadata().is_err()
                && look_up(common_dir, change.full_name) == Lookup::Missing),
            Self::At(commit) => is_at(&branch, commit),
        }
    }

    /// git keeps the reflog of a branch that was deleted in an unusual way, and adds to it.
    fn open_log(self, path: PathBuf) -> Result<(PathBuf, File), Declined> {
        if self == Self::Absent && path.symlink_metadata().is_err() {
            File::create_new(&path)?;
        }
        open_log(path)
    }
}

/// A local branch of files that begins at a commit, or goes from one to another one that is there.
fn require_usual<'a>(
    repository: &Repository,
    change: &RefMove<'a>,
) -> Result<Before<'a>, Declined> {
    let before = change.from.map_or(Before::Absent, Before::At);
    let name = change.full_name.strip_prefix("refs/heads/");
    let name: Option<BranchName> = name.and_then(|name| name.parse().ok());
    let name = name.ok_or(Declined::Unsuited("it is no branch"))?;
    let has_files = !repository.common_dir().join("reftable").exists();
    if change.from == Some(change.to) || !has_files || !before.is_still(repository, change)? {
        return Err(Declined::Unsuited("it is not the file of a branch there"));
    }
    let conflict = || repository.branch_conflict(&name);
    if before == Before::Absent && !matches!(conflict(), Ok(None)) {
        return Err(Declined::Unsuited("another branch is in its way"));
    }
    let tree = repository.directly(|store| store.objects().tree_of(change.to).ok());
    tree.map(|_| before)
        .ok_or(Declined::Unsuited("the new commit cannot be read"))
}

fn make_folders_of(files: &[&Path]) -> Result<(), Declined> {
    for folder in files.iter().filter_map(|file| file.parent()) {
        fs::create_dir_all(folder)?;
    }
    Ok(())
}

/// The new value, on the disk, in a file that nobody else can see.
fn unnamed_file(branch: &Path, to: &CommitId) -> Result<File, Declined> {
    let folder = branch.parent().unwrap_or(branch);
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file: OwnedFd = rustix::fs::open(folder, flags, Mode::from_raw_mode(PERMISSIONS))?;
    let mut file = File::from(file);
    file.write_all(format!("{to}\n").as_bytes())?;
    mark(&file, Mark::Ours)?;
    file.sync_all()?;
    let locked = file.try_lock();
    locked.map_err(|_| Declined::Unsuited("files cannot be locked here"))?;
    Ok(file)
}

fn with_lock_ending(branch: &Path) -> PathBuf {
    let mut name = branch.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

/// Whether a checkout is on a branch.
fn is_on(git_dir: &Path, full_name: &str) -> Result<bool, Declined> {
    let is_file = git_dir.join("HEAD").symlink_metadata()?.is_file();
    match read_head(git_dir) {
        HeadFile::Symbolic(name) if is_file => Ok(name == full_name),
        HeadFile::Detached(_) if is_file => Ok(false),
        _ => Err(Declined::Unsuited("its HEAD is unusual")),
    }
}

/// Whether the file of a branch has a value. One that is packed has no file.
fn is_at(branch: &Path, commit: &CommitId) -> Result<bool, Declined> {
    let is_file = branch.symlink_metadata()?.is_file();
    Ok(is_file && fs::read(branch)? == format!("{commit}\n").into_bytes())
}

/// Opens a reflog to add to it. One that is missing is left to git.
fn open_log(path: PathBuf) -> Result<(PathBuf, File), Declined> {
    if !path.symlink_metadata()?.is_file() {
        return Err(Declined::Unsuited("a reflog is not a file"));
    }
    let flags = OFlags::NOFOLLOW.bits().cast_signed();
    let log = OpenOptions::new()
        .append(true)
        .custom_flags(flags)
        .open(&path)?;
    Ok((path, log))
}

/// What git writes into a reflog. Now is when the new value was written.
fn log_line(
    repository: &Repository,
    change: &RefMove<'_>,
    value: &File,
) -> Result<Vec<u8>, Declined> {
    let RefMove { from, to, why, .. } = change;
    let nothing = || repository.object_format().zero_id();
    let from = from.map_or_else(nothing, ToString::to_string);
    let identity = repository.configuration().identity();
    let identity = identity.filter(|identity| is_plain(identity) && is_one_line(why));
    let identity = identity.ok_or(Declined::Unsuited("git writes names or texts differently"))?;
    let now = value.metadata()?.modified()?.duration_since(UNIX_EPOCH);
    let now = now.map(|since| since.as_secs().cast_signed());
    let now = now.ok().and_then(|now| Timestamp::from_second(now).ok());
    let now = now.ok_or(Declined::Unsuited("the time is odd"))?;
    let mut line = format!("{from} {to} ").into_bytes();
    line.extend(signature(identity, now));
    line.extend(format!("\t{why}\n").into_bytes());
    Ok(line)
}

/// Whether git takes the name and the address as they are.
fn is_plain(identity: &Identity) -> bool {
    let is_odd = |char: char| char.is_control() || matches!(char, '<' | '>');
    let is_crud = |char: char| char <= ' ' || CRUD.contains(&char);
    [&identity.name, &identity.email].into_iter().all(|text| {
        !text.is_empty()
            && !text.contains(is_odd)
            && !text.starts_with(is_crud)
            && !text.ends_with(is_crud)
    })
}

/// Whether git takes a text as it is.
fn is_one_line(text: &str) -> bool {
    !text.is_empty()
        && !text.contains(char::is_control)
        && !text.contains("  ")
        && text.trim_ascii() == text
}

#[cfg(test)]
mod tests;
