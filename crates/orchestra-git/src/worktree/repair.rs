//! Start-up repair: a killed `git worktree add` can leave an admin folder that makes git fail in the whole repository. Exactly
//! our own half-made entries are taken away; what looks like somebody else's is reported and left alone.

use std::path::{Path, PathBuf};

use orchestra_core::{BranchName, CommitId};

use super::WorktreeError;
use super::admin::{AdminDir, Condition};
use super::remove::remove_if_present;
#[cfg(target_os = "linux")]
use crate::branch_lock::clear_half_made;
use crate::byte_path::resolved;
use crate::error::{AtPath, GitError};
use crate::git_process::wait_for_others_in;
use crate::repository::Repository;
use crate::repository_lock::RepositoryLock;

/// A worktree we began to make and do not know the end of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HalfMade {
    /// Where it was to be.
    pub path: PathBuf,
    /// The branch that was to be made with it, and where.
    pub branch: Option<(BranchName, CommitId)>,
}

/// What the repair found and did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// git's folder for a half-made worktree of ours was removed.
    RemovedRegistration(PathBuf),
    /// The directory of a half-made worktree of ours was removed; nothing was in it.
    RemovedDirectory(PathBuf),
    /// The branch of a half-made worktree of ours was removed; it had no commit of its own.
    RemovedBranch(BranchName),
    /// The directory has files in it and was kept.
    KeptDirectory(PathBuf),
    /// A damaged folder that is not ours; git may fail until it is gone.
    Foreign(PathBuf),
}

/// A registration that git did not finish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    /// It is for a worktree of ours, and the repair takes it away.
    HalfMade(PathBuf),
    /// It is not ours; git may fail until it is gone.
    Foreign(PathBuf),
}

impl Repository {
    /// What [`Repository::repair_half_made`] would find among git's registrations. Changes nothing.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn damaged_registrations(&self, known: &[HalfMade]) -> Result<Vec<Damage>, GitError> {
        // A registration that is just being made is not damaged.
        let _lock = RepositoryLock::take(self)?;
        let damage = self.damage()?.into_iter().map(|admin| {
            if is_ours(&admin, known) {
                Damage::HalfMade(admin.dir)
            } else {
                Damage::Foreign(admin.dir)
            }
        });
        Ok(damage.collect())
    }

    /// Takes away what a killed registration left of the worktrees in `known`. A worktree that is whole is not touched.
    ///
    /// # Errors
    /// If a file cannot be read or removed, or git fails.
    pub fn repair_half_made(&self, known: &[HalfMade]) -> Result<Vec<Finding>, WorktreeError> {
        let _lock = RepositoryLock::take(self)?;
        if !known.is_empty() {
            wait_for_others_in(self.common_dir())?;
        }
        let mut findings = Vec::new();
        for admin in self.damage()? {
            findings.push(remove_if_ours(&admin, known)?);
        }
        let whole = self.worktrees_on_disk()?;
        for half_made in known {
            if !whole
                .iter()
                .any(|worktree| worktree.path() == resolved(&half_made.path))
            {
                self.remove_traces(half_made, &mut findings)?;
            }
        }
        Ok(findings)
    }

    fn damage(&self) -> Result<Vec<AdminDir>, GitError> {
        let damaged = |admin: &AdminDir| admin.condition != Condition::Whole;
        Ok(self.admin_dirs()?.into_iter().filter(damaged).collect())
    }

    fn remove_traces(
        &self,
        half_made: &HalfMade,
        findings: &mut Vec<Finding>,
    ) -> Result<(), WorktreeError> {
        findings.extend(remove_if_empty(&half_made.path)?);
        let Some((name, at)) = &half_made.branch else {
            return Ok(());
        };
        #[cfg(target_os = "linux")]
        clear_half_made(self, &name.full_ref())?;
        if self.find_branch(name)?.as_ref() == Some(at) && self.checked_out_at(name)?.is_none() {
            self.delete_branch_unchecked(name, at)?;
            findings.push(Finding::RemovedBranch(name.clone()));
        }
        Ok(())
    }
}

fn remove_if_ours(admin: &AdminDir, known: &[HalfMade]) -> Result<Finding, GitError> {
    if !is_ours(admin, known) {
        return Ok(Finding::Foreign(admin.dir.clone()));
    }
    remove_if_present(&admin.dir)?;
    Ok(Finding::RemovedRegistration(admin.dir.clone()))
}

fn is_ours(admin: &AdminDir, known: &[HalfMade]) -> bool {
    known.iter().any(|half_made| is_for(admin, &half_made.path))
}

/// By the path it names, or, where that was not written yet, by its own name: git takes the last part of the path and adds
/// a number when that is taken.
fn is_for(admin: &AdminDir, path: &Path) -> bool {
    if let Some(worktree) = &admin.worktree {
        return *worktree == resolved(path);
    }
    let names = admin.dir.file_name().zip(path.file_name());
    names.is_some_and(|(id, name)| {
        let (id, name) = (id.to_string_lossy(), name.to_string_lossy());
        id.strip_prefix(&*name)
            .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

fn remove_if_empty(path: &Path) -> Result<Option<Finding>, GitError> {
    if !path.is_dir() {
        return Ok(None);
    }
    if !has_only_marker(path)? {
        return Ok(Some(Finding::KeptDirectory(path.to_owned())));
    }
    remove_if_present(path)?;
    Ok(Some(Finding::RemovedDirectory(path.to_owned())))
}

/// Before its files are written, a worktree contains nothing but git's marker.
pub(super) fn has_only_marker(path: &Path) -> Result<bool, GitError> {
    for entry in std::fs::read_dir(path).at(path)? {
        if entry.at(path)?.file_name() != ".git" {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_a_path_is_known_by_its_name() {
        let admin = |name: &str, worktree: Option<&str>| AdminDir {
            dir: PathBuf::from("/r/.git/worktrees").join(name),
            worktree: worktree.map(PathBuf::from),
            condition: Condition::Incomplete,
        };
        let path = Path::new("/r/.worktrees/k7m2qd");
        assert!(is_for(&admin("k7m2qd", None), path));
        assert!(is_for(&admin("k7m2qd12", None), path));
        assert!(!is_for(&admin("k7m2qdx", None), path));
        assert!(!is_for(&admin("other", None), path));
        assert!(!is_for(&admin("12", None), Path::new("/")));
        assert!(is_for(&admin("other", Some("/r/.worktrees/k7m2qd")), path));
        assert!(!is_for(&admin("k7m2qd", Some("/elsewhere/k7m2qd")), path));
    }
}
