//! Commits that leave out what was there before: files a person changed before the agent started stay as they are.

use std::fmt;

use orchestra_core::CommitId;

use super::{CommitError, CommitRequest, Prepared};
use crate::diff::FileChange;
use crate::error::GitError;
use crate::shadow::Shadow;
use crate::switch::Touched;
use crate::worktree::Worktree;

/// All files of a worktree at one moment, committed or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RememberedFiles {
    tree: String,
}

impl RememberedFiles {
    /// The id of the tree object.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.tree
    }
}

impl fmt::Display for RememberedFiles {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.tree)
    }
}

impl Worktree {
    /// Remembers all files, new ones too, without touching the index.
    ///
    /// # Errors
    /// If the worktree has no commit or git fails.
    pub fn remember_files(&self) -> Result<RememberedFiles, CommitError> {
        let head = self.head()?;
        let commit = head
            .commit()
            .ok_or_else(|| GitError::NoSuchRevision("HEAD".to_owned()))?;
        let shadow = Shadow::of_worktree(self, commit)?.with_copied_index(self)?;
        self.stage_into_copy(&shadow)?;
        let tree = self.repository().git().line(&shadow.call("write-tree"))?;
        Ok(RememberedFiles { tree })
    }

    /// What changed since files were remembered, committed or not.
    ///
    /// # Errors
    /// If the worktree has no commit or git fails.
    pub fn changes_since(&self, before: &RememberedFiles) -> Result<Vec<FileChange>, CommitError> {
        let now = self.remember_files()?;
        Ok(self.repository().tree_changes(&before.tree, &now.tree)?)
    }

    /// Like [`Worktree::prepare_commit`], but only with files that differ from `before`. Everything else stays uncommitted, in
    /// the index and on disk.
    ///
    /// # Errors
    /// As [`Worktree::prepare_commit`].
    pub fn prepare_commit_since(
        &self,
        before: &RememberedFiles,
        request: &CommitRequest,
    ) -> Result<Option<Prepared>, CommitError> {
        let head = self.head()?;
        let parent = self.require_ready(&head)?;
        let now = self.remember_files()?;
        let changes = self.repository().touched(&before.tree, &now.tree)?;
        let shadow = Shadow::of_worktree(self, &parent)?.with_empty_index();
        let tree = self.tree_with(&shadow, &parent, &changes)?;
        let git = self.repository().git();
        if changes.is_empty()
            || tree == git.line(&shadow.call("rev-parse").arg(format!("{parent}^{{tree}}")))?
        {
            return Ok(None);
        }
        let call = shadow
            .call("commit-tree")
            .args([&tree, "-p", parent.as_str(), "-F", "-"]);
        let call = self
            .as_people(call, request)?
            .stdin(request.message_bytes());
        let commit = git
            .line(&call)?
            .parse()
            .map_err(|_| call.unreadable("it is not a commit id"))?;
        self.put_changes(&Shadow::of_worktree(self, &parent)?, &changes)?;
        let (branch, subject) = (head.branch().cloned(), request.subject());
        Ok(Some(Prepared {
            commit,
            parent,
            branch,
            subject,
            left_out: Vec::new(),
        }))
    }

    /// The files of a commit with some changes.
    fn tree_with(
        &self,
        shadow: &Shadow,
        parent: &CommitId,
        changes: &[Touched],
    ) -> Result<String, GitError> {
        let git = self.repository().git();
        git.line(&shadow.call("read-tree").arg(parent.as_str()))?;
        self.put_changes(shadow, changes)?;
        git.line(&shadow.call("write-tree"))
    }

    fn put_changes(&self, shadow: &Shadow, changes: &[Touched]) -> Result<(), GitError> {
        let entries = changes.iter().map(|one| (&one.path, one.after.as_ref()));
        self.put_index_entries(shadow, entries)
    }
}
