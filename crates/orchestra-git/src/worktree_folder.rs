//! Whether a folder can hold worktrees: what is inside it is kept out of the user's status, so it must hold nothing else.

use std::path::{Path, PathBuf};

use crate::byte_path::{from_bytes, resolved};
use crate::error::{AtPath, GitError};
use crate::exclude::{is_kept_out, is_list};
use crate::repository::Repository;

/// Why a folder cannot hold worktrees.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnsuitableFolder {
    /// It is the checkout.
    #[error("it is the repository's own checkout")]
    Checkout,
    /// git keeps its own files there.
    #[error("it is inside git's own directory")]
    GitDirectory,
    /// It has files of the repository or of the user.
    #[error("it has other files, such as `{}`, which `git status` would not show any more", .0.display())]
    HasFiles(PathBuf),
}

impl Repository {
    /// Makes sure that a folder is outside the checkout, or holds nothing but worktrees. A folder that is kept out of the status
    /// already was looked at before, but the repository may have got files there since.
    ///
    /// # Errors
    /// If git fails or a directory cannot be read.
    pub fn find_unsuitable(&self, folder: &Path) -> Result<Option<UnsuitableFolder>, GitError> {
        let folder = resolved(folder);
        let checkout = self.checkout();
        if folder == checkout {
            return Ok(Some(UnsuitableFolder::Checkout));
        }
        let below = folder.strip_prefix(&checkout).ok();
        let is_git = |part: &std::ffi::OsStr| part.eq_ignore_ascii_case(".git");
        let in_git = below.is_some_and(|below| below.iter().any(is_git));
        if in_git || folder.starts_with(self.common_dir()) {
            return Ok(Some(UnsuitableFolder::GitDirectory));
        }
        if below.is_none() || (self.was_looked_at(&folder) && has_only_worktrees(&folder)) {
            return Ok(None);
        }
        let file = match self.find_tracked_below(&folder)? {
            Some(file) => Some(file),
            None if self.was_looked_at(&folder) => None,
            None => self.find_other_file(&folder)?,
        };
        Ok(file.map(|file| {
            let shown = file.strip_prefix(&checkout).map(Path::to_owned);
            UnsuitableFolder::HasFiles(shown.unwrap_or(file))
        }))
    }

    fn was_looked_at(&self, folder: &Path) -> bool {
        is_kept_out(folder) || self.has_exclude_line(folder)
    }

    fn checkout(&self) -> PathBuf {
        let checkout = self.main_checkout();
        checkout.unwrap_or_else(|| self.root().to_owned())
    }

    /// A file of the repository in a folder of the checkout, whether it is checked out or not.
    pub(crate) fn find_tracked_below(&self, folder: &Path) -> Result<Option<PathBuf>, GitError> {
        let checkout = self.checkout();
        let Ok(below) = folder.strip_prefix(&checkout) else {
            return Ok(None);
        };
        if !folder.exists() && !self.git_dir().join("info/sparse-checkout").exists() {
            return Ok(None);
        }
        let call = self.call("ls-files").args(["-z", "--"]).arg(below);
        let answer = self.git().run(&call)?.require_success()?;
        let first = answer.stdout.split(|byte| *byte == 0).next();
        Ok(first.filter(|path| !path.is_empty()).map(from_bytes))
    }

    /// Something in the folder that is no worktree of this repository.
    fn find_other_file(&self, folder: &Path) -> Result<Option<PathBuf>, GitError> {
        if !folder.exists() {
            return Ok(None);
        }
        if !folder.is_dir() {
            return Ok(Some(folder.to_owned()));
        }
        let worktrees = self.list_worktrees()?;
        for entry in std::fs::read_dir(folder).at(folder)? {
            let path = entry.at(folder)?.path();
            let is_worktree = worktrees.iter().any(|worktree| worktree.path == path);
            if !is_worktree && !is_list(&path) {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }
}

/// Whether nothing else is in a folder that is there.
pub(crate) fn has_only_worktrees(folder: &Path) -> bool {
    let is_one = |path: &Path| is_list(path) || is_worktree(path);
    entries(folder).is_some_and(|paths| paths.iter().all(|path| is_one(path)))
}

pub(crate) fn holds_worktree(folder: &Path) -> bool {
    entries(folder).is_some_and(|paths| paths.iter().any(|path| is_worktree(path)))
}

fn entries(folder: &Path) -> Option<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).ok()?;
    entries.map(|entry| Some(entry.ok()?.path())).collect()
}

/// A worktree has a file where a repository has its directory.
fn is_worktree(path: &Path) -> bool {
    path.join(".git").is_file()
}
