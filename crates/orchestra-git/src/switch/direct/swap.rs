//! Files that take the place of others, each in one step, and back again when something does not fit.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use gix_index::State;
use gix_object::Kind;
use gix_object::tree::EntryKind;
use rustix::fs::{self, AtFlags, CWD, Mode, OFlags, RenameFlags, Stat, renameat_with};
use rustix::io::Errno;

use super::room::Room;
use crate::declined::Declined;
use crate::index_state::clean_file;
use crate::objects::Objects;
use crate::tree_changes::{ChangedPath, TreeEntry};

const DIRECTORY: OFlags = OFlags::DIRECTORY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
/// A file without a name, with the permissions that the directory gives.
const NAMELESS: OFlags = OFlags::TMPFILE.union(OFlags::WRONLY).union(OFlags::CLOEXEC);

pub(super) struct Swap<'a> {
    room: &'a Room<'a>,
    changes: &'a [ChangedPath],
    /// Open directories by path; the top has none.
    directories: BTreeMap<&'a [u8], OwnedFd>,
    made: Vec<&'a [u8]>,
    /// How many changes are in place.
    done: usize,
    is_kept: bool,
}

impl<'a> Swap<'a> {
    /// Makes every new file out of sight.
    pub(super) fn prepare(
        top: &Path,
        room: &'a Room<'a>,
        objects: &Objects,
        changes: &'a [ChangedPath],
    ) -> Result<Self, Declined> {
        let top = fs::open(top, DIRECTORY, Mode::empty())?;
        let mut swap = Self {
            room,
            changes,
            directories: BTreeMap::from([(&b""[..], top)]),
            made: Vec::new(),
            done: 0,
            is_kept: false,
        };
        for (number, one) in changes.iter().enumerate() {
            swap.enter(split(&one.path).0, one.after.is_some())?;
            if let Some(after) = &one.after {
                swap.write(number, one, after, objects)?;
            }
        }
        Ok(swap)
    }

    /// Puts everything in place. What fails leaves the rest to be taken back.
    pub(super) fn carry_out(&mut self, index: &State) -> Result<(), Declined> {
        for number in 0..self.changes.len() {
            self.put_in_place(number, index)?;
            self.done += 1;
        }
        Ok(())
    }

