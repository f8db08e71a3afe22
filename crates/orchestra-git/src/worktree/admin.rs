//! Git's own folder for a worktree, `<common>/worktrees/<id>`, read from disk.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::Worktree;
use crate::byte_path::trimmed_path;
use crate::error::{AtPath, GitError};
use crate::repository::{Repository, git_dir_of};

/// What git writes into `locked` while it makes a worktree.
pub(super) const INITIALIZING: &str = "initializing";

/// The state of one admin folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AdminDir {
    pub(crate) dir: PathBuf,
    /// Where the worktree is, if the folder says so.
    pub(crate) worktree: Option<PathBuf>,
    pub(crate) condition: Condition,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    Whole,
    /// git has not finished it, or was killed while it tried.
    Initializing,
    /// A file that every worktree needs is empty or missing.
    Incomplete,
}

impl AdminDir {
    pub(crate) fn read(dir: PathBuf) -> Self {
        let content = |name: &str| {
            std::fs::read(dir.join(name))
                .ok()
                .filter(|bytes| !bytes.trim_ascii().is_empty())
        };
        let worktree = Self::named_worktree(&dir);
        let is_initializing =
            content("locked").is_some_and(|reason| reason.trim_ascii() == INITIALIZING.as_bytes());
        let is_whole =
            worktree.is_some() && content("HEAD").is_some() && content("commondir").is_some();
        let condition = match (is_whole, is_initializing) {
            (false, _) => Condition::Incomplete,
            (true, true) => Condition::Initializing,
            (true, false) => Condition::Whole,
        };
        Self {
            dir,
            worktree,
            condition,
        }
    }

    /// The worktree that the folder in `dir` is for.
    pub(crate) fn named_worktree(dir: &Path) -> Option<PathBuf> {
        let content = std::fs::read(dir.join("gitdir")).ok()?;
        (!content.trim_ascii().is_empty()).then(|| worktree_path(dir, &content))
    }

    /// Why somebody locked it.
    pub(crate) fn lock_reason(dir: &Path) -> Option<String> {
        std::fs::read(dir.join("locked"))
            .ok()
            .map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned())
    }
}

impl Repository {
    /// Every admin folder, whole or not, in the order of their names.
    pub(crate) fn admin_dirs(&self) -> Result<Vec<AdminDir>, GitError> {
        Ok(self
            .admin_paths()?
            .into_iter()
            .map(AdminDir::read)
            .collect())
    }

    /// Where the admin folders are, without looking into them.
    pub(crate) fn admin_paths(&self) -> Result<Vec<PathBuf>, GitError> {
        admin_paths(self.common_dir())
    }

    /// The folder of the worktree at a real path. What the worktree's own marker says is only a hint where to look first.
    pub(crate) fn find_admin_dir(&self, path: &Path) -> Result<Option<PathBuf>, GitError> {
        let is_for = |dir: &Path| AdminDir::named_worktree(dir).is_some_and(|found| found == path);
        let parent = self.common_dir().join("worktrees");
        let hint = git_dir_of(path)
            .ok()
            .filter(|dir| dir.parent() == Some(&parent));
        if let Some(dir) = hint.filter(|dir| is_for(dir)) {
            return Ok(Some(dir));
        }
        Ok(self.admin_paths()?.into_iter().find(|dir| is_for(dir)))
    }

    /// Every worktree that is whole, the main one first.
    pub(crate) fn worktrees_on_disk(&self) -> Result<Vec<Worktree>, GitError> {
        let main = self
            .main_checkout()
            .map(|path| Worktree::new(self, path, self.common_dir().to_owned()));
        let whole = self
            .admin_dirs()?
            .into_iter()
            .filter(|admin| admin.condition != Condition::Incomplete);
        let linked =
            whole.filter_map(|admin| Some(Worktree::new(self, admin.worktree?, admin.dir)));
        Ok(main.into_iter().chain(linked).collect())
    }

    /// The main checkout, if this repository has one.
    pub(crate) fn main_checkout(&self) -> Option<PathBuf> {
        if !self.is_linked_worktree() {
            return Some(self.root().to_owned());
        }
        let parent = self.common_dir().parent()?;
        (self.common_dir().file_name()? == ".git").then(|| parent.to_owned())
    }
}

/// Where the admin folders below a git directory are. One that is a file has none.
pub(super) fn admin_paths(common_dir: &Path) -> Result<Vec<PathBuf>, GitError> {
    let parent = common_dir.join("worktrees");
    let entries = match std::fs::read_dir(&parent) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound || !common_dir.is_dir() => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(GitError::io(&parent, error)),
    };
    let mut dirs = Vec::new();
    for entry in entries {
        let entry = entry.at(&parent)?;
        if entry.file_type().at(&parent)?.is_dir() {
            dirs.push(entry.path());
        }
    }
    dirs.sort();
    Ok(dirs)
}

/// `gitdir` names the `.git` file of the worktree: by its real path, or since git 2.48 possibly relative to the folder.
fn worktree_path(admin_dir: &Path, content: &[u8]) -> PathBuf {
    let marker = trimmed_path(content);
    let path = marker.parent().unwrap_or(&marker);
    if path.is_absolute() {
        return path.to_owned();
    }
    let path = admin_dir.join(path);
    path.canonicalize().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admin(files: &[(&str, &str)]) -> AdminDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, content) in files {
            std::fs::write(dir.path().join(name), content).unwrap();
        }
        AdminDir::read(dir.path().to_owned())
    }

    #[test]
    fn conditions_are_told_apart() {
        let whole = [
            ("gitdir", "/nowhere/w/.git\n"),
            ("HEAD", "ref: refs/heads/x\n"),
            ("commondir", "../..\n"),
        ];
        assert_eq!(admin(&whole).condition, Condition::Whole);
        assert_eq!(admin(&whole).worktree, Some("/nowhere/w".into()));
        let initializing = [&whole[..], &[("locked", "initializing\n")]].concat();
        assert_eq!(admin(&initializing).condition, Condition::Initializing);
        assert_eq!(
            admin(&[&whole[..], &[("locked", "mine")]].concat()).condition,
            Condition::Whole
        );
        assert_eq!(
            admin(&[&whole[..], &[("commondir", "")]].concat()).condition,
            Condition::Incomplete
        );
        assert_eq!(admin(&whole[..2]).condition, Condition::Incomplete);
        assert_eq!(admin(&[]).worktree, None);
    }

    #[test]
    fn relative_paths_start_at_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let admin = root.join("git/worktrees/x");
        std::fs::create_dir_all(&admin).unwrap();
        std::fs::create_dir(root.join("w")).unwrap();
        assert_eq!(worktree_path(&admin, b"../../../w/.git\n"), root.join("w"));
        assert_eq!(
            worktree_path(&admin, b"../gone/.git\n"),
            admin.join("../gone")
        );
    }
}
