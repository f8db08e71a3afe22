//! Why an MCP server cannot be used.

use std::time::Duration;

use orchestra_process::ProcessError;

/// An MCP server cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// Its program cannot be started.
    #[error("the MCP server `{server}` cannot be started")]
    NotStarted {
        /// The server.
        server: String,
        /// Why.
        #[source]
        source: ProcessError,
    },
    /// It does not answer.
    #[error("the MCP server `{server}` does not answer within {} s{}", .limit.as_secs(), complaint(.said))]
    Silent {
        /// The server.
        server: String,
        /// How long it was waited for.
        limit: Duration,
        /// What it complained about.
        said: String,
    },
    /// It does not talk as it should, or refuses.
    #[error("the MCP server `{server}` cannot be talked with: {problem}{}", complaint(.said))]
    Refused {
        /// The server.
        server: String,
        /// What is wrong.
        problem: String,
        /// What it complained about.
        said: String,
    },
    /// Nothing asynchronous can be done.
    #[error("the connection to MCP servers cannot be prepared")]
    NoRuntime(#[source] std::io::Error),
    /// What is to be served cannot be read.
    #[error("what is to be served cannot be read")]
    Unreadable(#[source] std::io::Error),
    /// There is nothing of this name to be served.
    #[error("there is no MCP server `{0}` in this file")]
    NotThere(String),
}

fn complaint(said: &str) -> String {
    match said.is_empty() {
        true => String::new(),
        false => format!("; it says: {said}"),
    }
}

impl McpError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotStarted { .. } => "mcp.not_started",
            Self::Silent { .. } => "mcp.silent",
            Self::Refused { .. } => "mcp.refused",
            Self::NoRuntime(_) => "mcp.no_runtime",
            Self::Unreadable(_) => "mcp.unreadable",
            Self::NotThere(_) => "mcp.not_there",
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NotStarted { server, .. } => {
                format!("change its program with `orchestra config set mcp.{server}.command`")
            }
            Self::Silent { server, .. } | Self::Refused { server, .. } => format!(
                "look at its settings with `orchestra mcp list`, and at mcp.{server}.auth and the headers if it wants to know who asks"
            ),
            Self::NoRuntime(_) => "try again".to_owned(),
            Self::Unreadable(_) | Self::NotThere(_) => {
                "this command is started by agents; use `orchestra mcp check`".to_owned()
            }
        }
    }
}
