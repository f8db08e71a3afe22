//! One adapter per coding agent. An adapter is plain data in and out: a request becomes a command, a line becomes events.
//!
//! Adapters start nothing and read nothing; the engine owns the process. So they are tested from recorded lines.

#![warn(missing_docs)]

pub mod amp;
pub mod prompt;

mod agent;
mod failure;

pub use agent::{Agent, AgentError, Decoder, Features, Login, TurnRequest};
pub use failure::classify;
