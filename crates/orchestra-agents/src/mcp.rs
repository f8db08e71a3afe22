//! MCP servers: what an agent is told of them, in each agent's own form.

mod forms;
mod server;

pub use server::{McpReach, McpServer, McpValue, Secret};

pub(crate) use forms::{acp_servers, claude_file, codex_arguments, server_map};
