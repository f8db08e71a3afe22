//! A conflict becomes a rebase in progress in the worktree.

use orchestra_core::{CommitId, ConflictContent};

use super::marker::Marker;
use super::{RebaseError, RebasePlan, RebaseStep};
use crate::byte_path::{nul_list, to_bytes};
use crate::commit_object::CommitObject;
use crate::error::GitError;
use crate::files::Place;
use crate::head::Head;
use crate::in_progress::InProgress;
use crate::index_lock::IndexLock;
use crate::merge::{ConflictedFile, Stage};
use crate::reference::{Moved, RefMove};
use crate::rewrite::RebaseStop;
use crate::shadow::Shadow;
use crate::worktree::Worktree;

impl Worktree {
    /// Puts a conflict into the worktree, which must be on the branch without uncommitted changes. Files that git does not track
    /// stay. When this is cut off, [`Self::abort_rebase`] puts everything back. `after_step` is called after each step.
    ///
    /// # Errors
    /// If the worktree is busy, dirty or somewhere else, or files are in the way; nothing is changed then. Or if git fails.
    pub fn stop_rebase(
        &self,
        rebase: &RebasePlan,
        stop: &RebaseStop,
        after_step: &dyn Fn(RebaseStep),
    ) -> Result<(), RebaseError> {
        self.require_ready_to_rebase(rebase)?;
        let marker = Marker {
            files: rebase.from.clone(),
            base: rebase.onto.clone(),
            toward: self.commit_of_stop(stop)?,
            rest: rebase.commits.clone(),
        };
        let repository = self.repository();
        let touched = repository.touched(rebase.from.as_str(), marker.toward.as_str())?;
        self.require_untouched(&rebase.from, &touched)?;
        self.write_stop(rebase, stop, &marker, after_step)
            .inspect_err(|_| self.try_to_put_back(rebase))
    }

    /// Says that a stop is whole whose writing was cut off at its very end, see [`super::StoppedRebase::is_whole`]. Without that,
    /// it would not look whole any more once its conflicts are resolved.
    ///
    /// # Errors
    /// If git's folder of the worktree cannot be written.
    pub fn complete_stop(&self) -> Result<(), GitError> {
        Marker::remove(self.admin_dir())
    }

    /// What cannot be put back now is put back by giving the rebase up later.
    fn try_to_put_back(&self, rebase: &RebasePlan) {
        if let Err(error) = self.abort_rebase(rebase) {
            tracing::warn!(%error, branch = %rebase.branch, "a rebase could not be taken back");
        }
    }

    /// Goes from the files of one commit to a stop.
    pub(super) fn write_stop(
        &self,
        rebase: &RebasePlan,
        stop: &RebaseStop,
        marker: &Marker,
        after_step: &dyn Fn(RebaseStep),
    ) -> Result<(), RebaseError> {
        self.record_stop(rebase, stop, marker)?;
        after_step(RebaseStep::Recorded);
        self.detach_at(&stop.new_parent, "rebase: checkout")?;
        after_step(RebaseStep::HeadMoved);
        let shadow = Shadow::of_worktree(self, &marker.files)?.with_copied_index(self)?;
        self.switch_files_through(&shadow, &marker.files, &marker.toward)?;
        self.write_left_out(&shadow, &stop.merge.conflicts)?;
        after_step(RebaseStep::FilesWritten);
        self.put_conflicts(&shadow, &stop.merge.conflicts)?;
        let lock = IndexLock::take(self)?;
        lock.fill(shadow.index())?;
        lock.replace(&self.index_path())?;
        after_step(RebaseStep::IndexWritten);
        Ok(Marker::remove(self.admin_dir())?)
    }

    /// A commit of the files as they are at a stop, which only lends them.
    pub(super) fn commit_of_stop(&self, stop: &RebaseStop) -> Result<CommitId, GitError> {
        let tree = self.repository().tree_without_aside(&stop.merge)?;
        let files = CommitObject::placeholder(tree, Some(&stop.new_parent));
        self.repository().write_commit(&files)
    }

    /// `HEAD` is on this commit and on no branch.
    pub(super) fn detach_at(&self, commit: &CommitId, why: &str) -> Result<(), RebaseError> {
        let head = self.head()?;
        if head == Head::Detached(commit.clone()) {
            return Ok(());
        }
        let change = RefMove {
            full_name: "HEAD",
            from: head.commit(),
            to: commit,
            why,
        };
        let repository = self.repository();
        match repository.move_reference_in(self.admin_dir(), &change)? {
            Moved::Yes => Ok(()),
            Moved::Refused(_) => Err(RebaseError::HeadElsewhere {
                expected: head.commit().map(ToString::to_string).unwrap_or_default(),
            }),
        }
    }

    fn require_ready_to_rebase(&self, rebase: &RebasePlan) -> Result<(), RebaseError> {
        if let Some(operation) = self
            .in_progress()
            .filter(|found| *found != InProgress::Bisect)
        {
            return Err(RebaseError::OperationInProgress(operation));
        }
        let status = self.status()?;
        match &status.head {
            Head::Branch { name, commit } if *name == rebase.branch => {
                if *commit != rebase.from {
                    return Err(rebase.moved(Some(commit.clone())));
                }
            }
            _ => {
                return Err(RebaseError::HeadElsewhere {
                    expected: rebase.branch.to_string(),
                });
            }
        }
        match status.tracked() {
            changes if changes.is_empty() => Ok(()),
            changes => Err(RebaseError::Uncommitted(changes)),
        }
    }

    /// Files with a conflict are written even where a sparse checkout leaves them out: somebody has to look at them.
    fn write_left_out(
        &self,
        shadow: &Shadow,
        conflicts: &[ConflictedFile],
    ) -> Result<(), GitError> {
        let mut missing = Vec::new();
        for file in conflicts {
            let is_link = file.content() == ConflictContent::Submodule;
            if !is_link && Place::new(self.path(), &file.path).is_free()? {
                missing.push(file.path.clone());
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let indexed = self.indexed_paths(shadow)?;
        missing.retain(|path| indexed.contains(path));
        let call = shadow
            .call("checkout-index")
            .args(["--ignore-skip-worktree-bits", "-z", "--stdin"])
            .stdin(nul_list(&missing));
        let answer = self.repository().git().run(&call)?;
        answer.require_success().map(drop)
    }

    fn put_conflicts(&self, shadow: &Shadow, conflicts: &[ConflictedFile]) -> Result<(), GitError> {
        self.put_index_entries(shadow, conflicts.iter().map(|file| (&file.path, None)))?;
        let records = conflicts.iter().flat_map(stage_records).collect();
        let call = shadow.call("update-index").args(["-z", "--index-info"]);
        let answer = self.repository().git().run(&call.stdin(records))?;
        answer.require_success().map(drop)
    }
}

/// `mode object stage TAB path NUL` for each version.
fn stage_records(file: &ConflictedFile) -> Vec<u8> {
    let path = to_bytes(&file.path);
    let versions = [(1, &file.base), (2, &file.ours), (3, &file.theirs)];
    let mut records = Vec::new();
    for (number, version) in versions {
        let Some(Stage { mode, object }) = version else {
            continue;
        };
        records.extend(format!("{} {object} {number}\t", mode.as_octal()).into_bytes());
        records.extend_from_slice(&path);
        records.push(0);
    }
    records
}
