//! Commits that leave out what was there before: files a person changed before the agent started stay as they are.

use std::fmt;

use orchestra_core::CommitId;

use super::{CommitError, CommitRequest, Prepared};
use crate::call::Call;
use crate::diff::FileChange;
use crate::error::GitError;
use crate::shadow::Shadow;
use crate::worktree::Worktree;

/// All files of a worktree at one moment, committed or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeSnapshot {
    tree: String,
}

impl TreeSnapshot {
    /// The id of the tree object.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.tree
    }
}

impl fmt::Display for TreeSnapshot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.tree)
    }
}

impl Worktree {
    /// Remembers all files, new ones too, without touching the index.
    ///
    /// # Errors
    /// If the worktree has no commit or git fails.
    pub fn snapshot_tree(&self) -> Result<TreeSnapshot, CommitError> {
        let head = self.head()?;
        let commit = head
            .commit()
            .ok_or_else(|| GitError::NoSuchRevision("HEAD".to_owned()))?;
        let shadow = Shadow::of_worktree(self, commit)?.with_copied_index(self)?;
        self.stage_into_copy(&shadow)?;
        let tree = self.repository().git().line(&shadow.call("write-tree"))?;
        Ok(TreeSnapshot { tree })
    }

    /// What changed since a snapshot, committed or not.
    ///
    /// # Errors
    /// If the worktree has no commit or git fails.
    pub fn changes_since(&self, before: &TreeSnapshot) -> Result<Vec<FileChange>, CommitError> {
        let now = self.snapshot_tree()?;
        Ok(self.repository().tree_changes(&before.tree, &now.tree)?)
    }

    /// Like [`Worktree::prepare_commit`], but only with files that differ from `before`. Everything else stays uncommitted, in
    /// the index and on disk.
    ///
    /// # Errors
    /// As [`Worktree::prepare_commit`].
    pub fn prepare_commit_since(
        &self,
        before: &TreeSnapshot,
        request: &CommitRequest,
    ) -> Result<Option<Prepared>, CommitError> {
        let head = self.head()?;
        let parent = self.require_ready(&head)?;
        let now = self.snapshot_tree()?;
        let records = self.index_changes(before, &now)?;
        let shadow = Shadow::of_worktree(self, &parent)?.with_empty_index();
        let tree = self.tree_with(&shadow, &parent, &records)?;
        let git = self.repository().git();
        if records.is_empty()
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
        self.update_index(&Shadow::of_worktree(self, &parent)?, records)?;
        let (branch, subject) = (head.branch().cloned(), request.subject());
        Ok(Some(Prepared {
            commit,
            parent,
            branch,
            subject,
            left_out: Vec::new(),
        }))
    }

    /// The differences of two snapshots, as `update-index --index-info` wants them: removals first, so that a directory can
    /// take the place of a file.
    fn index_changes(
        &self,
        before: &TreeSnapshot,
        now: &TreeSnapshot,
    ) -> Result<Vec<u8>, GitError> {
        let objects = self.repository().objects()?;
        let call = objects.call("diff-tree").args([
            "-r",
            "-z",
            "--raw",
            "--no-renames",
            &before.tree,
            &now.tree,
        ]);
        let answer = self.repository().git().run(&call)?.require_success()?;
        index_info(&answer.stdout).ok_or_else(|| call.unreadable("a record is cut"))
    }

    fn tree_with(
        &self,
        shadow: &Shadow,
        parent: &CommitId,
        records: &[u8],
    ) -> Result<String, GitError> {
        let git = self.repository().git();
        git.line(&shadow.call("read-tree").arg(parent.as_str()))?;
        self.update_index(shadow, records.to_vec())?;
        git.line(&shadow.call("write-tree"))
    }

    fn update_index(&self, shadow: &Shadow, records: Vec<u8>) -> Result<(), GitError> {
        let call: Call = shadow
            .call("update-index")
            .args(["-z", "--index-info"])
            .stdin(records);
        self.repository().git().run(&call)?.require_success()?;
        Ok(())
    }
}

/// Turns `:mode mode id id status NUL path NUL` into `mode id TAB path NUL`.
fn index_info(raw: &[u8]) -> Option<Vec<u8>> {
    let (mut removed, mut written) = (Vec::new(), Vec::new());
    let mut tokens = raw.split(|byte| *byte == 0);
    while let Some(header) = tokens.next().filter(|header| !header.is_empty()) {
        let path = tokens.next()?;
        let mut fields = header.strip_prefix(b":")?.split(|byte| *byte == b' ');
        let (mode, id) = (fields.nth(1)?, fields.nth(1)?);
        let target = if mode == b"000000" {
            &mut removed
        } else {
            &mut written
        };
        for part in [mode, b" ", id, b"\t", path, b"\0"] {
            target.extend_from_slice(part);
        }
    }
    removed.extend(written);
    Some(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removals_come_first() {
        let raw = b":000000 100644 00 aa A\0a/b\0:100644 000000 bb 00 D\0a\0:100644 100755 cc dd M\0x y\0";
        let expected = b"000000 00\ta\x00100644 aa\ta/b\x00100755 dd\tx y\0";
        assert_eq!(index_info(raw).unwrap(), expected);
        assert_eq!(index_info(b""), Some(Vec::new()));
        assert_eq!(index_info(b":000000 100644 00 aa A"), None);
        assert_eq!(index_info(b"x\0y\0"), None);
    }
}