    /// What the system says of each file that is in place.
    pub(super) fn placed(&self) -> Result<Vec<(&'a ChangedPath, Option<Stat>)>, Declined> {
        let stat = |one: &'a ChangedPath| {
            let (directory, name) = self.place(one)?;
            let facts = match one.after {
                Some(_) => Some(fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?),
                None => None,
            };
            Ok((one, facts))
        };
        self.changes.iter().map(stat).collect()
    }

    /// Everything stays. The old files go, and the directories that they leave empty: git knows none.
    pub(super) fn keep(mut self) {
        self.is_kept = true;
        let old = self.changes.iter().enumerate();
        let old = old.filter(|(_, one)| one.before.is_some());
        if let Err(error) = self.room.empty(old.map(|(number, _)| number.to_string())) {
            tracing::debug!(%error, "old files are left out of sight");
        }
        for one in self.changes.iter().filter(|one| one.after.is_none()) {
            self.remove_empty(split(&one.path).0);
        }
    }

    fn put_in_place(&self, number: usize, index: &State) -> Result<(), Declined> {
        let one = &self.changes[number];
        let (directory, name) = self.place(one)?;
        let Some(before) = &one.before else {
            return Ok(self.to_place(number, one, RenameFlags::NOREPLACE)?);
        };
        let entry = index.entry_by_path(one.path.as_slice().into());
        let entry = entry.filter(|entry| entry.id == before.id);
        let entry = entry.ok_or(Declined::Unsuited("the index has another file"))?;
        let expected = clean_file(index, entry, directory, name);
        let expected = expected.ok_or(Declined::Unsuited("a file was changed"))?;
        let changed = Declined::Unsuited("a file was changed at this moment");
        match one.after {
            Some(_) => self.to_place(number, one, RenameFlags::EXCHANGE)?,
            None => self.to_room(number, one)?,
        }
        if self.is_in_room(number, &expected) {
            return Ok(());
        }
        self.put_back(number)?;
        Err(changed)
    }

    /// Whether the file that came out is the one that was looked at. A move changes nothing else of it than the time of that.
    fn is_in_room(&self, number: usize, expected: &Stat) -> bool {
        let found = fs::statat(self.room, number.to_string(), AtFlags::SYMLINK_NOFOLLOW);
        let identity = |it: &Stat| (it.st_ino, it.st_mode, it.st_size);
        let time = |it: &Stat| (it.st_mtime, it.st_mtime_nsec);
        found.is_ok_and(|it| identity(&it) == identity(expected) && time(&it) == time(expected))
    }

    fn put_back(&self, number: usize) -> Result<(), Declined> {
        let one = &self.changes[number];
        match (&one.before, &one.after) {
            (Some(_), Some(_)) => self.to_place(number, one, RenameFlags::EXCHANGE)?,
            (Some(_), None) => self.to_place(number, one, RenameFlags::NOREPLACE)?,
            (None, _) => self.to_room(number, one)?,
        }
        Ok(())
    }

    fn take_back(&self) -> Result<(), Declined> {
        for number in (0..self.done).rev() {
            self.put_back(number)?;
        }
        for directory in self.made.iter().rev() {
            let (parent, name) = split(directory);
            let parent = self.opened(parent)?;
            fs::unlinkat(parent, OsStr::from_bytes(name), AtFlags::REMOVEDIR)?;
        }
        self.room.leave()
    }

    fn to_place(&self, number: usize, one: &ChangedPath, how: RenameFlags) -> io::Result<()> {
        let (directory, name) = self.place(one)?;
        Ok(renameat_with(
            self.room,
            number.to_string(),
            directory,
            name,
            how,
        )?)
    }

    fn to_room(&self, number: usize, one: &ChangedPath) -> io::Result<()> {
        let ((directory, name), how) = (self.place(one)?, RenameFlags::NOREPLACE);
        Ok(renameat_with(
            directory,
            name,
            self.room,
            number.to_string(),
            how,
        )?)
    }

    fn place<'b>(&self, one: &'b ChangedPath) -> io::Result<(&OwnedFd, &'b OsStr)> {
        let (directory, name) = split(&one.path);
        Ok((self.opened(directory)?, OsStr::from_bytes(name)))
    }

    fn opened(&self, directory: &[u8]) -> io::Result<&OwnedFd> {
        let found = self.directories.get(directory);
        found.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Opens a directory without following links, and makes it if a file shall be put there.
    fn enter(&mut self, directory: &'a [u8], is_made: bool) -> io::Result<()> {
        if self.directories.contains_key(directory) {
            return Ok(());
        }
        let (parent, name) = split(directory);
        self.enter(parent, is_made)?;
        let (above, name) = (self.opened(parent)?, OsStr::from_bytes(name));
        let opened = match fs::openat(above, name, DIRECTORY, Mode::empty()) {
            Err(Errno::NOENT) if is_made => {
                fs::mkdirat(above, name, Mode::from(0o777))?;
                let opened = fs::openat(above, name, DIRECTORY, Mode::empty())?;
                self.made.push(directory);
                opened
            }
            opened => opened?,
        };
        self.directories.insert(directory, opened);
        Ok(())
    }

    /// The file gets its name in the room once all of it is there.
    fn write(
        &self,
        number: usize,
        one: &ChangedPath,
        after: &TreeEntry,
        objects: &Objects,
    ) -> Result<(), Declined> {
        let mut buffer = Vec::new();
        let content = objects.read(&after.id, Kind::Blob, &mut buffer)?;
        let (name, room) = (number.to_string(), self.room);
        let permissions = match after.kind {
            EntryKind::Link => return Ok(fs::symlinkat(OsStr::from_bytes(content), room, name)?),
            EntryKind::BlobExecutable => Mode::from(0o777),
            _ => Mode::from(0o666),
        };
        let directory = self.opened(split(&one.path).0)?;
        let mut file = File::from(fs::openat(directory, ".", NAMELESS, permissions)?);
        file.write_all(content)?;
        let nameless = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
        Ok(fs::linkat(
            CWD,
            nameless,
            room,
            name,
            AtFlags::SYMLINK_FOLLOW,
        )?)
    }

    fn remove_empty(&self, directory: &[u8]) {
        let mut directory = directory;
        while !directory.is_empty() {
            let (parent, name) = split(directory);
            let removed = self.opened(parent).is_ok_and(|above| {
                fs::unlinkat(above, OsStr::from_bytes(name), AtFlags::REMOVEDIR).is_ok()
            });
            if !removed {
                break;
            }
            directory = parent;
        }
    }
}

impl Drop for Swap<'_> {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        if let Err(error) = self.take_back() {
            tracing::warn!(%error, "files that were being changed are settled by git");
        }
    }
}

/// The directory of a path, without a slash at the end, and the name in it.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (b"", path),
    }
}
