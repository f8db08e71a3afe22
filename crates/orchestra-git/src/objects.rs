//! Reads objects by id from the object directory and its alternates, and writes new ones there. No configuration is read, and
//! nothing is replaced.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gix_hash::{ObjectId, oid};
use gix_object::commit::ref_iter::Token;
use gix_object::{CommitRefIter, Find, Kind, Write};
use gix_odb::store::init::Options;
use gix_pack::cache::lru::MemoryCappedHashmap;
use orchestra_core::CommitId;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, utimensat};

/// git writes larger ones piece by piece, so they are left to it.
const LARGEST: usize = 512 * 1024 * 1024;
/// Objects that others are stored as differences to, per thread.
const BASES: usize = 32 * 1024 * 1024;
/// Trees and commits that are kept in memory.
const MOST_KNOWN: usize = 16 * 1024 * 1024;

/// Why an object cannot be had.
#[derive(Debug, thiserror::Error)]
#[error("an object cannot be read: {0}")]
pub(crate) struct ObjectError(String);

impl ObjectError {
    pub(crate) fn new(reason: impl std::fmt::Display) -> Self {
        Self(reason.to_string())
    }
}

/// The objects of a repository, for all threads.
pub(crate) struct Store {
    shared: Arc<gix_odb::Store>,
    loose: gix_odb::loose::Store,
    known: Arc<Known>,
}

impl Store {
    pub(crate) fn open(common_dir: &Path) -> Result<Self, ObjectError> {
        let options = Options {
            alloc_limit_bytes: Some(LARGEST),
            current_dir: Some(common_dir.to_owned()),
            ..Options::default()
        };
        let nothing = &mut std::iter::empty();
        let objects = common_dir.join("objects");
        let loose = gix_odb::loose::Store::at(&objects, gix_hash::Kind::Sha1);
        let store = gix_odb::Store::at_opts(objects, gix_hash::Kind::Sha1, nothing, options)
            .map_err(ObjectError::new)?;
        Ok(Self {
            shared: Arc::new(store),
            loose,
            known: Arc::default(),
        })
    }

    /// Writes an object as git does. One that is there becomes new again, so that it is not among the old ones that git may
    /// remove.
    pub(crate) fn write(&self, kind: Kind, bytes: &[u8]) -> Result<ObjectId, ObjectError> {
        let id = gix_object::compute_hash(gix_hash::Kind::Sha1, kind, bytes);
        let id = id.map_err(ObjectError::new)?;
        if !self.is_made_new(&id) {
            let written = self.loose.write_buf_with_known_id(kind, bytes, id);
            written.map_err(ObjectError::new)?;
        }
        self.known.add(id, kind, bytes);
        Ok(id)
    }

    /// A power cut can leave an empty file, which is not the object.
    fn is_made_new(&self, id: &oid) -> bool {
        let path = self.loose.object_path(id);
        let is_there = path
            .symlink_metadata()
            .is_ok_and(|found| found.is_file() && found.len() > 0);
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_NOW,
        };
        let times = Timestamps {
            last_access: now,
            last_modification: now,
        };
        is_there && utimensat(CWD, &path, &times, AtFlags::empty()).is_ok()
    }

    /// A view for one thread.
    pub(crate) fn objects(&self) -> Objects {
        let handle = gix_odb::HandleArc::from(self.shared.to_handle_arc());
        Objects {
            handle: handle.with_pack_cache(|| Box::new(MemoryCappedHashmap::new(BASES))),
            known: Arc::clone(&self.known),
        }
    }
}

/// Trees and commits that were read or written: small, and read again by every step of an operation.
#[derive(Default)]
struct Known {
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    by_id: HashMap<ObjectId, (Kind, Vec<u8>)>,
    bytes: usize,
}

impl Known {
    /// Puts the content into the buffer, if it is known.
    fn find(&self, id: &oid, kind: Kind, buffer: &mut Vec<u8>) -> bool {
        match self.found().by_id.get(id) {
            Some((known, content)) if *known == kind => {
                buffer.clear();
                buffer.extend_from_slice(content);
                true
            }
            _ => false,
        }
    }

