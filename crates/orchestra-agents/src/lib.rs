//! One adapter per way to talk with coding agents. An adapter is plain data in and out: a request becomes a command, a line
//! becomes events.
//!
//! Adapters start nothing and read nothing; the engine owns the process. So they are tested from recorded lines.

#![warn(missing_docs)]

pub mod mcp;
pub mod prompt;
pub mod toolbox;

mod acp;
mod adapter;
mod agent;
mod amp;
mod claude;
mod codex;
mod command;
mod ending;
mod error;
mod failure;
mod lenient;
mod needs;
mod question;
mod retry;
mod seen;
mod stream_json;
mod thread_id;
mod unread;

pub use adapter::{Decoder, PassedOn};
pub use agent::{
    Abilities, Agent, DEMO, Equipment, Features, Login, Surroundings, Turn, TurnRequest,
};
pub use error::AgentError;
pub use failure::classify;
pub use needs::Needs;
pub use retry::{Zones, retry_at};
