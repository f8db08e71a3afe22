//! Wire types and error codes: what every `--json` prints and what the HTTP API answers. No behaviour.
//!
//! Names are snake_case, timestamps are RFC 3339 text, and a value nobody knows is `null`, never a guess.

#![warn(missing_docs)]

mod doctor;
mod error;
mod history;
mod session;
mod settings;
mod worktree;

pub use doctor::{Check, DoctorReport};
pub use error::{ErrorBody, ErrorReport};
pub use history::{Commit, FileChange, Iteration, ScriptRun, SessionDiff, SessionLog};
pub use session::{
    Answered, Created, Discarded, QueueList, QueueRow, Session, SessionDetail, SessionList,
};
pub use settings::{Setting, SettingsList};
pub use worktree::{Worktree, WorktreeList};
