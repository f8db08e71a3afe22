//! What a session's worktree gets beside the files of its commit, and what a session has for itself.

use std::collections::BTreeMap;
use std::time::Duration;

use orchestra_core::{DatabaseKind, FileGlob, PortRange};

use super::Reader;
use crate::error::ConfigError;

/// How long a server may take until it is ready.
const READY_WITHIN: Duration = Duration::from_secs(60);

/// What a worktree gets beside the files of its commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeSettings {
    /// Ignored files to copy.
    pub copy: Vec<FileGlob>,
    /// Ignored directories to copy where that takes no space.
    pub reuse: Vec<FileGlob>,
    /// Values of variables in copied env files, with placeholders.
    pub rewrite: BTreeMap<String, String>,
    /// Values of variables for everything that runs in a session, with placeholders.
    pub variables: BTreeMap<String, String>,
    /// Under which name servers are reached, with placeholders.
    pub hostname: String,
    /// The ports that are leased.
    pub port_range: PortRange,
}

/// A database of each session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseSettings {
    /// What it is; a file if nobody says.
    pub kind: DatabaseKind,
    /// Its file or name, with placeholders.
    pub location: Option<String>,
    /// Its address, with placeholders.
    pub url: Option<String>,
    /// The command that makes it.
    pub create: Option<String>,
    /// The command that removes it.
    pub drop: Option<String>,
}

/// What makes a script a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSettings {
    /// The name of its ports.
    pub port: Option<String>,
    /// The line that says that it is ready.
    pub ready: Option<String>,
    /// How long that may take.
    pub ready_within: Duration,
    /// Its address, with placeholders.
    pub url: Option<String>,
}

impl WorktreeSettings {
    pub(super) fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            copy: reader.require("worktree.copy")?,
            reuse: reader.require("worktree.reuse")?,
            rewrite: reader.chosen("worktree.rewrite")?,
            variables: reader.chosen("worktree.variables")?,
            hostname: reader.require("worktree.hostname")?,
            port_range: reader.require("worktree.port_range")?,
        })
    }
}

impl DatabaseSettings {
    pub(super) fn read_all(reader: &Reader<'_>) -> Result<BTreeMap<String, Self>, ConfigError> {
        let names = reader.chosen_names("databases").into_iter();
        names
            .map(|name| {
                let key = |field: &str| format!("databases.{name}.{field}");
                let database = Self {
                    kind: reader.find(&key("kind"))?.unwrap_or(DatabaseKind::Sqlite),
                    location: reader.find(&key("location"))?,
                    url: reader.find(&key("url"))?,
                    create: reader.find(&key("create"))?,
                    drop: reader.find(&key("drop"))?,
                };
                Ok((name.to_owned(), database))
            })
            .collect()
    }
}

impl ServerSettings {
    pub(super) fn read_all(reader: &Reader<'_>) -> Result<BTreeMap<String, Self>, ConfigError> {
        let names = reader.chosen_names("servers").into_iter();
        names
            .map(|name| {
                let key = |field: &str| format!("servers.{name}.{field}");
                let server = Self {
                    port: reader.find(&key("port"))?,
                    ready: reader.find(&key("ready"))?,
                    ready_within: reader.find(&key("ready_within"))?.unwrap_or(READY_WITHIN),
                    url: reader.find(&key("url"))?,
                };
                Ok((name.to_owned(), server))
            })
            .collect()
    }
}
