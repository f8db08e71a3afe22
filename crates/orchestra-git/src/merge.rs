//! Merges without a checkout: git writes the tree that would result and says where it could not decide.
//!
//! It runs through the shadow, so no merge driver of a repository can run. Where git can read attributes from a commit
//! (2.41), those of ours apply, as in a checkout of it: `-merge`, `binary` and `merge=union` are known to git itself.

mod added;
mod answer;
mod aside;
mod conflicted_file;
#[cfg(target_os = "linux")]
mod direct;
mod label;
mod many;

use std::path::PathBuf;

use orchestra_core::{CommitId, TreeId};

pub use added::{AddedClashes, OwnFiles};
pub use aside::PutAside;
pub(crate) use conflicted_file::gather_versions;
pub use conflicted_file::{ConflictedFile, Stage};

use crate::call::Call;
use crate::commit_object::CommitObject;
use crate::error::GitError;
use crate::repository::Repository;
use crate::shadow::Shadow;
use crate::version::GitVersion;

/// What a merge gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeResult {
    /// The merged files; those in conflict as git would leave them in a worktree, with markers.
    pub tree: TreeId,
    /// What git could not decide, by its real name, in the order of paths.
    pub conflicts: Vec<ConflictedFile>,
    /// What has another name in the tree.
    pub aside: Vec<PutAside>,
    /// What git says about it; empty if there is no conflict.
    pub messages: Vec<MergeMessage>,
}

impl MergeResult {
    /// Whether git could decide everything.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.conflicts.is_empty() && self.messages.is_empty()
    }
}

/// Something git says about a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeMessage {
    /// The files it is about.
    pub paths: Vec<PathBuf>,
    /// git's stable word for it, such as `CONFLICT (rename/delete)`.
    pub kind: String,
    /// A line for people.
    pub text: String,
}

/// What the two sides are called in conflict markers, and in the names git gives to files that are in each other's way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeLabels<'a> {
    /// Such as the name of a branch.
    pub ours: &'a str,
    /// Such as the beginning of a commit's id and its subject.
    pub theirs: &'a str,
}

impl Repository {
    /// Merges `theirs` into `ours`. Without `base`, git finds what both started from. Nothing but objects is written.
    ///
    /// # Errors
    /// If a commit is missing, the two have nothing in common, or git fails.
    pub fn merge_in_memory(
        &self,
        ours: &CommitId,
        theirs: &CommitId,
        base: Option<&CommitId>,
    ) -> Result<MergeResult, GitError> {
        let sides = self.sides(ours, theirs, base)?;
        let shadow = self.objects()?;
        self.merge(&shadow, &sides, sides.ours.as_str(), sides.theirs.as_str())
    }

    /// The same, with names for people instead of ids. White space and what a branch could not be called becomes a dash.
    ///
    /// # Errors
    /// As [`Repository::merge_in_memory`].
    pub fn merge_with_labels(
        &self,
        ours: &CommitId,
        theirs: &CommitId,
        base: Option<&CommitId>,
        labels: MergeLabels<'_>,
    ) -> Result<MergeResult, GitError> {
        let sides = self.sides(ours, theirs, base)?;
        let shadow = Shadow::of_objects(self)?;
        let (ours, theirs) = label::distinct(labels, ours, theirs);
        for (label, commit) in [(&ours, &sides.ours), (&theirs, &sides.theirs)] {
            shadow.write_reference(&label.full_ref(), commit)?;
        }
        self.merge(&shadow, &sides, ours.as_str(), theirs.as_str())
    }

    fn merge(
        &self,
        shadow: &Shadow,
        sides: &Sides<'_>,
        ours: &str,
        theirs: &str,
    ) -> Result<MergeResult, GitError> {
        let base = sides.base.map(|base| format!("--merge-base={base}"));
        let call = shadow
            .call("merge-tree")
            .args(["--write-tree", "-z"])
            .args(base)
            .args([ours, theirs]);
        self.run_merge(&self.with_attributes_of(call, &sides.ours))
    }

    fn run_merge(&self, call: &Call) -> Result<MergeResult, GitError> {
        let answer = self.git().run(call)?;
        let is_clean = answer.is_success();
        if !is_clean && !answer.exited_with(1) {
            return Err(answer.failure());
        }
        answer::parse_one(&answer.stdout, is_clean)
            .ok_or_else(|| call.unreadable("a record is cut"))
    }

    fn with_attributes_of(&self, call: Call, commit: &CommitId) -> Call {
        if self.git().version() < GitVersion::ATTRIBUTES_OF_COMMIT {
            return call;
        }
        call.env("GIT_ATTR_SOURCE", commit.as_str())
    }

    /// What git is given. Where it cannot be told the base, both sides become commits right above it.
    fn sides<'a>(
        &self,
        ours: &CommitId,
        theirs: &CommitId,
        base: Option<&'a CommitId>,
    ) -> Result<Sides<'a>, GitError> {
        let (mut ours, mut theirs) = (ours.clone(), theirs.clone());
        let is_told = self.git().version() >= GitVersion::CHOSEN_MERGE_BASE;
        if let Some(base) = base.filter(|_| !is_told) {
            ours = self.moved_onto(&ours, base)?;
            theirs = self.moved_onto(&theirs, base)?;
        }
        let base = base.filter(|_| is_told);
        Ok(Sides { ours, theirs, base })
    }

    /// A commit with the same files whose only parent is `base`.
    fn moved_onto(&self, commit: &CommitId, base: &CommitId) -> Result<CommitId, GitError> {
        let object = self.read_commit(commit)?;
        if object.parents == [base.clone()] {
            return Ok(commit.clone());
        }
        self.write_commit(&CommitObject::placeholder(object.tree, Some(base)))
    }
}

#[cfg(not(target_os = "linux"))]
impl Repository {
    /// Only known to work elsewhere: git has to look.
    #[expect(clippy::unused_self, reason = "the same call everywhere")]
    pub(crate) fn merge_trees_directly(
        &self,
        _base: &TreeId,
        _ours: &TreeId,
        _theirs: &TreeId,
    ) -> Option<TreeId> {
        None
    }
}

#[derive(Debug)]
struct Sides<'a> {
    ours: CommitId,
    theirs: CommitId,
    base: Option<&'a CommitId>,
}
