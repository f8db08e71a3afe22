//! Orchestra as an MCP server: what an agent can do with sessions, what it cannot, and what is recorded of it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client;
mod grant;
mod killed;
mod life;
mod record;
mod rubbish;
