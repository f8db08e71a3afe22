//! What agents work with besides their own tools: toolboxes and MCP servers.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use orchestra_core::SecretSource;

use super::Reader;
use crate::error::ConfigError;
use crate::names;

/// What sessions have that name nothing, and what holds for all toolboxes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EquipmentSettings {
    /// Toolboxes, by name.
    pub toolboxes: Vec<String>,
    /// MCP servers, by name.
    pub mcp: Vec<String>,
    /// Longest time for one use of a tool.
    pub tool_timeout: Duration,
    /// Longest time for a tool to tell what it is.
    pub describe_timeout: Duration,
    /// Endings that files of a toolbox may have.
    pub tool_extensions: Vec<String>,
    /// Where no toolbox may lie.
    pub forbidden_paths: Vec<PathBuf>,
}

/// One MCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpSettings {
    /// How it is reached; `None`: nobody says.
    pub reached: Option<McpReach>,
    /// The tools that may be used; `None`: all.
    pub tools: Option<Vec<String>>,
}

/// How an MCP server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpReach {
    /// A program on this machine.
    Program {
        /// With its arguments.
        command: Vec<String>,
        /// Variables that it gets.
        env: Vec<(String, Told)>,
    },
    /// A server at an address.
    Address {
        /// The address.
        url: String,
        /// Headers of requests.
        headers: Vec<(String, Told)>,
    },
}

/// A value, or the place of one that is a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// The value.
    Plain(String),
    /// Where it is.
    Secret {
        /// The place.
        place: SecretSource,
        /// What stands before the secret, such as `Bearer `.
        before: &'static str,
    },
}

impl EquipmentSettings {
    pub(super) fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            toolboxes: reader.require("runtime.toolboxes")?,
            mcp: reader.require("runtime.mcp")?,
            tool_timeout: reader.require("runtime.tool_timeout")?,
            describe_timeout: reader.require("runtime.describe_timeout")?,
            tool_extensions: reader.require("runtime.tool_extensions")?,
            forbidden_paths: reader.require("runtime.forbidden_paths")?,
        })
    }
}

impl McpSettings {
    pub(super) fn read_all(reader: &Reader<'_>) -> Result<BTreeMap<String, Self>, ConfigError> {
        let names = reader.chosen_names("mcp").into_iter();
        let read = names.map(|name| Ok((name.to_owned(), Self::read(reader, name)?)));
        read.collect()
    }

    fn read(reader: &Reader<'_>, name: &str) -> Result<Self, ConfigError> {
        let command: Option<Vec<String>> = reader.find(&format!("mcp.{name}.command"))?;
        let url: Option<String> = reader.find(&format!("mcp.{name}.url"))?;
        let pairs = |plain: &str, secret: &str, read: Split| {
            let mut pairs = told(reader, &format!("mcp.{name}.{plain}"), read, plainly)?;
            pairs.extend(told(
                reader,
                &format!("mcp.{name}.{secret}"),
                read,
                secretly,
            )?);
            Ok::<_, ConfigError>(pairs)
        };
        let reached = match (command, url) {
            (Some(command), _) => Some(McpReach::Program {
                command,
                env: pairs("env", "secret_env", names::assignment)?,
            }),
            (None, Some(url)) => {
                let mut headers = pairs("headers", "secret_headers", names::header)?;
                let auth: Option<SecretSource> = reader.find(&format!("mcp.{name}.auth"))?;
                headers.extend(auth.map(bearer));
                Some(McpReach::Address { url, headers })
            }
            (None, None) => None,
        };
        Ok(Self {
            reached,
            tools: reader.find(&format!("mcp.{name}.tools"))?,
        })
    }
}

fn bearer(place: SecretSource) -> (String, Told) {
    let before = "Bearer ";
    ("Authorization".to_owned(), Told::Secret { place, before })
}

type Split = fn(&str) -> Option<(&str, &str)>;

fn told(
    reader: &Reader<'_>,
    key: &str,
    split: Split,
    tell: fn(&str) -> Option<Told>,
) -> Result<Vec<(String, Told)>, ConfigError> {
    let entries: Option<Vec<String>> = reader.find(key)?;
    let entries = entries.unwrap_or_default();
    let pairs = entries.iter().map(|entry| {
        let (name, value) = split(entry)?;
        Some((name.to_owned(), tell(value)?))
    });
    let pairs: Option<Vec<_>> = pairs.collect();
    pairs.ok_or_else(|| ConfigError::Inconsistent { key: key.into() })
}

fn plainly(value: &str) -> Option<Told> {
    Some(Told::Plain(value.to_owned()))
}

fn secretly(place: &str) -> Option<Told> {
    let (place, before) = (place.parse().ok()?, "");
    Some(Told::Secret { place, before })
}
