//! Whether something can come back to where it was.

use std::path::PathBuf;

use super::entry::{TrashEntry, TrashState, is_there};
use super::error::TrashError;
use crate::error::GitError;
use crate::repository::Repository;
use crate::worktree::WorktreeError;

impl Repository {
    /// Makes sure that nothing is in the way of what comes back, and that all of it is there.
    pub(super) fn require_room(&self, entry: &TrashEntry) -> Result<(), TrashError> {
        if entry.state == TrashState::Unfinished {
            self.require_all_parts(entry)?;
        }
        require_free_path(entry)?;
        if !is_there(&entry.places.admin()) {
            return Ok(());
        }
        if self.admin_at_home(entry)?.is_some() {
            return Err(WorktreeError::PathRegistered(entry.record.path.clone()).into());
        }
        require_free_modules(entry)?;
        self.require_free_checkout(entry)
    }

    /// What is not in the trash has to be at home.
    fn require_all_parts(&self, entry: &TrashEntry) -> Result<(), TrashError> {
        let record = &entry.record;
        let damaged = |reason: &str| {
            Err(TrashError::Damaged {
                folder: entry.places.folder.clone(),
                reason: reason.to_owned(),
            })
        };
        if record.has_directory && entry.directory.is_none() && !is_there(&record.path) {
            return damaged("the worktree is gone");
        }
        let has_admin = is_there(&entry.places.admin()) || self.admin_at_home(entry)?.is_some();
        if record.admin_folder.is_some() && !has_admin {
            return damaged("git's folder for the worktree is gone");
        }
        Ok(())
    }

    /// git's folder, if it never left or is back already.
    fn admin_at_home(&self, entry: &TrashEntry) -> Result<Option<PathBuf>, GitError> {
        self.find_admin_dir(&entry.record.path)
    }

    fn require_free_checkout(&self, entry: &TrashEntry) -> Result<(), TrashError> {
        let branch = entry.record.branch.clone();
        if !entry.record.is_checked_out {
            return Ok(());
        }
        match self.checked_out_at(&branch)? {
            Some(place) => Err(WorktreeError::BranchCheckedOut { branch, place }.into()),
            None => Ok(()),
        }
    }
}

fn require_free_path(entry: &TrashEntry) -> Result<(), TrashError> {
    let record = &entry.record;
    let comes_back = match record.has_directory {
        true => entry.directory.is_some(),
        false => is_there(&entry.places.admin()),
    };
    if comes_back && is_there(&record.path) {
        return Err(WorktreeError::PathTaken(record.path.clone()).into());
    }
    Ok(())
}

/// Submodules know git's folder by its name.
fn require_free_modules(entry: &TrashEntry) -> Result<(), TrashError> {
    let home = entry.places.admin_home.clone();
    match home.filter(|home| is_there(home)) {
        Some(home) if is_there(&entry.places.admin().join("modules")) => {
            Err(TrashError::AdminTaken(home))
        }
        _ => Ok(()),
    }
}
