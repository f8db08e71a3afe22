//! Where a rebase stands, whoever went on with it.

use std::fs;

use orchestra_core::CommitId;

use super::marker::Marker;
use super::record::{self, directory};
use super::{RebaseError, RebasePlan, todo};
use crate::error::AtPath;
use crate::in_progress::InProgress;
use crate::worktree::Worktree;

/// Where a rebase stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RebaseProgress {
    /// It waits for somebody.
    Stopped(StoppedRebase),
    /// The branch is on top of what it was rebased onto.
    Finished(CommitId),
    /// The branch is where it was, or went on from there.
    Aborted,
}

/// A rebase that waits for somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoppedRebase {
    /// The commit it stopped at.
    pub at: Option<CommitId>,
    /// The commits after it.
    pub rest: Vec<CommitId>,
    /// False: we were cut off while we went here. Going on begins the step again, giving up puts everything back.
    pub is_whole: bool,
}

impl Worktree {
    /// Compares git's record with ours.
    ///
    /// # Errors
    /// If it is another rebase, or has steps that nobody recorded.
    pub fn rebase_progress(&self, rebase: &RebasePlan) -> Result<RebaseProgress, RebaseError> {
        if !directory(self.admin_dir()).exists() {
            return self.progress_without_record(rebase);
        }
        let read = |name| record::read(self.admin_dir(), name);
        let is_ours = read("head-name") == Some(rebase.branch.full_ref())
            && read("orig-head").as_deref() == Some(rebase.from.as_str());
        if !is_ours {
            return Err(RebaseError::AnotherRebase);
        }
        // An empty list means that nothing is left to do; a missing one says nothing.
        let list = directory(self.admin_dir()).join("git-rebase-todo");
        let rest = fs::read(&list).at(&list)?;
        let rest = String::from_utf8_lossy(&rest);
        let at = read("stopped-sha").unwrap_or_default();
        let at = rebase.commits.iter().find(|commit| commit.as_str() == at);
        let is_whole = match Marker::read(self.admin_dir())? {
            Some(_) => !self.conflicts()?.is_empty(),
            None => true,
        };
        Ok(RebaseProgress::Stopped(StoppedRebase {
            at: at.cloned(),
            rest: todo::picked(&rest, &rebase.commits)?,
            is_whole,
        }))
    }

    fn progress_without_record(&self, rebase: &RebasePlan) -> Result<RebaseProgress, RebaseError> {
        if matches!(
            self.in_progress(),
            Some(InProgress::Rebase | InProgress::Am)
        ) {
            return Err(RebaseError::AnotherRebase);
        }
        let Some(commit) = self.repository().find_branch(&rebase.branch)? else {
            return Err(rebase.moved(None));
        };
        let is_on_top = self.repository().is_ancestor(&rebase.onto, &commit)?;
        Ok(match commit != rebase.from && is_on_top {
            true => RebaseProgress::Finished(commit),
            false => RebaseProgress::Aborted,
        })
    }
}

impl RebasePlan {
    pub(super) fn moved(&self, current: Option<CommitId>) -> RebaseError {
        RebaseError::BranchMoved {
            branch: self.branch.clone(),
            expected: self.from.clone(),
            current,
        }
    }
}
