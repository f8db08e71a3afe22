//! An MCP server with everything that reaching it takes.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpServer {
    /// Its name.
    pub name: String,
    /// How it is reached.
    pub reach: McpReach,
    /// The tools that may be used; `None`: all.
    pub tools: Option<Vec<String>>,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum McpReach {
    /// A program that talks on its standard streams.
    Program {
        /// With its arguments.
        command: Vec<String>,
        /// Variables that it gets.
        env: Vec<(String, McpValue)>,
    },
    /// An address.
    Address {
        /// The address.
        url: String,
        /// Headers of requests.
        headers: Vec<(String, McpValue)>,
    },
}

/// A value of a variable or a header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum McpValue {
    /// One that everybody may see.
    Plain(String),
    /// One that nobody may.
    Secret(Secret),
}

/// A text that is not shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("***")
    }
}

impl McpServer {
    /// A program without further settings.
    #[must_use]
    pub fn program(name: &str, command: Vec<String>) -> Self {
        let env = Vec::new();
        Self {
            name: name.to_owned(),
            reach: McpReach::Program { command, env },
            tools: None,
        }
    }

    /// Whether reaching it takes a secret.
    #[must_use]
    pub fn has_secrets(&self) -> bool {
        let is_secret = |(_, value): &(String, McpValue)| matches!(value, McpValue::Secret(_));
        self.values().iter().any(is_secret)
    }

    /// Its variables or headers.
    #[must_use]
    pub fn values(&self) -> &[(String, McpValue)] {
        match &self.reach {
            McpReach::Program { env, .. } => env,
            McpReach::Address { headers, .. } => headers,
        }
    }

    /// Whether a tool may be used.
    #[must_use]
    pub fn allows(&self, tool: &str) -> bool {
        let tools = self.tools.as_ref();
        tools.is_none_or(|tools| tools.iter().any(|allowed| allowed == tool))
    }
}

impl McpValue {
    /// The value itself.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Plain(text) | Self::Secret(Secret(text)) => text,
        }
    }
}
