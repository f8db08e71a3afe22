//! Puts the files of a commit into a registered worktree. git does it, or, where nothing has to be converted on the way,
//! `direct` does it in process and on all cores.

#[cfg(target_os = "linux")]
mod direct;

use orchestra_core::CommitId;

use super::Worktree;
use crate::error::GitError;
use crate::shadow::Shadow;

/// As many writers as there are cores, where there are enough files to share.
const PARALLEL: &[(&str, &str)] = &[
    ("checkout.workers", "0"),
    ("checkout.thresholdForParallelism", "1000"),
];

/// What may be in the worktree already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// Nothing: a file that is in the way makes it fail.
    Fresh,
    /// Part of the files, from an attempt that was cut off before anybody worked there: they are written again.
    Again,
}

impl Worktree {
    /// Writes the files of `commit`. Many worktrees can be filled at once.
    ///
    /// # Errors
    /// If a file is in the way, an object is missing or git fails.
    pub fn fill(&self, commit: &CommitId, mode: Fill) -> Result<(), GitError> {
        if mode == Fill::Fresh && self.is_filled_directly(commit) {
            return Ok(());
        }
        self.fill_by_git(commit, mode)
    }

    /// Whatever keeps it from being done in process is left to git, which either can do it or says what is wrong.
    #[cfg(target_os = "linux")]
    fn is_filled_directly(&self, commit: &CommitId) -> bool {
        let span = tracing::debug_span!("fill", worktree = %self.path().display());
        let _entered = span.enter();
        match direct::fill(self, commit) {
            Ok(()) => true,
            Err(declined) => {
                tracing::debug!(reason = %declined, "left to git");
                false
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn is_filled_directly(&self, _commit: &CommitId) -> bool {
        false
    }

    fn fill_by_git(&self, commit: &CommitId, mode: Fill) -> Result<(), GitError> {
        let shadow = Shadow::of_worktree(self, commit)?;
        let how = match mode {
            Fill::Fresh => "-m",
            Fill::Again => "--reset",
        };
        let parallel = PARALLEL
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let call = shadow.call("read-tree").config(parallel);
        let call = call.args([how, "-u", commit.as_str()]);
        self.repository().git().run(&call)?.require_success()?;
        Ok(())
    }

    /// Whether all files were written once: git writes the index when it is done with them.
    #[must_use]
    pub fn is_filled(&self) -> bool {
        self.index_path().exists()
    }
}
