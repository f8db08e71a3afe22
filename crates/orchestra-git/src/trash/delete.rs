//! Deletes what is in the trash, for good. It gets another name first, so that what was cut off is known and finished later.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use orchestra_core::TrashName;

use super::entry::{TrashEntry, TrashState, is_hardly_begun, is_there};
use super::error::TrashError;
use crate::error::{AtPath, GitError};
use crate::repository::Repository;
use crate::repository_lock::RepositoryLock;

const DELETING: &str = ".deleting";

/// What nobody can bring back any more.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Condemned {
    folder: PathBuf,
    aside: PathBuf,
}

impl Repository {
    /// Deletes one entry for good. The repository's lock is held only for its first step.
    ///
    /// # Errors
    /// If it is not completely in the trash, or something cannot be deleted; the same call, or
    /// [`Repository::finish_deletions`], goes on then.
    pub fn delete_from_trash(&self, name: &TrashName) -> Result<(), TrashError> {
        let lock = RepositoryLock::take(self)?;
        let Some(entry) = self.find_in_trash(name)? else {
            drop(lock);
            return self.finish_deletion_of(name);
        };
        if entry.state == TrashState::Unfinished && !entry.is_all_at_home() {
            return Err(TrashError::Unfinished(name.clone()));
        }
        let condemned = self.condemn(&entry)?;
        drop(lock);
        Ok(condemned.delete()?)
    }

    /// Deletes what was being deleted when somebody was cut off, and entries that nothing was moved into, and says how many
    /// that were.
    ///
    /// # Errors
    /// If something cannot be deleted.
    pub fn finish_deletions(&self) -> Result<usize, TrashError> {
        let mut finished = 0;
        for (text, _) in self.trash_folders()? {
            let half_deleted = text.strip_suffix(DELETING);
            let half_deleted = half_deleted.and_then(|name| name.parse().ok());
            let half_begun = text.parse().ok();
            let is_deleted = match (half_deleted, half_begun) {
                (Some(name), _) => self.condemned(&name).delete().map(|()| true)?,
                (None, Some(name)) => self.drop_if_nothing_moved(&name)?,
                (None, None) => false,
            };
            finished += usize::from(is_deleted);
        }
        Ok(finished)
    }

    /// Deletes an entry that nothing was moved into, or that everything left, and says whether it was one.
    ///
    /// # Errors
    /// If something cannot be deleted.
    pub fn drop_if_nothing_moved(&self, name: &TrashName) -> Result<bool, TrashError> {
        // Whoever fills an entry has the lock until its parts are in it.
        let lock = RepositoryLock::take(self)?;
        let folder = self.trash().join(name.as_str());
        let is_unused = match self.find_in_trash(name) {
            Ok(Some(entry)) => entry.is_all_at_home(),
            Ok(None) => is_hardly_begun(&folder),
            // What cannot be read is left for people to look at.
            Err(_) => false,
        };
        if !is_unused {
            return Ok(false);
        }
        remove_tree(&deleting(&folder))?;
        std::fs::rename(&folder, deleting(&folder)).at(&folder)?;
        drop(lock);
        self.condemned(name).delete()?;
        Ok(true)
    }

    fn finish_deletion_of(&self, name: &TrashName) -> Result<(), TrashError> {
        let condemned = self.condemned(name);
        if is_there(&condemned.folder) {
            Ok(condemned.delete()?)
        } else {
            Err(TrashError::NoSuchEntry(name.clone()))
        }
    }

    /// From here on it cannot be brought back.
    pub(super) fn condemn(&self, entry: &TrashEntry) -> Result<Condemned, GitError> {
        let condemned = Condemned {
            folder: deleting(&entry.places.folder),
            aside: entry.places.aside.clone(),
        };
        // The name was used before, and that deletion was cut off.
        remove_tree(&condemned.folder)?;
        let folder = &entry.places.folder;
        std::fs::rename(folder, &condemned.folder).at(folder)?;
        Ok(condemned)
    }

    fn condemned(&self, name: &TrashName) -> Condemned {
        let folder = deleting(&self.trash().join(name.as_str()));
        // Without a record nothing can be anywhere else: it is deleted last.
        let home = super::entry::read_record(&folder).map(|record| record.path);
        let home = home.unwrap_or_else(|_| folder.clone());
        let aside = self.places(name, &home, None).aside;
        Condemned { folder, aside }
    }
}

impl Condemned {
    pub(super) fn delete(&self) -> Result<(), GitError> {
        remove_tree(&self.aside)?;
        if let Some(parent) = self.aside.parent() {
            // Other entries may be in it.
            std::fs::remove_dir(parent).ok();
        }
        for part in ["worktree", "admin"] {
            remove_tree(&self.folder.join(part))?;
        }
        remove_tree(&self.folder)
    }
}

fn deleting(folder: &Path) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(DELETING);
    name.into()
}

/// Removes a directory and everything in it, also where somebody made directories read-only.
fn remove_tree(directory: &Path) -> Result<(), GitError> {
    let removed = match std::fs::remove_dir_all(directory) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            make_writable(directory).and_then(|()| std::fs::remove_dir_all(directory))
        }
        removed => removed,
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(GitError::io(directory, error)),
        _ => Ok(()),
    }
}

/// Tools keep what they downloaded in directories without the right to write.
fn make_writable(directory: &Path) -> io::Result<()> {
    let mut permissions = directory.symlink_metadata()?.permissions();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        permissions.set_mode(permissions.mode() | 0o700);
    }
    #[cfg(not(unix))]
    permissions.set_readonly(false);
    std::fs::set_permissions(directory, permissions)?;
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            make_writable(&entry.path())?;
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn directories_become_writable_and_links_are_not_followed() {
        let outside = tempfile::tempdir().unwrap();
        let top = tempfile::tempdir().unwrap();
        let (cache, inner) = (top.path().join("cache"), top.path().join("cache/inner"));
        std::fs::create_dir_all(&inner).unwrap();
        std::os::unix::fs::symlink(outside.path(), inner.join("link")).unwrap();
        let read_only = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        read_only(outside.path(), 0o500);
        read_only(&inner, 0o500);
        read_only(&cache, 0o500);
        make_writable(&cache).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&cache), mode(&inner)), (0o700, 0o700));
        assert_eq!(mode(outside.path()), 0o500);
        read_only(&inner, 0o500);
        remove_tree(&cache).unwrap();
        assert!(!cache.exists());
        remove_tree(&cache).unwrap();
        std::fs::write(&cache, "").unwrap();
        assert_eq!(remove_tree(&cache.join("x")).unwrap_err().code(), "git.io");
    }
}
