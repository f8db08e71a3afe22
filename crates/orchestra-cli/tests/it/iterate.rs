//! Iterations: what the agent is told, what is committed and recorded, how a run is stopped, queued, followed and limited.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod commit;
mod elsewhere;
mod follow;
mod human;
mod limits;
mod login;
mod nested;
mod overload;
mod queue;
mod script;
mod stop;
mod thread;
