//! How agents are run: the environment they find their server in, their mode, and what they may use.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod budget;
mod environment;
mod guard;
mod limits;
mod sandbox;
