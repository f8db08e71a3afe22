//! What is done to a session on its way back to its base, and after it.

mod cleanup;
mod disk;
mod gc;
mod push;
mod trash;

pub use cleanup::{BranchEnd, Cleaned, Cleanup, CleanupError, CleanupPlan, Obstacle};
pub use disk::{DiskError, DiskSum, in_words};
pub use gc::{Gc, GcReport, start_gc_if_due};
pub use push::{PushDone, PushSession, PushState};
pub(crate) use trash::require_not_in_trash;
pub use trash::{Emptied, RestoredSession, TrashRow};
