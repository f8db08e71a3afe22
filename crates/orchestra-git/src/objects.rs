//! Reads objects by id from the object directory and its alternates, and writes new ones there. No configuration is read, and
//! nothing is replaced.

use std::path::Path;
use std::sync::Arc;

use gix_hash::{ObjectId, oid};
use gix_object::commit::ref_iter::Token;
use gix_object::{CommitRefIter, Find, Kind, Write};
use gix_odb::store::init::Options;
use gix_pack::cache::lru::MemoryCappedHashmap;
use orchestra_core::CommitId;

/// git writes larger ones piece by piece, so they are left to it.
const LARGEST: usize = 512 * 1024 * 1024;
/// Objects that others are stored as differences to, per thread.
const BASES: usize = 32 * 1024 * 1024;

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
        })
    }

    /// Writes an object as git does, also when it is there: so it is not among the old ones that git may remove.
    pub(crate) fn write(&self, kind: Kind, bytes: &[u8]) -> Result<ObjectId, ObjectError> {
        self.loose.write_buf(kind, bytes).map_err(ObjectError::new)
    }

    /// A view for one thread.
    pub(crate) fn objects(&self) -> Objects {
        let handle = gix_odb::HandleArc::from(self.shared.to_handle_arc());
        Objects {
            handle: handle.with_pack_cache(|| Box::new(MemoryCappedHashmap::new(BASES))),
        }
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
        match self.handle.try_find(id, buffer) {
            Ok(Some(found)) if found.kind == kind => Ok(found.data),
            Ok(Some(_)) => Err(ObjectError(format!("{id} is not a {kind}"))),
            Ok(None) => Err(ObjectError(format!("{id} is missing"))),
            Err(error) => Err(ObjectError(format!("{id}: {error}"))),
        }
    }
}
