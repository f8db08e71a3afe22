//! Worktrees in the trash of a repository that was moved: they come back to where they belong now.

use std::path::{Path, PathBuf};

use orchestra_core::TrashName;

use super::entry::{TrashEntry, TrashRecord, is_there, trash_in};
use super::error::TrashError;
use super::put::in_real_parent;
use crate::byte_path::to_bytes;
use crate::disk;
use crate::error::AtPath;
use crate::repository::Repository;

/// Whether the trash below a git directory has an entry of this name, by its own files.
#[must_use]
pub fn is_in_trash_of(common_dir: &Path, name: &TrashName) -> bool {
    trash_in(common_dir).join(name.as_str()).is_dir()
}

impl Repository {
    /// The same entry, at home elsewhere.
    pub(super) fn at_home_in(&self, entry: &TrashEntry, home: &Path) -> TrashEntry {
        let record = TrashRecord {
            path: in_real_parent(home),
            ..entry.record.clone()
        };
        self.entry(&entry.name, record)
    }
}

/// Writes down where an entry is at home now: for git, in its own folder for the worktree, and then in the record, so that
/// what was cut off is done again.
pub(super) fn write_home(entry: &TrashEntry) -> Result<(), TrashError> {
    let places = &entry.places;
    let admins = std::iter::once(places.admin()).chain(places.admin_home.clone());
    let admin: Option<PathBuf> = admins.into_iter().find(|admin| is_there(admin));
    if let Some(admin) = admin {
        let line = [to_bytes(&entry.record.path.join(".git")), b"\n".to_vec()].concat();
        let (new, named) = (admin.join("gitdir.orchestra-new"), admin.join("gitdir"));
        disk::write(&new, &line)?;
        std::fs::rename(&new, &named).at(&named)?;
    }
    Ok(places.write(&entry.record)?)
}
