//! Commits that leave out what was there before: files a person changed before the agent started stay as they are.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

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
        let commit = self.require_commit()?;
        let shadow = Shadow::of_worktree(self, &commit)?.with_copied_index(self)?;
        self.stage_into_copy(&shadow)?;
        let tree = self.repository().git().line(&shadow.call("write-tree"))?;
        Ok(RememberedFiles { tree })
    }

    /// Remembers the files of a commit.
    ///
    /// # Errors
    /// If there is no such commit or git fails.
    pub fn files_of(&self, commit: &CommitId) -> Result<RememberedFiles, CommitError> {
        let shadow = Shadow::of_worktree(self, commit)?;
        let call = shadow.call("rev-parse").arg(format!("{commit}^{{tree}}"));
        let tree = self.repository().git().line(&call)?;
        Ok(RememberedFiles { tree })
    }

    /// The files as they were `before`, with what changed since they were as somebody `left` them, and the paths of that;
    /// `None` if nothing did. What had changed until then, too, stays as it was `before`: the two cannot be told apart.
    ///
    /// # Errors
    /// If the worktree has no commit or git fails.
    pub fn remember_changes_since(
        &self,
        left: &RememberedFiles,
        before: &RememberedFiles,
    ) -> Result<Option<(RememberedFiles, BTreeSet<PathBuf>)>, CommitError> {
        let now = self.remember_files()?;
        let mut changes = self.repository().touched(&left.tree, &now.tree)?;
        if changes.is_empty() {
            return Ok(None);
        }
        let paths = changes.iter().map(|one| one.path.clone()).collect();
        let earlier = self.repository().touched(&before.tree, &left.tree)?;
        let earlier: BTreeSet<PathBuf> = earlier.into_iter().map(|one| one.path).collect();
        changes.retain(|one| !earlier.contains(&one.path));
        let shadow = Shadow::of_worktree(self, &self.require_commit()?)?.with_empty_index();
        let tree = self.tree_with(&shadow, &before.tree, &changes)?;
        Ok(Some((RememberedFiles { tree }, paths)))
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
        let tree = self.tree_with(&shadow, parent.as_str(), &changes)?;
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

    fn require_commit(&self) -> Result<CommitId, CommitError> {
        let head = self.head()?;
        let commit = head.commit().cloned();
        commit.ok_or_else(|| GitError::NoSuchRevision("HEAD".to_owned()).into())
    }

    /// The files of a commit or tree with some changes.
    fn tree_with(
        &self,
        shadow: &Shadow,
        from: &str,
        changes: &[Touched],
    ) -> Result<String, GitError> {
        let git = self.repository().git();
        git.line(&shadow.call("read-tree").arg(from))?;
        self.put_changes(shadow, changes)?;
        git.line(&shadow.call("write-tree"))
    }

    fn put_changes(&self, shadow: &Shadow, changes: &[Touched]) -> Result<(), GitError> {
        let entries = changes.iter().map(|one| (&one.path, one.after.as_ref()));
        self.put_index_entries(shadow, entries)
    }
}
