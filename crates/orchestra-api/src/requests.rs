//! What the HTTP API is asked with: bodies of requests.

mod session;

pub use session::{
    AnswerQuestion, CommitChanges, CreateSession, DecidePermission, SetField, StartIteration,
    StopWork,
};
