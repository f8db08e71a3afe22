//! The trash: worktrees that were taken away and can be brought back.
//!
//! An entry is a folder in `<git directory>/orchestra/trash`: what a person should know about it (`entry.json`), git's own folder
//! for the worktree (`admin`), the worktree (`worktree`), and a pack of the objects that nothing else may lead to. Things are
//! renamed and not copied, so every byte of them stays, and git does not look there. A worktree on another file system goes
//! into `.orchestra-trash` beside where it was.
//!
//! Whatever is cut off is seen from where the two folders are, and the same call again goes on from there. git's folder
//! leaves first and comes back last: `git worktree prune` removes it when the worktree is gone.

mod branch;
mod delete;
mod entry;
mod error;
mod objects;
mod put;
mod rehome;
mod restore;
mod room;

use std::path::{Path, PathBuf};

use orchestra_core::{
    BranchName, CommitId, SessionId, SessionName, Timestamp, TrashName, TrashedBranch,
};

pub use entry::{TrashEntry, TrashListing, TrashRecord, TrashState};
pub use error::TrashError;
pub use rehome::is_in_trash_of;

/// What is taken away, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrashRequest {
    /// What the entry is called. The same name again goes on with what was cut off.
    pub name: TrashName,
    /// Whose worktree it is.
    pub session: SessionId,
    /// What people call the session.
    pub session_name: SessionName,
    /// The session's branch.
    pub branch: BranchName,
    /// Where that was last, as far as it is known: somebody may have deleted it.
    pub last_head: Option<CommitId>,
    /// What happens to the branch.
    pub branch_fate: BranchFate,
    /// When it was taken away.
    pub at: Timestamp,
    /// Why, for people.
    pub why: String,
}

/// What happens to a branch whose worktree is taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchFate {
    /// It keeps its commits.
    Stays,
    /// It may be deleted, so the entry keeps its commits.
    MayGo,
}

/// A step that is done, for those who want to know how far things came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrashStep {
    /// It is written down what goes, or comes back.
    Recorded,
    /// Objects that only the worktree knows are safe in the entry, or back among git's.
    ObjectsKept,
    /// git's folder is in its new place.
    AdminMoved,
    /// The worktree is in its new place.
    DirectoryMoved,
}

/// What comes back.
#[derive(Debug, Clone, Copy)]
pub struct RestoreRequest<'a> {
    /// What the entry is called.
    pub name: &'a TrashName,
    /// Where the worktree goes; `None` for where it was.
    pub home: Option<&'a Path>,
    /// A branch that was deleted together with the worktree.
    pub deleted: Option<&'a TrashedBranch>,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// Where the worktree is again.
    pub path: PathBuf,
    /// What became of the branch it has checked out.
    pub branch: RestoredBranch,
    /// What became of the branch that was deleted with it, if that is another one.
    pub deleted: Option<RestoredBranch>,
}

/// The branch of a worktree that came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestoredBranch {
    /// It has none checked out, or its branch has no commit.
    None,
    /// It is where it was.
    AsItWas(BranchName),
    /// It was gone and is there again.
    MadeAgain(BranchName),
    /// Somebody deleted it, and git has removed its commits since. All files are as they were.
    Lost {
        /// The branch.
        name: BranchName,
        /// Where it was.
        at: CommitId,
    },
    /// It is somewhere else now, so files that nobody touched look changed.
    Moved {
        /// The branch.
        name: BranchName,
        /// Where it is.
        now: CommitId,
    },
}
