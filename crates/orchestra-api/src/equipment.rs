//! Toolboxes and MCP servers, on the wire.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::ServerValue;

/// What agents get of toolboxes.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Toolbox {
    /// The directories, the first one winning.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub toolboxes: Vec<PathBuf>,
    /// The tools.
    pub tools: Vec<Tool>,
    /// Files in all, those that tools bring along included.
    pub files: usize,
    /// Files that give way to others.
    pub shadowed: Vec<ShadowedFile>,
    /// What is not taken.
    pub refused: Vec<RefusedFile>,
}

/// One tool of a toolbox.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What it takes, as JSON Schema.
    pub schema: Value,
    /// Its file.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub file: PathBuf,
}

/// A file that gives way to one of an earlier toolbox.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ShadowedFile {
    /// The file.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub path: PathBuf,
    /// The toolbox whose file is taken.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub by: PathBuf,
}

/// A file or directory that is not taken.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RefusedFile {
    /// Which one.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

/// What a tool answered.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ToolAnswer {
    /// What it printed.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// Its exit code; `null` if a signal ended it.
    pub exit_code: Option<i32>,
}

/// The MCP servers that the settings describe.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct McpServerList {
    /// By name.
    pub servers: Vec<McpServer>,
}

/// One MCP server.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct McpServer {
    /// Its name.
    pub name: String,
    /// Whether sessions that name none have it.
    pub is_default: bool,
    /// Program and arguments; `null` if it is at an address.
    pub command: Option<Vec<String>>,
    /// Its address; `null` if it is a program.
    pub url: Option<String>,
    /// Its variables or headers; of secrets the places.
    pub values: Vec<ServerValue>,
    /// The tools that may be used; `null`: all.
    pub tools: Option<Vec<String>>,
}

/// What a server answered.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct McpToolList {
    /// The server.
    pub server: String,
    /// Its tools.
    pub tools: Vec<McpTool>,
    /// What `mcp.<name>.tools` allows, and it does not have.
    pub missing: Vec<String>,
}

/// One tool of a server.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct McpTool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What it takes, as JSON Schema.
    pub schema: Value,
    /// Whether agents may use it.
    pub is_allowed: bool,
}
