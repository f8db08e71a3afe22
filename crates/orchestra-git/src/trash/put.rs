//! Takes a worktree away.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use orchestra_core::BranchName;

use super::entry::{Places, TrashEntry, TrashRecord, is_there};
use super::error::TrashError;
use super::{TrashRequest, TrashStep};
use crate::byte_path::{resolved, trimmed_path};
use crate::error::{AtPath, GitError};
use crate::head::Head;
use crate::repository::Repository;
use crate::repository_lock::RepositoryLock;
use crate::worktree::{AdminDir, WorktreeError};

impl Repository {
    /// Moves the worktree at `path`, or what is left of it, into the trash. What was cut off goes on when the same name is
    /// used again; what is in the trash already stays there. `passed` is called after each step.
    ///
    /// # Errors
    /// If it is the main checkout, locked or not a worktree of this repository, or a folder cannot be moved.
    pub fn trash_worktree(
        &self,
        path: &Path,
        request: &TrashRequest,
        passed: &dyn Fn(TrashStep),
    ) -> Result<TrashEntry, TrashError> {
        let path = in_real_parent(path);
        let _lock = RepositoryLock::take(self)?;
        let entry = match self.find_in_trash(&request.name)? {
            Some(entry) if entry.record.path != path => {
                return Err(TrashError::NameTaken {
                    name: entry.name,
                    path: entry.record.path,
                });
            }
            Some(entry) if has_left(&entry) => entry,
            // Somebody may have worked there since it was written down.
            _ => self.begin(&path, request, passed)?,
        };
        self.move_away(&entry, passed)?;
        Ok(self.entry(&entry.name, entry.record))
    }

    fn begin(
        &self,
        path: &Path,
        request: &TrashRequest,
        passed: &dyn Fn(TrashStep),
    ) -> Result<TrashEntry, TrashError> {
        let record = self.record_of(path, request)?;
        let entry = self.entry(&request.name, record);
        self.make_folder(&entry.places)?;
        entry.places.write(&entry.record)?;
        passed(TrashStep::Recorded);
        self.keep_objects(&entry, request)?;
        passed(TrashStep::ObjectsKept);
        Ok(entry)
    }

    fn record_of(&self, path: &Path, request: &TrashRequest) -> Result<TrashRecord, TrashError> {
        if self.main_checkout().as_deref() == Some(path) {
            return Err(WorktreeError::MainCheckout(path.to_owned()).into());
        }
        let admin = self.find_admin_dir(path)?;
        if let Some(reason) = admin.as_deref().and_then(AdminDir::lock_reason) {
            let path = path.to_owned();
            return Err(WorktreeError::Locked { path, reason }.into());
        }
        self.require_no_worktrees_in(path)?;
        let name = admin.as_deref().and_then(Path::file_name);
        let attached = admin
            .as_deref()
            .and_then(|admin| self.attached_branch(admin));
        let is_checked_out = attached.is_some();
        let branch = attached.unwrap_or_else(|| request.branch.clone());
        let last_head = request.last_head.clone();
        let last_head = last_head.filter(|_| branch == request.branch);
        Ok(TrashRecord {
            session: request.session.clone(),
            session_name: request.session_name.clone(),
            is_checked_out,
            commit: self.find_branch(&branch)?.or(last_head),
            branch,
            path: path.to_owned(),
            has_directory: self.has_directory(path, admin.is_some())?,
            admin_folder: name.map(|name| name.to_string_lossy().into_owned()),
            trashed_at: request.at,
            why: request.why.clone(),
        })
    }

    /// The folder of a worktree that moves along unseen is one that `git worktree prune` removes.
    fn require_no_worktrees_in(&self, path: &Path) -> Result<(), TrashError> {
        let admins = self.admin_paths()?;
        let mut worktrees = admins
            .iter()
            .filter_map(|dir| AdminDir::named_worktree(dir));
        let inner =
            worktrees.find(|inner| inner != path && inner.starts_with(path) && is_there(inner));
        match inner {
            Some(inner) => {
                let path = path.to_owned();
                Err(TrashError::HasWorktrees { path, inner })
            }
            None => Ok(()),
        }
    }

    /// Whether the worktree's directory is there. What git has on its list is a worktree whatever is in it; without that, the
    /// directory has to say that it was one of this repository's.
    fn has_directory(&self, path: &Path, is_listed: bool) -> Result<bool, TrashError> {
        let is_directory = match path.symlink_metadata() {
            Ok(found) => found.is_dir(),
            Err(error) if error.kind() == ErrorKind::NotFound && is_listed => return Ok(false),
            Err(_) => return Err(WorktreeError::NotAWorktree(path.to_owned()).into()),
        };
        match (is_directory, is_listed) {
            (true, true) => Ok(true),
            (true, false) if self.was_listed(path) => Ok(true),
            (false, true) => Err(GitError::WorktreeMissing(path.to_owned()).into()),
            (_, false) => Err(WorktreeError::NotAWorktree(path.to_owned()).into()),
        }
    }

    fn was_listed(&self, path: &Path) -> bool {
        let content = std::fs::read(path.join(".git")).unwrap_or_default();
        let Some(target) = content.strip_prefix(b"gitdir: ").map(trimmed_path) else {
            return false;
        };
        let worktrees = resolved(&self.common_dir().join("worktrees"));
        resolved(&path.join(target)).parent() == Some(&worktrees)
    }

    /// The branch that `HEAD` names, whether it exists or not, or that is put back when a rebase ends.
    fn attached_branch(&self, admin: &Path) -> Option<BranchName> {
        let rebased = ["rebase-merge/head-name", "rebase-apply/head-name"];
        let rebased = rebased
            .iter()
            .find_map(|file| std::fs::read_to_string(admin.join(file)).ok());
        if let Some(full_name) = rebased {
            let name = full_name.trim_end().strip_prefix("refs/heads/")?;
            return name.parse().ok();
        }
        match self.head_in(admin).ok()? {
            Head::Branch { name, .. } => Some(name),
            Head::Unborn(name) => name.parse().ok(),
            Head::Detached(_) => None,
        }
    }

    fn move_away(&self, entry: &TrashEntry, passed: &dyn Fn(TrashStep)) -> Result<(), TrashError> {
        let places = &entry.places;
        if let Some(home) = &places.admin_home
            && !is_there(&places.admin())
        {
            std::fs::rename(home, places.admin()).at(home)?;
        }
        passed(TrashStep::AdminMoved);
        if entry.record.has_directory && entry.directory.is_none() {
            move_directory(places)?;
        }
        passed(TrashStep::DirectoryMoved);
        Ok(())
    }
}

/// Whether a part of it is in the trash, so that nobody can have worked with it since.
fn has_left(entry: &TrashEntry) -> bool {
    match &entry.record.admin_folder {
        Some(_) => is_there(&entry.places.admin()),
        None => entry.directory.is_some(),
    }
}

fn move_directory(places: &Places) -> Result<(), GitError> {
    match std::fs::rename(&places.home, places.worktree()) {
        Err(error) if error.kind() == ErrorKind::CrossesDevices => {
            let parent = places.aside.parent().unwrap_or(&places.aside);
            std::fs::create_dir_all(parent).at(parent)?;
            std::fs::rename(&places.home, &places.aside).at(&places.home)
        }
        moved => moved.at(&places.home),
    }
}

/// The real path of where something is, without following the thing itself.
pub(super) fn in_real_parent(path: &Path) -> PathBuf {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) if !parent.as_os_str().is_empty() => resolved(parent).join(name),
        _ => resolved(path),
    }
}
