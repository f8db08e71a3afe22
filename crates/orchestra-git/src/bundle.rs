//! Bundles: commits in one file, which `git fetch` and `git bundle` read.

use std::fs;

use orchestra_core::{BranchName, CommitId, SnapshotName};

use crate::error::{AtPath, GitError};
use crate::repository::Repository;
use crate::shadow::Shadow;
use crate::snapshot::Snapshot;

/// A commit under the name that it gets in a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BundleTip {
    /// A branch: `refs/heads/<name>`.
    Branch(BranchName, CommitId),
    /// Where a branch was when a snapshot was taken: `refs/orchestra/snapshots/<name>`.
    Snapshot(SnapshotName, CommitId),
}

impl BundleTip {
    /// Its full name in the bundle.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Branch(name, _) => format!("refs/heads/{name}"),
            Self::Snapshot(name, _) => format!("refs/orchestra/snapshots/{}", name.as_str()),
        }
    }

    const fn commit(&self) -> &CommitId {
        match self {
            Self::Branch(_, commit) | Self::Snapshot(_, commit) => commit,
        }
    }
}

impl Repository {
    /// Hands on a bundle of what tips have beyond a known commit. What snapshots keep is looked at too: git may have removed
    /// it from the repository, which stays as it is. Answers the tips that are in it; without any, there is no bundle.
    ///
    /// # Errors
    /// If a snapshot cannot be read, objects are missing, or git fails.
    pub fn bundle(
        &self,
        tips: &[BundleTip],
        kept: &[Snapshot],
        known: &CommitId,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<Vec<BundleTip>, GitError> {
        let shadow = Shadow::of_borrowed_objects(self)?;
        for snapshot in kept {
            self.lend(&shadow, snapshot)?;
        }
        let mut inside = Vec::new();
        for tip in tips {
            if self.is_beyond(&shadow, tip.commit(), known)? {
                inside.push(tip.clone());
            }
        }
        if inside.is_empty() {
            return Ok(inside);
        }
        self.name_tips(&shadow, &inside)?;
        let names = inside.iter().map(BundleTip::name);
        let call = shadow
            .call("bundle")
            .args(["create", "--quiet", "-"])
            .args(names)
            .arg(format!("^{known}"));
        self.git().stream(&call, sink)?.require_success()?;
        Ok(inside)
    }

    /// Puts the objects of a snapshot where only the shadow sees them.
    fn lend(&self, shadow: &Shadow, snapshot: &Snapshot) -> Result<(), GitError> {
        let pack = snapshot.objects();
        if !pack.exists() {
            return Ok(());
        }
        let call = shadow.call("unpack-objects").arg("-q");
        let call = call.stdin(fs::read(&pack).at(&pack)?);
        self.git().run(&call)?.require_success().map(drop)
    }

    /// Whether a commit is there and not in the history of the known one.
    fn is_beyond(
        &self,
        shadow: &Shadow,
        commit: &CommitId,
        known: &CommitId,
    ) -> Result<bool, GitError> {
        let call = shadow.call("rev-list").args([
            "--max-count=1",
            commit.as_str(),
            &format!("^{known}"),
            "--",
        ]);
        let answer = self.git().run(&call)?;
        Ok(answer.is_success() && !answer.text()?.trim().is_empty())
    }

    fn name_tips(&self, shadow: &Shadow, tips: &[BundleTip]) -> Result<(), GitError> {
        let lines: String = tips
            .iter()
            .map(|tip| format!("create {} {}\n", tip.name(), tip.commit()))
            .collect();
        let call = shadow.call("update-ref").arg("--stdin");
        let call = call.stdin(lines.into_bytes());
        self.git().run(&call)?.require_success().map(drop)
    }
}
