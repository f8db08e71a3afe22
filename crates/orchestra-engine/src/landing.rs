//! What is done to a session on its way back to its base, and after it. One file per command.

mod approve;
mod base;
mod check;
mod cleanup;
mod conflicts;
mod disk;
mod error;
mod export;
mod gc;
mod land;
mod matrix;
mod merge;
mod new_base;
mod own_commits;
mod pull_request;
mod push;
mod rebase;
mod resolve;
mod sides;
mod squash;
pub(crate) mod still_landed;
mod trash;

pub use check::CheckReport;
pub use cleanup::{
    BranchChoice, BranchEnd, Cleaned, Cleanup, CleanupError, CleanupPlan, DatabaseChoice, Obstacle,
    Teardown,
};
pub use conflicts::Conflicts;
pub use disk::{DiskError, DiskSum, size_in_words};
pub use error::HistoryError;
pub use export::Exported;
pub use gc::{Gc, GcReport, Regenerable, RegenerableListing, start_gc_if_due};
pub use land::{LandRequest, LandRow, LandState};
pub use matrix::{Matrix, MatrixCell};
pub use merge::{
    Afterwards, InConflict, LandStep, MergeDone, MergeError, MergeMode, MergeOrder, MergeRequest,
    Merged, OnStep,
};
pub use pull_request::PullRequestText;
pub use push::{PushDone, PushSession, PushState, RemoteCommits};
pub use rebase::{RebaseAction, RebaseDone};
pub(crate) use resolve::Edits;
pub use resolve::{ResolveDone, ResolveHow};
pub use sides::ConflictSides;
pub use squash::{SquashDone, SquashOrder};
pub use trash::{Emptied, Passage, RestoredSession, TrashRow};
pub(crate) use trash::{later, require_not_in_trash};
