//! Brings a worktree back to where it was.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use orchestra_core::{BranchName, CommitId, TrashedBranch};

use super::entry::{Places, TrashEntry, TrashRecord, is_there};
use super::error::TrashError;
use super::rehome::write_home;
use super::{RestoreRequest, Restored, RestoredBranch, TrashStep};
use crate::byte_path::{resolved, to_bytes, trimmed_path};
use crate::error::{AtPath, GitError};
use crate::reference::{Moved, RefMove};
use crate::repository::Repository;
use crate::repository_lock::RepositoryLock;
use crate::worktree::WorktreeError;

impl Repository {
    /// Brings back what is in the trash, wherever it was cut off on its way there or back. `passed` is called after each step.
    ///
    /// # Errors
    /// If its path or its branch is taken, and nothing is changed then; or if a folder cannot be moved.
    pub fn restore_from_trash(
        &self,
        request: &RestoreRequest<'_>,
        passed: &dyn Fn(TrashStep),
    ) -> Result<Restored, TrashError> {
        let lock = RepositoryLock::take(self)?;
        let found = self.require_in_trash(request.name)?;
        let entry = match request.home {
            Some(home) => self.at_home_in(&found, home),
            None => found.clone(),
        };
        self.require_room(&entry)?;
        if entry.record.path != found.record.path {
            write_home(&entry)?;
        }
        passed(TrashStep::Recorded);
        self.bring_objects_back(&entry)?;
        let (branch, deleted) = self.bring_branches_back(&entry.record, request.deleted)?;
        passed(TrashStep::ObjectsKept);
        let admin_home = free_admin_home(&entry.places);
        if let Some(home) = &admin_home {
            let directory = entry.directory.as_ref().unwrap_or(&entry.record.path);
            point_to(&directory.join(".git"), home)?;
        }
        move_directory_home(&entry)?;
        passed(TrashStep::DirectoryMoved);
        if let Some(home) = &admin_home {
            move_to(&entry.places.admin(), home)?;
        }
        passed(TrashStep::AdminMoved);
        let path = entry.record.path.clone();
        let condemned = self.condemn(&entry)?;
        drop(lock);
        condemned.delete()?;
        Ok(Restored {
            path,
            branch,
            deleted,
        })
    }

    /// The branch that is checked out, and the one that was deleted if it is not the same.
    fn bring_branches_back(
        &self,
        record: &TrashRecord,
        deleted: Option<&TrashedBranch>,
    ) -> Result<(RestoredBranch, Option<RestoredBranch>), TrashError> {
        let checked_out = record.is_checked_out.then_some(&record.branch);
        let branch = match checked_out {
            Some(name) => self.bring_branch_back(name, record.commit.as_ref())?,
            None => RestoredBranch::None,
        };
        let other = deleted.filter(|deleted| checked_out != Some(&deleted.name));
        let other = other.map(|it| self.bring_branch_back(&it.name, Some(&it.commit)));
        Ok((branch, other.transpose()?))
    }

    /// A branch that was deleted is made again; one that exists is never moved.
    pub(super) fn bring_branch_back(
        &self,
        name: &BranchName,
        known: Option<&CommitId>,
    ) -> Result<RestoredBranch, TrashError> {
        let name = name.clone();
        match (self.find_branch(&name)?, known) {
            (Some(now), Some(known)) if now != *known => Ok(RestoredBranch::Moved { name, now }),
            (Some(_), _) => Ok(RestoredBranch::AsItWas(name)),
            (None, None) => Ok(RestoredBranch::None),
            (None, Some(known)) => self.make_branch_again(name, known),
        }
    }

    fn make_branch_again(
        &self,
        name: BranchName,
        at: &CommitId,
    ) -> Result<RestoredBranch, TrashError> {
        if let Some(by) = self.branch_conflict(&name)? {
            return Err(WorktreeError::BranchBlocked { branch: name, by }.into());
        }
        if !self.commit_exists(at)? {
            let at = at.clone();
            return Ok(RestoredBranch::Lost { name, at });
        }
        let change = RefMove {
            full_name: &name.full_ref(),
            from: None,
            to: at,
            why: "restored from the trash",
        };
        match self.move_reference(&change)? {
            Moved::Refused(Some(now)) if now != *at => Ok(RestoredBranch::Moved { name, now }),
            _ => Ok(RestoredBranch::MadeAgain(name)),
        }
    }
}

fn move_directory_home(entry: &TrashEntry) -> Result<(), GitError> {
    match &entry.directory {
        Some(directory) => move_to(directory, &entry.record.path),
        None => Ok(()),
    }
}

fn move_to(from: &Path, home: &Path) -> Result<(), GitError> {
    let parent = home.parent().unwrap_or(home);
    std::fs::create_dir_all(parent).at(parent)?;
    std::fs::rename(from, home).at(home)
}

/// Where git's folder goes if it is in the trash: to its old name, or, as git does it, with a number behind it.
fn free_admin_home(places: &Places) -> Option<PathBuf> {
    let home = places
        .admin_home
        .as_ref()
        .filter(|_| is_there(&places.admin()))?;
    let numbered = (1_u32..).map(|number| {
        let mut name = home.as_os_str().to_owned();
        name.push(number.to_string());
        PathBuf::from(name)
    });
    let mut names = std::iter::once(home.clone()).chain(numbered);
    names.find(|name| !is_there(name))
}

/// Lets the marker of a worktree lead to `admin`, in the form it has, before anybody can use it: the old name may be another
/// worktree's now, and the repository may have been moved. A worktree without a marker stays without one.
fn point_to(marker: &Path, admin: &Path) -> Result<(), GitError> {
    let content = std::fs::read(marker).unwrap_or_default();
    let Some(target) = content.strip_prefix(b"gitdir: ").map(trimmed_path) else {
        return Ok(());
    };
    let target = match target.is_absolute() {
        true if resolved(&target) == resolved(admin) => return Ok(()),
        true => admin.to_owned(),
        false if target.file_name() == admin.file_name() => return Ok(()),
        false => target.with_file_name(admin.file_name().unwrap_or_default()),
    };
    let line = [b"gitdir: ", to_bytes(&target).as_slice(), b"\n"].concat();
    // Made new: an agent could have put a link there.
    let new = marker.with_file_name(".git.orchestra-new");
    match std::fs::remove_file(&new) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(GitError::io(&new, error)),
        _ => {}
    }
    let mut file = std::fs::File::create_new(&new).at(&new)?;
    file.write_all(&line).at(&new)?;
    std::fs::rename(&new, marker).at(marker)
}
