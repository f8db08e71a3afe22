//! The data directory is for its owner alone. What others could read is put right where it is noticed.

use std::io;
use std::path::{Path, PathBuf};

use orchestra_config::DataDirs;

use super::DataError;
use crate::folder::paths_in;
use crate::{Engine, EngineError};

/// Refuses a data directory of somebody else, and takes the permissions of others from ours and from what is directly in it.
/// Answers what others could read until now.
pub(crate) fn require_own(root: &Path) -> Result<Vec<PathBuf>, EngineError> {
    if is_foreign(root) {
        return Err(DataError::ForeignOwner {
            directory: root.to_owned(),
        }
        .into());
    }
    let mut opened = Vec::new();
    if is_open(root) {
        make_private(root).map_err(|source| {
            EngineError::io(format!("make {} private", root.display()), source)
        })?;
        opened.push(root.to_owned());
    }
    let inside = paths_in(root)?.into_iter();
    for path in inside.filter(|path| is_open(path)) {
        match make_private(&path) {
            Ok(()) => opened.push(path),
            // The directory is closed, so this lets nobody in; the doctor tells.
            Err(error) => tracing::debug!(%error, path = %path.display(), "cannot make it private"),
        }
    }
    Ok(opened)
}

/// Everything in the data directory that others could read, were its own permissions other ones. Snapshots and what
/// sessions have for themselves keep the permissions that their files come back with.
pub(crate) fn open_to_others(dirs: &DataDirs) -> Result<Vec<PathBuf>, EngineError> {
    let mut found = Vec::new();
    let mut folders = vec![dirs.root().to_owned()];
    while let Some(folder) = folders.pop() {
        for path in paths_in(&folder)? {
            if is_open(&path) {
                found.push(path.clone());
            }
            if path.is_dir() && !path.is_symlink() && is_ours(dirs, &path) {
                folders.push(path);
            }
        }
    }
    Ok(found)
}

/// Whether what is in a folder is written by us, and not a copy of what sessions have.
fn is_ours(dirs: &DataDirs, folder: &Path) -> bool {
    let is_snapshot = folder
        .parent()
        .and_then(Path::parent)
        .is_some_and(|above| above == dirs.snapshots());
    let not_ours = [dirs.environments(), dirs.git(), dirs.workspaces()];
    !is_snapshot && not_ours.iter().all(|other| folder != other)
}

impl Engine {
    /// What others could read until this engine was opened.
    #[must_use]
    pub fn made_private(&self) -> &[PathBuf] {
        &self.made_private
    }

    /// What others could read in the data directory, were its own permissions other ones.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn open_to_others(&self) -> Result<Vec<PathBuf>, EngineError> {
        open_to_others(&self.dirs)
    }
}

/// Takes the permissions of others away.
///
/// # Errors
/// If the file system refuses.
#[cfg(unix)]
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::symlink_metadata(path)?.permissions().mode();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode & 0o700))
}

/// A file with a second name, such as a tool that was linked, has its permissions from whoever else has it.
#[cfg(unix)]
fn is_open(path: &Path) -> bool {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    std::fs::symlink_metadata(path).is_ok_and(|data| {
        let is_shared = data.is_file() && data.nlink() > 1;
        !data.is_symlink() && !is_shared && data.permissions().mode() & 0o077 != 0
    })
}

#[cfg(unix)]
fn is_foreign(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = std::fs::metadata(path).map(|data| data.uid());
    owner.is_ok_and(|owner| owner != rustix::process::geteuid().as_raw())
}

/// Elsewhere a home directory is private by itself.
#[cfg(not(unix))]
pub(crate) fn make_private(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn is_open(_path: &Path) -> bool {
    false
}

#[cfg(not(unix))]
fn is_foreign(_path: &Path) -> bool {
    false
}
