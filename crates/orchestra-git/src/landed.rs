//! Whether the work of a branch is part of its base, also when it came there by a squash or another machine.

use std::collections::BTreeSet;

use orchestra_core::{CommitId, PatchId};

use crate::error::GitError;
use crate::patch::FIXED;
use crate::repository::Repository;

/// How far back in the base one change is looked for.
const COMMITS_SEARCHED: &str = "--max-count=500";

/// How the work of a branch is part of its base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LandedBy {
    /// Both are at the same commit.
    SameCommit,
    /// The base contains the branch's commit.
    Ancestor,
    /// Both have the same files.
    SameTree,
    /// The base has a commit with the same change for each commit of the branch.
    SamePatches,
    /// The base has one commit with the whole change of the branch.
    SquashedPatch,
    /// Merging the branch would change nothing.
    NothingToMerge,
}

impl Repository {
    /// Whether all of `branch` is part of `base`, and how. `None`: some of it is not.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn landed(&self, branch: &CommitId, base: &CommitId) -> Result<Option<LandedBy>, GitError> {
        if branch == base {
            return Ok(Some(LandedBy::SameCommit));
        }
        let Some(fork) = self.merge_base(branch, base)? else {
            return Ok(None);
        };
        if &fork == branch {
            return Ok(Some(LandedBy::Ancestor));
        }
        let objects = self.read_commits(&[branch.clone(), base.clone()])?;
        let [own, other] = objects.as_slice() else {
            return Err(GitError::NoSuchRevision(branch.to_string()));
        };
        if own.tree == other.tree {
            return Ok(Some(LandedBy::SameTree));
        }
        if &fork == base {
            return Ok(None);
        }
        let merges = self.merge_many(&[(base.clone(), branch.clone())])?;
        if merges
            .iter()
            .any(|merge| merge.is_clean() && merge.tree == other.tree)
        {
            return Ok(Some(LandedBy::NothingToMerge));
        }
        self.landed_by_patch(branch, base, &fork)
    }

    fn landed_by_patch(
        &self,
        branch: &CommitId,
        base: &CommitId,
        fork: &CommitId,
    ) -> Result<Option<LandedBy>, GitError> {
        if self.has_each_patch(branch, base)? {
            return Ok(Some(LandedBy::SamePatches));
        }
        let Some(whole) = self.patch_id(fork, branch)? else {
            return Ok(None);
        };
        let is_there = self.patches_since(fork, base)?.contains(&whole);
        Ok(is_there.then_some(LandedBy::SquashedPatch))
    }

    /// The commits of `branch` that `base` has neither as they are nor as other commits with the same change.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn missing_changes(
        &self,
        branch: &CommitId,
        base: &CommitId,
    ) -> Result<Vec<CommitId>, GitError> {
        let range = format!("{base}...{branch}");
        let call = self
            .objects()?
            .call("rev-list")
            .args(["--cherry-pick", "--right-only"])
            .args([range.as_str(), "--"]);
        let text = self.git().run(&call)?.require_success()?.text()?;
        let ids: Result<Vec<CommitId>, _> = text.lines().map(str::parse).collect();
        ids.map_err(|_| call.unreadable("it is not a list of commits"))
    }

    /// Whether git finds an equal change in the base for every commit of the branch.
    fn has_each_patch(&self, branch: &CommitId, base: &CommitId) -> Result<bool, GitError> {
        let text = self.cherry_marks(branch, base)?;
        Ok(!text.is_empty() && text.lines().all(|line| line.starts_with('=')))
    }

    /// The commits of the branch for which git finds an equal change in the base.
    pub(crate) fn same_patches(
        &self,
        branch: &CommitId,
        base: &CommitId,
    ) -> Result<BTreeSet<CommitId>, GitError> {
        let text = self.cherry_marks(branch, base)?;
        let equal = text.lines().filter_map(|line| line.strip_prefix('='));
        Ok(equal.filter_map(|id| id.parse().ok()).collect())
    }

    fn cherry_marks(&self, branch: &CommitId, base: &CommitId) -> Result<String, GitError> {
        let range = format!("{base}...{branch}");
        let call = self
            .objects()?
            .call("rev-list")
            .args(["--cherry-mark", "--right-only", "--no-merges"])
            .args([range.as_str(), "--"]);
        self.git().run(&call)?.require_success()?.text()
    }

    /// What each of the newest commits of the base since the fork changes.
    pub(crate) fn patches_since(
        &self,
        fork: &CommitId,
        base: &CommitId,
    ) -> Result<Vec<PatchId>, GitError> {
        let call = self
            .objects()?
            .call("log")
            .args(["--patch", "--diff-merges=first-parent", COMMITS_SEARCHED])
            .args(["--no-show-signature", "--format=commit %H"])
            .args(FIXED)
            .args([base.as_str(), &format!("^{fork}"), "--"]);
        let patches = self.git().run(&call)?.require_success()?.stdout;
        self.patch_ids(patches)
    }
}
