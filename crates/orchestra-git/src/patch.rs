//! Changes as patches: one that `git am` takes, and an id that stays the same wherever the change is applied.

mod mail;

use orchestra_core::{CommitId, PatchId};

pub use mail::MailForm;

use crate::error::GitError;
use crate::repository::Repository;

/// Never a program of the repository's choice, and the same text whatever the user likes to see.
pub(crate) const FIXED: &[&str] = &[
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--binary",
    "--full-index",
    "--no-renames",
    "--diff-algorithm=myers",
    "--unified=3",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

impl Repository {
    /// The id of the difference of two commits: the same wherever the same lines are changed. `None`: there is none.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn patch_id(&self, from: &CommitId, to: &CommitId) -> Result<Option<PatchId>, GitError> {
        let patch = self.patch_between(from, to)?;
        Ok(self.patch_ids(patch)?.into_iter().next())
    }

    /// An id of the difference of two commits that also changes with white space, which can decide what a program does. What it
    /// is applied to does not matter, as long as the lines around it are the same. `None`: there is no difference.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn exact_patch_id(
        &self,
        from: &CommitId,
        to: &CommitId,
    ) -> Result<Option<PatchId>, GitError> {
        let patch = self.patch_between(from, to)?;
        if patch.is_empty() {
            return Ok(None);
        }
        let call = self
            .objects()?
            .call("hash-object")
            .args(["-t", "blob", "--no-filters", "--stdin"])
            .stdin(without_places(&patch));
        let id = self.git().line(&call)?.parse();
        id.map(Some)
            .map_err(|_| call.unreadable("it is not an object id"))
    }

    fn patch_between(&self, from: &CommitId, to: &CommitId) -> Result<Vec<u8>, GitError> {
        let call = self
            .objects()?
            .call("diff-tree")
            .args(["-r", "-p"])
            .args(FIXED)
            .args([from.as_str(), to.as_str(), "--"]);
        Ok(self.git().run(&call)?.require_success()?.stdout)
    }

    /// The ids of the patches in a text, in its order.
    pub(crate) fn patch_ids(&self, patches: Vec<u8>) -> Result<Vec<PatchId>, GitError> {
        if patches.is_empty() {
            return Ok(Vec::new());
        }
        let call = self
            .objects()?
            .call("patch-id")
            .arg("--stable")
            .stdin(patches);
        let text = self.git().run(&call)?.require_success()?.text()?;
        let ids = text.lines().map(|line| {
            let id = line.split_ascii_whitespace().next()?;
            id.parse().ok()
        });
        ids.collect::<Option<_>>()
            .ok_or_else(|| call.unreadable("it is not a list of ids"))
    }
}

/// A patch without what differs when the same lines are changed elsewhere: line numbers, the function around them, and the ids
/// of whole files. Lines of content start with another byte, so they cannot be mistaken for these.
fn without_places(patch: &[u8]) -> Vec<u8> {
    let lines = patch.split_inclusive(|byte| *byte == b'\n');
    let kept = lines.map(|line| match line {
        line if line.starts_with(b"@@ ") => b"@@\n".as_slice(),
        line if line.starts_with(b"index ") => b"",
        line => line,
    });
    kept.flatten().copied().collect()
}
