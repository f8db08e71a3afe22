//! MCP servers: which ones a session has, talking with them, and serving tools to agents that know no toolboxes.
//!
//! Everything asynchronous of the product is in [`link`] and below: the library for the protocol wants it.

mod error;
mod link;
mod serve;
mod servers;

pub use error::McpError;
pub use link::McpTool;
pub use serve::{serve_gate, serve_toolbox};
pub use servers::{McpCheck, McpReport};

pub(crate) use serve::{GATE, TOOLBOX, write_gates, write_private};
pub(crate) use servers::told;
