//! The objects of a snapshot: git removes what no reference leads to one day, and a snapshot has no reference.

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_core::CommitId;

use super::{Snapshot, SnapshotError};
use crate::call::Call;
use crate::disk;
use crate::error::{AtPath, GitError};
use crate::repository::Repository;
use crate::shadow::Shadow;
use crate::worktree::Worktree;

const OBJECTS: &str = "objects.pack";

impl Snapshot {
    fn objects(&self) -> PathBuf {
        self.folder.join(OBJECTS)
    }
}

impl Repository {
    /// Keeps commits alone, for what moves a branch and touches neither index nor files. The history of the known commit stays
    /// without us.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn keep_commits(
        &self,
        folder: &Path,
        commits: &[CommitId],
        known: &CommitId,
    ) -> Result<Snapshot, SnapshotError> {
        Snapshot::make(folder, |unfinished| {
            let call = self.objects()?.call("pack-objects");
            Ok(self.pack_into(unfinished, call, commits, known)?)
        })
    }

    /// Puts the objects of a snapshot into the repository again. Those that are there do no harm.
    ///
    /// # Errors
    /// If they cannot be read or git fails.
    pub fn restore_commits(&self, kept: &Snapshot) -> Result<(), SnapshotError> {
        let pack = kept.objects();
        let call = self.objects()?.call("unpack-objects").arg("-q");
        let call = call.stdin(fs::read(&pack).at(&pack)?);
        self.git().run(&call)?.require_success()?;
        Ok(())
    }

    fn pack_into(
        &self,
        kept: &Snapshot,
        call: Call,
        roots: &[CommitId],
        known: &CommitId,
    ) -> Result<(), GitError> {
        let mut lines: Vec<_> = roots.iter().map(ToString::to_string).collect();
        lines.push(format!("^{known}\n"));
        let call = call
            .args(["--revs", "--quiet", "--stdout"])
            .stdin(lines.join("\n").into_bytes());
        disk::stream_to_file(&kept.objects(), |sink| {
            let answer = self.git().stream(&call, sink)?;
            answer.require_success().map(drop)
        })
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
        self.repository().pack_into(kept, call, roots, known)
    }
}
