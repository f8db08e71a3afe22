//! Which MCP servers there are, and which a session has.

use std::time::Duration;

use orchestra_agents::mcp::{McpReach, McpServer, McpValue, Secret};
use orchestra_config::settings::McpReach as Reach;
use orchestra_config::{McpSettings, Told, child_env};
use orchestra_core::Session;

use super::link::{self, Followers, McpTool, Place};
use crate::runtime::{RuntimeError, secret};
use crate::{Engine, EngineError};

/// Long enough for a program that is fetched before it starts.
const CHECK: Duration = Duration::from_secs(60);

/// An MCP server that the settings describe.
#[derive(Debug, Clone)]
pub struct McpReport {
    /// Its name.
    pub name: String,
    /// What is set; secrets by their places.
    pub settings: McpSettings,
    /// Whether sessions that name none have it.
    pub is_default: bool,
}

/// What a server has.
#[derive(Debug, Clone, PartialEq)]
pub struct McpCheck {
    /// Its tools.
    pub tools: Vec<McpTool>,
    /// What the settings allow, and it does not have.
    pub missing: Vec<String>,
}

impl Engine {
    /// The MCP servers that the settings describe, by name.
    #[must_use]
    pub fn mcp_servers(&self) -> Vec<McpReport> {
        let named = self.config().mcp.iter();
        named
            .map(|(name, settings)| McpReport {
                name: name.clone(),
                settings: settings.clone(),
                is_default: self.config().equipment.mcp.contains(name),
            })
            .collect()
    }

    /// The MCP servers that a session has, by name.
    ///
    /// # Errors
    /// If the settings do not describe one of them.
    pub fn mcp_servers_of(&self, session: &Session) -> Result<Vec<McpReport>, EngineError> {
        let names = self.mcp_names_of(session)?;
        let mut servers = self.mcp_servers();
        servers.retain(|server| names.contains(&server.name));
        Ok(servers)
    }

    /// Connects to a server and asks for its tools.
    ///
    /// # Errors
    /// If there is no such server, a secret is missing, or it does not answer.
    pub fn check_mcp(&self, name: &str, limit: Option<Duration>) -> Result<McpCheck, EngineError> {
        let (server, secrets) = self.mcp_server(name)?;
        let place = Place {
            guardian: self.guardian(),
            environment: child_env::script_environment(&self.environment, self.config()),
            directory: std::env::temp_dir(),
            mark: format!("{}:mcp:{}", self.store.epoch()?, std::process::id()),
            redactor: self.redactor_with(&told(&secrets))?,
            followers: Followers::default(),
        };
        let tools = link::list_tools(&server, &place, limit.unwrap_or(CHECK))?;
        let is_there = |name: &String| tools.iter().any(|tool| tool.name == *name);
        let mut missing = server.tools.unwrap_or_default();
        missing.retain(|name| !is_there(name));
        Ok(McpCheck { tools, missing })
    }

    /// The servers of a session with their secrets, which are also told apart.
    pub(crate) fn mcp_of(
        &self,
        session: &Session,
    ) -> Result<(Vec<McpServer>, Vec<String>), EngineError> {
        let mut servers = Vec::new();
        let mut secrets = Vec::new();
        for name in self.mcp_names_of(session)? {
            let (server, own) = self.mcp_server(&name)?;
            servers.push(server);
            secrets.extend(own);
        }
        Ok((servers, secrets))
    }

    fn mcp_server(&self, name: &str) -> Result<(McpServer, Vec<String>), EngineError> {
        let settings = self.require_mcp(name)?;
        let mut secrets = Vec::new();
        let mut read =
            |values: &[(String, Told)]| -> Result<Vec<(String, McpValue)>, RuntimeError> {
                let values = values.iter().map(|(name, told)| {
                    let value = match told {
                        Told::Plain(text) => McpValue::Plain(text.clone()),
                        Told::Secret { place, before } => {
                            let text = secret::read(place, &self.environment)?;
                            secrets.push(text.clone());
                            McpValue::Secret(Secret(format!("{before}{text}")))
                        }
                    };
                    Ok((name.clone(), value))
                });
                values.collect()
            };
        let reach = match &settings.reached {
            Some(Reach::Program { command, env }) => McpReach::Program {
                command: command.clone(),
                env: read(env)?,
            },
            Some(Reach::Address { url, headers }) => McpReach::Address {
                url: url.clone(),
                headers: read(headers)?,
            },
            None => {
                return Err(RuntimeError::NowhereToReach {
                    name: name.to_owned(),
                }
                .into());
            }
        };
        let server = McpServer {
            name: name.to_owned(),
            reach,
            tools: settings.tools.clone(),
        };
        Ok((server, secrets))
    }

    pub(crate) fn require_mcp(&self, name: &str) -> Result<&McpSettings, RuntimeError> {
        let known = &self.config().mcp;
        known.get(name).ok_or_else(|| RuntimeError::UnknownMcp {
            name: name.to_owned(),
            known: known.keys().cloned().collect(),
        })
    }
}

/// Secrets under names that say so, as a redactor looks for them.
pub(crate) fn told(secrets: &[String]) -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    let secrets = secrets.iter().enumerate();
    secrets
        .map(|(number, secret)| (format!("MCP_SECRET_{number}").into(), secret.into()))
        .collect()
}
