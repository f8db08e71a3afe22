//! What is done to a session on its way back to its base, and after it. One file per command.

mod approve;
mod check;
mod cleanup;
mod command;
mod disk;
mod gc;
mod land;
mod matrix;
mod merge;
mod pull_request;
mod push;
mod trash;

pub use check::CheckReport;
pub use cleanup::{BranchEnd, Cleaned, Cleanup, CleanupError, CleanupPlan, Obstacle};
pub use command::{CommandMoment, RepositoryCommand};
pub use disk::{DiskError, DiskSum, in_words};
pub use gc::{Gc, GcReport, start_gc_if_due};
pub use land::{LandRequest, LandRow, LandState, LandStep};
pub use matrix::{Matrix, MatrixCell};
pub use merge::{MergeError, MergeMode, MergeRequest, Merged, MergedAs};
pub use pull_request::PullRequestText;
pub use push::{PushDone, PushSession, PushState};
pub(crate) use trash::require_not_in_trash;
pub use trash::{Emptied, RestoredSession, TrashRow};
