//! Whether a folder can hold worktrees: what is inside it is kept out of the user's status, so it must hold nothing else.

use std::path::{Path, PathBuf};

use crate::byte_path::{from_bytes, resolved};
use crate::error::{AtPath, GitError};
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
    /// Makes sure that a folder is outside the checkout, or holds nothing but worktrees. A folder that is excluded already was
    /// looked at before.
    ///
    /// # Errors
    /// If git fails or a directory cannot be read.
    pub fn find_unsuitable(&self, folder: &Path) -> Result<Option<UnsuitableFolder>, GitError> {
        let folder = resolved(folder);
        let checkout = self.main_checkout();
        let checkout = checkout.unwrap_or_else(|| self.root().to_owned());
        if folder == checkout {
            return Ok(Some(UnsuitableFolder::Checkout));
        }
        let below = folder.strip_prefix(&checkout).ok().map(Path::to_owned);
        let is_git = |part: &std::ffi::OsStr| part.eq_ignore_ascii_case(".git");
        let in_git = below.as_ref().is_some_and(|below| below.iter().any(is_git));
        if in_git || folder.starts_with(self.common_dir()) {
            return Ok(Some(UnsuitableFolder::GitDirectory));
        }
        let Some(below) = below.filter(|_| !self.is_excluded(&folder)) else {
            return Ok(None);
        };
        let file = match self.find_tracked(&folder, &below)? {
            Some(file) => Some(file),
            None => self.find_other_file(&folder)?,
        };
        // Whoever makes the first worktree there excludes the folder before.
        let file = file.filter(|_| !self.is_excluded(&folder));
        Ok(file.map(|file| {
            let shown = file.strip_prefix(&checkout).map(Path::to_owned);
            UnsuitableFolder::HasFiles(shown.unwrap_or(file))
        }))
    }

    /// A file of the repository in the folder, whether it is checked out or not.
    fn find_tracked(&self, folder: &Path, below: &Path) -> Result<Option<PathBuf>, GitError> {
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
            if !worktrees.iter().any(|worktree| worktree.path == path) {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }
}
