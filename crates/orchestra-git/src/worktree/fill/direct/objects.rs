//! Reads objects by id from the object directory and its alternates. No configuration is read, and nothing is replaced.

use std::path::Path;
use std::sync::Arc;

use gix_hash::oid;
use gix_object::{Find, Kind};
use gix_odb::store::init::Options;
use gix_pack::cache::lru::MemoryCappedHashmap;

use super::Declined;

/// git writes larger ones piece by piece, so they are left to it.
const LARGEST: usize = 512 * 1024 * 1024;
/// Objects that others are stored as differences to, per thread.
const BASES: usize = 32 * 1024 * 1024;

/// The objects of a repository, for all threads.
pub(super) struct Store {
    shared: Arc<gix_odb::Store>,
}

impl Store {
    pub(super) fn open(common_dir: &Path) -> Result<Self, Declined> {
        let options = Options {
            alloc_limit_bytes: Some(LARGEST),
            current_dir: Some(common_dir.to_owned()),
            ..Options::default()
        };
        let nothing = &mut std::iter::empty();
        let objects = common_dir.join("objects");
        let store = gix_odb::Store::at_opts(objects, gix_hash::Kind::Sha1, nothing, options)?;
        Ok(Self {
            shared: Arc::new(store),
        })
    }

    /// A view for one thread.
    pub(super) fn objects(&self) -> Objects {
        let handle = gix_odb::HandleArc::from(self.shared.to_handle_arc());
        Objects {
            handle: handle.with_pack_cache(|| Box::new(MemoryCappedHashmap::new(BASES))),
        }
    }
}

/// The objects, as one thread sees them.
pub(super) struct Objects {
    handle: gix_odb::HandleArc,
}

impl Objects {
    /// The content of an object, which must be of this kind.
    pub(super) fn read<'a>(
        &self,
        id: &oid,
        kind: Kind,
        buffer: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], Declined> {
        match self.handle.try_find(id, buffer) {
            Ok(Some(found)) if found.kind == kind => Ok(found.data),
            Ok(Some(_)) => Err(Declined::Object(format!("{id} is not a {kind}"))),
            Ok(None) => Err(Declined::Object(format!("{id} is missing"))),
            Err(error) => Err(Declined::Object(format!("{id}: {error}"))),
        }
    }
}
