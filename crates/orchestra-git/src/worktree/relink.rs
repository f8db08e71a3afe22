//! A repository and its worktrees know each other by path. After one of them was moved, git writes the paths anew.

use std::path::{Path, PathBuf};

use super::WorktreeError;
use super::admin::{AdminDir, admin_paths};
use crate::byte_path::trimmed_path;
use crate::error::GitError;
use crate::repository::Repository;
use crate::repository_lock::RepositoryLock;

/// Where a worktree and its repository were before they were moved.
#[derive(Debug, Clone, Copy)]
pub struct Former<'a> {
    /// The git directory that all worktrees share.
    pub common_dir: &'a Path,
    /// The worktree.
    pub worktree: &'a Path,
}

/// Where the worktrees are that a git directory knows, by its own files: paths of before, if something was moved.
///
/// # Errors
/// If they cannot be read.
pub fn registered_worktrees(common_dir: &Path) -> Result<Vec<PathBuf>, GitError> {
    let dirs = admin_paths(common_dir)?;
    Ok(dirs
        .iter()
        .filter_map(|dir| AdminDir::named_worktree(dir))
        .collect())
}

/// Where a git directory has the worktree at `path` registered, by the folder that the worktree's own marker leads to.
/// `None` if it leads elsewhere.
#[must_use]
pub fn registered_place(common_dir: &Path, path: &Path) -> Option<PathBuf> {
    let dir = admin_named_by(path)?;
    let is_its = dir.parent() == Some(&common_dir.join("worktrees"));
    AdminDir::named_worktree(&dir).filter(|_| is_its)
}

/// The folder that a worktree's own marker leads to.
fn admin_named_by(path: &Path) -> Option<PathBuf> {
    let marker = std::fs::read(path.join(".git")).ok()?;
    let target = path.join(trimmed_path(marker.strip_prefix(b"gitdir: ")?));
    Some(target.canonicalize().unwrap_or(target))
}

impl Repository {
    /// Links this repository and the worktree at `path` again. Doing it twice is harmless.
    ///
    /// # Errors
    /// [`WorktreeError::NotAWorktree`] if the two do not name each other, now or as they were before; or if git fails.
    pub fn relink_worktree(&self, path: &Path, former: Former<'_>) -> Result<(), WorktreeError> {
        let _lock = RepositoryLock::take(self)?;
        self.require_each_other(path, former)?;
        let call = self.call("worktree").args(["repair", "--"]).arg(path);
        self.git().run(&call)?.require_success()?;
        self.worktree_at(path).map(drop)
    }

    /// git believes what the directory says of itself, and an agent could have written that: it would lead to a folder of
    /// another worktree, or of another repository.
    fn require_each_other(&self, path: &Path, former: Former<'_>) -> Result<(), WorktreeError> {
        let unrelated = || WorktreeError::NotAWorktree(path.to_owned());
        let target = admin_named_by(path).ok_or_else(unrelated)?;
        let parents = [former.common_dir, self.common_dir()].map(|dir| dir.join("worktrees"));
        let id = target
            .file_name()
            .filter(|_| parents.iter().any(|dir| target.parent() == Some(dir)));
        let admin = id.map(|id| self.common_dir().join("worktrees").join(id));
        let named = admin.and_then(|admin| AdminDir::named_worktree(&admin));
        match named {
            Some(named) if named == path || named == former.worktree => Ok(()),
            _ => Err(unrelated()),
        }
    }
}
