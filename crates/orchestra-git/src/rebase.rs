//! A rebase that stopped at a conflict is a real rebase of git in the worktree, so that `git status`, `git rebase --continue`,
//! `--skip` and `--abort` and editors understand it. We go on by ourselves and never run what git's list of steps says: it is
//! compared with the list that was recorded, and progress that somebody made with git is taken over.

mod abort;
mod error;
mod go_on;
mod marker;
mod progress;
mod record;
mod stop;
mod todo;

use orchestra_core::{BranchName, CommitId};

pub use error::RebaseError;
pub use progress::{RebaseProgress, StoppedRebase};

use crate::rewrite::RebaseStop;

/// A rebase as it was recorded when it began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RebasePlan {
    /// The branch that is rebased.
    pub branch: BranchName,
    /// Where it was.
    pub from: CommitId,
    /// What it is rebased onto.
    pub onto: CommitId,
    /// What conflict markers call that.
    pub onto_label: String,
    /// The commits to make again, oldest first.
    pub commits: Vec<CommitId>,
}

/// What has been done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RebaseStep {
    /// git's record says that a rebase is in progress.
    Recorded,
    /// `HEAD` is where the next commit comes to stand.
    HeadMoved,
    /// The files are those of the next stop or of the end.
    FilesWritten,
    /// The index has the conflicts.
    IndexWritten,
    /// What was resolved is a commit.
    Committed,
    /// The branch is at its new place.
    BranchMoved,
    /// `HEAD` is on the branch again.
    Attached,
}

/// What came of going on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RebaseOutcome {
    /// All of it is done; by us, or by somebody with git.
    Finished {
        /// Where the branch is.
        head: CommitId,
        /// Commits that change nothing any more, as far as we made them: the base has it, or it was resolved to nothing.
        dropped: Vec<CommitId>,
    },
    /// The next conflict.
    Stopped(RebaseStop),
    /// Somebody gave it up with git; the branch is where it was, or went on from there.
    Aborted,
}
