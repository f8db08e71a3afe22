//! What a repository is like before work starts in it.

use std::path::Path;

use crate::error::GitError;
use crate::head::Head;
use crate::in_progress::InProgress;
use crate::repository::Repository;

/// What matters before a worktree is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryState {
    /// What the opened checkout points at.
    pub head: Head,
    /// What the opened checkout is in the middle of.
    pub in_progress: Option<InProgress>,
    /// Whether there is any commit to start from.
    pub has_commits: bool,
    /// Whether the tree has submodules.
    pub has_submodules: bool,
    /// Whether large files are kept outside the tree.
    pub has_lfs: bool,
    /// Whether the user has the filter for that; without it such files are committed whole.
    pub has_lfs_filter: bool,
    /// Whether the filter is needed and calls `git-lfs`, which is not installed: no file could be written.
    pub lacks_lfs_program: bool,
    /// Whether only a part of the tree is checked out.
    pub is_sparse: bool,
    /// Whether the history is cut.
    pub is_shallow: bool,
    /// Whether objects are fetched when needed, which the engine never does by itself.
    pub is_partial_clone: bool,
}

impl Repository {
    /// Looks at the checkout that was opened.
    ///
    /// # Errors
    /// If git's files cannot be read.
    pub fn state(&self) -> Result<RepositoryState, GitError> {
        let head = self.head_in(self.git_dir())?;
        let names_lfs = uses_lfs(&self.root().join(".gitattributes"));
        Ok(RepositoryState {
            in_progress: InProgress::find(self.git_dir()),
            has_commits: head.commit().is_some(),
            has_submodules: self.root().join(".gitmodules").exists(),
            has_lfs: names_lfs || self.common_dir().join("lfs").exists(),
            has_lfs_filter: self.configuration().has_lfs_filter(),
            lacks_lfs_program: names_lfs && self.lacks_lfs_program()?,
            is_sparse: self.git_dir().join("info/sparse-checkout").exists(),
            is_shallow: self.common_dir().join("shallow").exists(),
            is_partial_clone: self.configuration().is_partial_clone(),
            head,
        })
    }
}

impl Repository {
    /// git itself is asked: it also looks for programs where its own are.
    fn lacks_lfs_program(&self) -> Result<bool, GitError> {
        if !self.configuration().calls_git_lfs() {
            return Ok(false);
        }
        let call = self.call("lfs").arg("version");
        Ok(!self.git().run(&call)?.is_success())
    }
}

fn uses_lfs(attributes: &Path) -> bool {
    let text = std::fs::read(attributes).unwrap_or_default();
    text.split(|byte| *byte == b'\n').any(|line| {
        let line = line.trim_ascii();
        !line.starts_with(b"#") && line.windows(10).any(|window| window == b"filter=lfs")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lfs_is_seen_in_attributes() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a");
        assert!(!uses_lfs(&file));
        std::fs::write(&file, "# filter=lfs\n*.txt text\n").unwrap();
        assert!(!uses_lfs(&file));
        std::fs::write(&file, "*.bin filter=lfs diff=lfs merge=lfs -text\n").unwrap();
        assert!(uses_lfs(&file));
    }
}
