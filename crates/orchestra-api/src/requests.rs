//! What the HTTP API is asked with: bodies of requests.

mod rebase;
mod session;

pub use rebase::{
    RebaseSession, RebaseStep, RegenerateLockfile, ResolveConflict, ResolveWith, SquashSession,
};
pub use session::{
    AnswerQuestion, CommitChanges, CreateSession, DecidePermission, SetField, StartIteration,
    StopWork,
};
