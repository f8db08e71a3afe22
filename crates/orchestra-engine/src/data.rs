//! What is kept of sessions' runs: how much it is, and its removal on request or after its time. Worktrees, branches and
//! records of sessions are no part of it.

mod bundle;
mod error;
mod export;
mod kept;
mod private;
mod removal;
mod retention;

pub use bundle::SessionBundle;
pub use error::DataError;
pub use export::ExportFolder;
pub use kept::{Amount, KeptData, Place};
pub(crate) use private::{make_private, require_own};
pub use removal::{Removed, RemovedRow};