    fn add(&self, id: ObjectId, kind: Kind, content: &[u8]) {
        if !matches!(kind, Kind::Tree | Kind::Commit) || content.len() > MOST_KNOWN {
            return;
        }
        let mut found = self.found();
        if found.bytes + content.len() > MOST_KNOWN {
            *found = Found::default();
        }
        found.bytes += content.len();
        found.by_id.insert(id, (kind, content.to_vec()));
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Store").finish_non_exhaustive()
    }
}

/// The objects, as one thread sees them.
pub(crate) struct Objects {
    handle: gix_odb::HandleArc,
    known: Arc<Known>,
}

impl Objects {
    /// The tree of a commit.
    pub(crate) fn tree_of(&self, commit: &CommitId) -> Result<ObjectId, ObjectError> {
        let id = ObjectId::from_hex(commit.as_str().as_bytes()).map_err(ObjectError::new)?;
        let mut buffer = Vec::new();
        let content = self.read(&id, Kind::Commit, &mut buffer)?;
        let mut commit = CommitRefIter::from_bytes(content, gix_hash::Kind::Sha1);
        commit.tree_id().map_err(ObjectError::new)
    }

    /// What a commit stands on.
    pub(crate) fn parents_of(&self, commit: &oid) -> Result<Vec<ObjectId>, ObjectError> {
        let mut buffer = Vec::new();
        let content = self.read(commit, Kind::Commit, &mut buffer)?;
        let mut parents = Vec::new();
        for token in CommitRefIter::from_bytes(content, gix_hash::Kind::Sha1) {
            match token.map_err(ObjectError::new)? {
                Token::Tree { .. } => {}
                Token::Parent { id } => parents.push(id),
                _ => break,
            }
        }
        Ok(parents)
    }

    /// The bytes of a commit.
    pub(crate) fn commit(&self, commit: &CommitId) -> Result<Vec<u8>, ObjectError> {
        let id = ObjectId::from_hex(commit.as_str().as_bytes()).map_err(ObjectError::new)?;
        let mut buffer = Vec::new();
        let content = self.read(&id, Kind::Commit, &mut buffer)?;
        Ok(content.to_vec())
    }

    /// The content of an object, which must be of this kind.
    pub(crate) fn read<'a>(
        &self,
        id: &oid,
        kind: Kind,
        buffer: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], ObjectError> {
        if self.known.find(id, kind, buffer) {
            return Ok(buffer);
        }
        let content = match self.handle.try_find(id, buffer) {
            Ok(Some(found)) if found.kind == kind => found.data,
            Ok(Some(_)) => return Err(ObjectError(format!("{id} is not a {kind}"))),
            Ok(None) => return Err(ObjectError(format!("{id} is missing"))),
            Err(error) => return Err(ObjectError(format!("{id}: {error}"))),
        };
        self.known.add(id.to_owned(), kind, content);
        Ok(content)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn what_is_there_becomes_new_and_what_was_cut_off_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("objects")).unwrap();
        let store = Store::open(folder.path()).unwrap();
        let id = store.write(Kind::Blob, b"content").unwrap();
        let path = store.loose.object_path(&id);
        let content = fs::read(&path).unwrap();
        let old = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let age = || path.metadata().unwrap().modified().unwrap();
        let make_old = || File::open(&path).unwrap().set_modified(old).unwrap();
        make_old();
        assert_eq!(store.write(Kind::Blob, b"content").unwrap(), id);
        assert!(age() > old);
        fs::remove_file(&path).unwrap();
        fs::write(&path, "").unwrap();
        assert_eq!(store.write(Kind::Blob, b"content").unwrap(), id);
        assert_eq!(fs::read(&path).unwrap(), content);
    }

    #[test]
    fn trees_and_commits_are_known_and_no_more_than_fit() {
        let known = Known::default();
        let id = |digit: u8| ObjectId::try_from(&[digit; 20][..]).unwrap();
        let mut buffer = Vec::new();
        known.add(id(1), Kind::Blob, b"file");
        assert!(!known.find(&id(1), Kind::Blob, &mut buffer));
        known.add(id(2), Kind::Tree, b"tree");
        assert!(known.find(&id(2), Kind::Tree, &mut buffer));
        assert_eq!(buffer, b"tree");
        assert!(!known.find(&id(2), Kind::Commit, &mut buffer));
        known.add(id(3), Kind::Tree, &vec![0; MOST_KNOWN]);
        assert!(known.find(&id(3), Kind::Tree, &mut buffer));
        assert!(!known.find(&id(2), Kind::Tree, &mut buffer));
    }
}
