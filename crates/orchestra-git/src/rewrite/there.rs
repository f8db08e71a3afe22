//! Commits whose changes another branch has already, under other names: found by what they change, as git does.

use std::collections::BTreeSet;

use orchestra_core::CommitId;

use crate::error::GitError;
use crate::repository::Repository;

/// How many first commits of a branch are looked for as one commit of the other.
const MOST_SQUASHED: usize = 20;

impl Repository {
    /// Those of the commits of `head`, oldest first, whose changes `onto` has: each in a commit of its own, or the first few of
    /// them together in one.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn changes_there(
        &self,
        commits: &[CommitId],
        head: &CommitId,
        onto: &CommitId,
    ) -> Result<BTreeSet<CommitId>, GitError> {
        let mut there = self.same_patches(head, onto)?;
        there.retain(|commit| commits.contains(commit));
        let squashed = self.squashed_there(commits, head, onto)?;
        there.extend(commits[..squashed].iter().cloned());
        Ok(there)
    }

    /// How many of the first commits are one commit there.
    fn squashed_there(
        &self,
        commits: &[CommitId],
        head: &CommitId,
        onto: &CommitId,
    ) -> Result<usize, GitError> {
        let (Some(first), Some(fork)) = (commits.first(), self.merge_base(head, onto)?) else {
            return Ok(0);
        };
        let parents = self.read_commits(std::slice::from_ref(first))?;
        let parent = parents.first().and_then(|object| object.parents.first());
        let Some(parent) = parent.filter(|_| commits.len() > 1) else {
            return Ok(0);
        };
        let patches = self.patches_since(&fork, onto)?;
        for count in (2..=commits.len().min(MOST_SQUASHED)).rev() {
            let whole = self.patch_id(parent, &commits[count - 1])?;
            if whole.is_some_and(|whole| patches.contains(&whole)) {
                return Ok(count);
            }
        }
        Ok(0)
    }
}
