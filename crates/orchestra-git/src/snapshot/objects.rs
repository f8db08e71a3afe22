//! The objects of a snapshot: git removes what no reference leads to one day, and a snapshot has no reference.

use std::path::{Path, PathBuf};

use orchestra_core::CommitId;

use super::{Snapshot, SnapshotError};
use crate::error::GitError;
use crate::repository::Repository;
use crate::shadow::Shadow;
use crate::worktree::Worktree;

const OBJECTS: &str = "objects.pack";

impl Snapshot {
    pub(crate) fn objects(&self) -> PathBuf {
        self.folder.join(OBJECTS)
    }
}

impl Repository {
    /// Keeps commits alone, for what moves a branch and touches neither index nor files. The history of the known commit stays
    /// without us. Nobody waits for the disk: the repository has them as well, and git removes them weeks later, if at all.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn keep_commits(
        &self,
        folder: &Path,
        commits: &[CommitId],
        known: &CommitId,
    ) -> Result<Snapshot, SnapshotError> {
        Snapshot::make_soon(folder, |unfinished| {
            #[cfg(target_os = "linux")]
            if let [commit] = commits
                && let Some(()) = self.pack_directly(&unfinished.objects(), commit, known)
            {
                return Ok(());
            }
            let call = self.objects()?.call("pack-objects");
            Ok(self.pack_into(&unfinished.objects(), call, beyond(known, commits))?)
        })
    }

    /// Makes sure that a commit is there with all that it has beyond a known one, from what was kept. If a power cut took that,
    /// the repository has them still.
    ///
    /// # Errors
    /// If they cannot be read and are not there either, or git fails.
    pub fn restore_commit(
        &self,
        kept: &Snapshot,
        commit: &CommitId,
        known: &CommitId,
    ) -> Result<(), SnapshotError> {
        let Err(error) = self.restore_commits(kept) else {
            return Ok(());
        };
        let call = self.objects()?.call("rev-list").args([
            "--objects",
            "--quiet",
            commit.as_str(),
            &format!("^{known}"),
            "--",
        ]);
        match self.git().run(&call)?.is_success() {
            true => Ok(()),
            false => Err(error),
        }
    }

    /// Puts the objects of a snapshot into the repository again. Those that are there do no harm.
    ///
    /// # Errors
    /// If they cannot be read or git fails.
    pub fn restore_commits(&self, kept: &Snapshot) -> Result<(), SnapshotError> {
        Ok(self.unpack(&kept.objects())?)
    }
}

impl Worktree {
    /// Keeps everything the roots and the index lead to.
    pub(super) fn keep_objects(
        &self,
        kept: &Snapshot,
        known: &CommitId,
        roots: &[CommitId],
    ) -> Result<(), GitError> {
        let shadow = Shadow::of_worktree(self, known)?;
        let call = shadow.call("pack-objects").arg("--indexed-objects");
        let revisions = beyond(known, roots);
        self.repository()
            .pack_into(&kept.objects(), call, revisions)
    }
}

/// What is not in the history of the known commit.
fn beyond(known: &CommitId, roots: &[CommitId]) -> String {
    let roots: String = roots.iter().map(|root| format!("{root}\n")).collect();
    format!("{roots}^{known}\n")
}
