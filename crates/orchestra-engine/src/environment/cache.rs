//! The cache of a session: it is kept for as long as its worktree can come back, and goes when that is deleted for good.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use orchestra_core::SessionId;

use super::databases::is_below;
use crate::copy_files::{Directory, Kind};
use crate::{Engine, EngineError};

const CACHE: &str = "cache";

impl Engine {
    pub(crate) fn cache_of(&self, id: &SessionId) -> PathBuf {
        self.folder_of(id).join(CACHE)
    }

    /// Whether a session without a worktree has a cache that can go. A database may have been put there, and is not dropped
    /// unless somebody wants that.
    pub(crate) fn find_useless_cache(
        &self,
        id: &SessionId,
    ) -> Result<Option<PathBuf>, EngineError> {
        let cache = self.cache_of(id);
        if cache.symlink_metadata().is_err() {
            return Ok(None);
        }
        let databases = self.leases(Some(id))?.databases;
        let mut kept = databases.iter().filter(|it| it.state.may_exist());
        let is_used = kept.any(|it| is_below(Path::new(&it.location), &cache));
        Ok((!is_used).then_some(cache))
    }

    /// Removes the cache of a session without a worktree. Only for whoever holds its lease.
    pub(crate) fn remove_cache(&self, id: &SessionId) -> Result<(), EngineError> {
        match self.find_useless_cache(id)? {
            Some(cache) => remove(&self.folder_of(id))
                .map_err(|source| EngineError::io(format!("remove {}", cache.display()), source)),
            None => Ok(()),
        }
    }

    /// The same for who does something else, and is not kept from it: housekeeping removes what stays.
    pub(crate) fn let_cache_go(&self, id: &SessionId) {
        if let Err(error) = self.remove_cache(id) {
            tracing::warn!(session = %id, code = error.code(), %error, "its cache stays");
        }
    }
}

/// Removes the cache in the folder of a session, and the folder if nothing else is in it. An agent could have put a link there.
fn remove(folder: &Path) -> io::Result<()> {
    let name = OsStr::new(CACHE);
    let opened = Directory::open(folder)?;
    match opened.kind(name)? {
        Some(Kind::Directory) => opened.remove_tree(name, &|| ())?,
        Some(_) => opened.remove_file(name)?,
        None => {}
    }
    match std::fs::remove_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::DirectoryNotEmpty => Err(error),
        _ => Ok(()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_cache_goes_without_what_its_links_lead_to() {
        let place = tempfile::tempdir().unwrap();
        let (folder, theirs) = (place.path().join("session"), place.path().join("theirs"));
        fs::create_dir_all(folder.join("cache/mod")).unwrap();
        fs::create_dir(&theirs).unwrap();
        fs::write(theirs.join("file"), "x").unwrap();
        fs::write(folder.join("cache/mod/file"), "x").unwrap();
        symlink(&theirs, folder.join("cache/link")).unwrap();
        // As the module cache of go is.
        fs::set_permissions(folder.join("cache/mod"), PermissionsExt::from_mode(0o555)).unwrap();
        remove(&folder).unwrap();
        assert!(!folder.exists() && theirs.join("file").exists());
        fs::create_dir_all(folder.join("databases")).unwrap();
        symlink(&theirs, folder.join("cache")).unwrap();
        remove(&folder).unwrap();
        assert!(folder.join("databases").exists() && theirs.join("file").exists());
        assert!(folder.join("cache").symlink_metadata().is_err());
    }
}
