//! Where agents find their servers, programs and tokens, and what they may use.

use std::collections::BTreeMap;
use std::path::PathBuf;

use orchestra_core::{Budget, EnvironmentKind, SecretSource};

use super::Reader;
use crate::error::ConfigError;

/// The agent that an environment is for when it names none.
const USUAL_AGENT: &str = "amp";

/// The environments there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environments {
    /// The one of a session that names none.
    pub default: String,
    /// What is set, by name; production, development and ci are always there.
    pub named: BTreeMap<String, EnvironmentSettings>,
}

/// What is set for one environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentSettings {
    /// What kind of place it is.
    pub kind: EnvironmentKind,
    /// The agent that address, program and token are for.
    pub agent: String,
    /// The address of the agent's server.
    pub url: Option<String>,
    /// The agent's program and arguments.
    pub command: Option<Vec<String>>,
    /// Where the agent's token is.
    pub token: Option<SecretSource>,
    /// Directories in which programs are looked for first.
    pub path: Vec<PathBuf>,
    /// The modes that are allowed; empty: any; `None`: what the kind allows.
    pub modes: Option<Vec<String>>,
}

/// What an agent and everything it starts may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitSettings {
    /// Bytes of memory.
    pub memory: u64,
    /// Percent of the machine's processors.
    pub cpu_percent: u32,
    /// Files that one process has open.
    pub open_files: u32,
    /// Processes at once.
    pub processes: u32,
    /// Bytes of one file.
    pub file_size: u64,
    /// What all iterations of a session together may use.
    pub budget: Option<Budget>,
}

impl Environments {
    pub(super) fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        let chosen = reader.chosen_names("environments");
        let names = EnvironmentKind::WORDS.iter().copied().chain(chosen);
        let mut named = BTreeMap::new();
        for name in names {
            named.insert(name.to_owned(), EnvironmentSettings::read(reader, name)?);
        }
        Ok(Self {
            default: reader.require("environments.default")?,
            named,
        })
    }
}

impl EnvironmentSettings {
    /// Whether a mode may be used here. The agent's usual one always may.
    #[must_use]
    pub fn allows_mode(&self, mode: &str) -> bool {
        let modes = self.allowed_modes();
        mode == orchestra_core::runtime::DEFAULT_MODE
            || modes.is_none_or(|modes| modes.iter().any(|allowed| allowed == mode))
    }

    /// The modes that may be used; `None`: any.
    #[must_use]
    pub fn allowed_modes(&self) -> Option<Vec<String>> {
        match &self.modes {
            Some(modes) if modes.is_empty() => None,
            Some(modes) => Some(modes.clone()),
            None => {
                let modes = self.kind.modes()?;
                Some(modes.iter().map(|mode| (*mode).to_owned()).collect())
            }
        }
    }

    fn read(reader: &Reader<'_>, name: &str) -> Result<Self, ConfigError> {
        let key = |field: &str| format!("environments.{name}.{field}");
        let kind = reader.find(&key("kind"))?;
        let agent: Option<String> = reader.find(&key("agent"))?;
        Ok(Self {
            kind: kind
                .or_else(|| EnvironmentKind::from_word(name))
                .unwrap_or_default(),
            agent: agent.unwrap_or_else(|| USUAL_AGENT.to_owned()),
            url: reader.find(&key("url"))?,
            command: reader.find(&key("command"))?,
            token: reader.find(&key("token"))?,
            path: reader.find(&key("path"))?.unwrap_or_default(),
            modes: reader.find(&key("modes"))?,
        })
    }
}

impl LimitSettings {
    pub(super) fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            memory: reader.require("limits.memory")?,
            cpu_percent: reader.require("limits.cpu_percent")?,
            open_files: reader.require("limits.open_files")?,
            processes: reader.require("limits.processes")?,
            file_size: reader.require("limits.file_size")?,
            budget: reader.find("limits.budget")?,
        })
    }
}
