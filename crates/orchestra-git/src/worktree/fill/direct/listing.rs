//! All files of a commit in the order of git's index, and the directories they are in.

use gix_hash::ObjectId;
use gix_object::tree::{EntryKind, EntryRef};
use gix_object::{Kind, TreeRefIter};
use orchestra_core::CommitId;

use crate::conversion;
use crate::declined::Declined;
use crate::objects::{ObjectError, Objects};
use crate::tree_changes::is_harmless;

/// Deeper or larger trees than any that people make are left to git, which can be stopped.
const DEEPEST: usize = 256;
const MOST_FILES: usize = 2_000_000;

#[derive(Debug)]
pub(super) struct Listing {
    /// The top directory is first, and every other one comes after its parent.
    pub(super) directories: Vec<Directory>,
    pub(super) entries: Vec<Entry>,
}

#[derive(Debug)]
pub(super) struct Directory {
    /// From the top, without a slash at the end.
    pub(super) path: Vec<u8>,
    pub(super) name_at: usize,
    /// The top directory is its own.
    pub(super) parent: usize,
    pub(super) id: ObjectId,
    pub(super) children: Vec<usize>,
    /// How many entries are anywhere below it.
    pub(super) size: usize,
}

/// A file or a symbolic link.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) path: Vec<u8>,
    pub(super) name_at: usize,
    pub(super) directory: usize,
    pub(super) id: ObjectId,
    pub(super) mode: Mode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    File = 0o100_644,
    Executable = 0o100_755,
    Link = 0o120_000,
}

impl Entry {
    pub(super) fn name(&self) -> &[u8] {
        &self.path[self.name_at..]
    }
}

impl Directory {
    fn new(path: Vec<u8>, name_at: usize, parent: usize, id: ObjectId) -> Self {
        Self {
            path,
            name_at,
            parent,
            id,
            children: Vec::new(),
            size: 0,
        }
    }

    pub(super) fn name(&self) -> &[u8] {
        &self.path[self.name_at..]
    }
}

impl Listing {
    /// Walks the tree of a commit. Trees that git would not have made, and paths that could mislead, are declined.
    pub(super) fn of_commit(objects: &Objects, commit: &CommitId) -> Result<Self, Declined> {
        let tree = objects.tree_of(commit)?;
        let mut listing = Self {
            directories: Vec::new(),
            entries: Vec::new(),
        };
        let top = Directory::new(Vec::new(), 0, 0, tree);
        listing.add_directory(objects, top, 0)?;
        Ok(listing)
    }

    fn add_directory(
        &mut self,
        objects: &Objects,
        directory: Directory,
        depth: usize,
    ) -> Result<usize, Declined> {
        if depth > DEEPEST {
            return Err(Declined::Unsuited("directories are too deep"));
        }
        let (number, first) = (self.directories.len(), self.entries.len());
        let id = directory.id;
        self.directories.push(directory);
        let mut buffer = Vec::new();
        let content = objects.read(&id, Kind::Tree, &mut buffer)?;
        for entry in TreeRefIter::from_bytes(content, gix_hash::Kind::Sha1) {
            let entry = entry.map_err(ObjectError::new)?;
            self.add(objects, number, &entry, depth)?;
        }
        self.directories[number].size = self.entries.len() - first;
        if self.directories[number].size == 0 {
            return Err(Declined::Unsuited("a directory is empty"));
        }
        Ok(number)
    }

    fn add(
        &mut self,
        objects: &Objects,
        directory: usize,
        entry: &EntryRef<'_>,
        depth: usize,
    ) -> Result<(), Declined> {
        require_harmless_name(entry)?;
        let mut path = self.directories[directory].path.clone();
        if !path.is_empty() {
            path.push(b'/');
        }
        let name_at = path.len();
        path.extend_from_slice(entry.filename);
        let Some(mode) = mode_of(entry)? else {
            let child = Directory::new(path, name_at, directory, entry.oid.to_owned());
            let child = self.add_directory(objects, child, depth + 1)?;
            self.directories[directory].children.push(child);
            return Ok(());
        };
        if entry.filename == ".gitattributes" {
            let mut buffer = Vec::new();
            conversion::require_none(objects.read(entry.oid, Kind::Blob, &mut buffer)?)?;
        }
        self.push(Entry {
            path,
            name_at,
            directory,
            id: entry.oid.to_owned(),
            mode,
        })
    }

    /// Entries must come in the order of their paths, so none can come twice.
    fn push(&mut self, entry: Entry) -> Result<(), Declined> {
        let is_sorted = self
            .entries
            .last()
            .is_none_or(|last| last.path < entry.path);
        if !is_sorted || self.entries.len() >= MOST_FILES {
            return Err(Declined::Unsuited("a tree is damaged or huge"));
        }
        self.entries.push(entry);
        Ok(())
    }
}

fn require_harmless_name(entry: &EntryRef<'_>) -> Result<(), Declined> {
    match is_harmless(entry.filename, entry.mode.is_link()) {
        true => Ok(()),
        false => Err(Declined::Unsuited("a name is odd")),
    }
}

/// `None` for a directory.
fn mode_of(entry: &EntryRef<'_>) -> Result<Option<Mode>, Declined> {
    match (entry.mode.kind(), entry.mode.value()) {
        (EntryKind::Tree, _) => Ok(None),
        (EntryKind::Blob, 0o100_644) => Ok(Some(Mode::File)),
        (EntryKind::BlobExecutable, 0o100_755) => Ok(Some(Mode::Executable)),
        (EntryKind::Link, _) => Ok(Some(Mode::Link)),
        (EntryKind::Commit, _) => Err(Declined::Unsuited("there are submodules")),
        _ => Err(Declined::Unsuited("a file has an unusual mode")),
    }
}
