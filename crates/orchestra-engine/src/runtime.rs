//! How the agent of a session is run: the environment it finds its server in, its mode, and what it may use. What the
//! session does not say, the settings do.

mod equipment;
mod error;
pub(crate) mod secret;
mod shown;

use std::path::PathBuf;

use orchestra_agents::Agent;
use orchestra_agents::mcp::McpServer;
use orchestra_config::EnvironmentSettings;
use orchestra_config::child_env::{self, Variables};
use orchestra_core::runtime::DEFAULT_MODE;
use orchestra_core::{AgentProtocol, Budget, Isolation, RuntimeField, Session};
use orchestra_process::ResourceLimits;

pub(crate) use equipment::remove_equipment;
pub use error::RuntimeError;
pub use shown::{ShownCommand, ShownSandbox, ShownServer, ShownVariable};

use crate::create::require_mode;
use crate::engine::OpenOptions;
use crate::grant::GrantError;
use crate::mcp::told;
use crate::{Engine, EngineError};

/// What an environment changes for agents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AgentPlace {
    /// The variables that lead an agent to the server, and its token.
    pub(crate) variables: Variables,
    /// Directories that come before those of `PATH`.
    pub(crate) path: Vec<PathBuf>,
    /// The words that an agent is started with instead of its own.
    pub(crate) command: Option<(String, Vec<String>)>,
    /// MCP servers that agents are told of, with their secrets.
    pub(crate) servers: Vec<McpServer>,
}

/// An environment that sessions can name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentReport {
    /// Its name.
    pub name: String,
    /// What is set for it.
    pub settings: EnvironmentSettings,
    /// Whether sessions that name none have it.
    pub is_default: bool,
}

impl Engine {
    /// The environments there are, by name.
    #[must_use]
    pub fn environments(&self) -> Vec<EnvironmentReport> {
        let environments = &self.config().environments;
        let named = environments.named.iter();
        named
            .map(|(name, settings)| EnvironmentReport {
                name: name.clone(),
                settings: settings.clone(),
                is_default: *name == environments.default,
            })
            .collect()
    }

    /// What all iterations of a session together may use.
    #[must_use]
    pub fn budget_of(&self, session: &Session) -> Option<Budget> {
        session.runtime.budget.or(self.config().limits.budget)
    }

    /// What is done about an agent of a session that leaves its worktree.
    #[must_use]
    pub fn isolation_of(&self, session: &Session) -> Isolation {
        let usual = self.config().security.isolation;
        session.runtime.isolation.unwrap_or(usual)
    }

    /// What an agent and everything it starts may use.
    pub(crate) fn resource_limits(&self) -> ResourceLimits {
        let limits = &self.config().limits;
        ResourceLimits {
            core_dumps: false,
            open_files: Some(limits.open_files.into()),
            file_size: Some(limits.file_size),
            processes: Some(limits.processes.into()),
            memory: Some(limits.memory),
            cpu_percent: Some(limits.cpu_percent),
        }
    }

    /// Refuses a wish that cannot come true.
    pub(crate) fn require_wish(
        &self,
        session: &Session,
        field: &RuntimeField,
    ) -> Result<(), EngineError> {
        let wishes = session.runtime.clone().with(field.clone());
        let wished = Session {
            runtime: wishes,
            ..session.clone()
        };
        self.require_runtime(&wished)
    }

    /// Refuses an environment that is not there, a mode that is not allowed in it or unknown to the agent, a budget that cannot
    /// be held, and a sandbox that this machine does not have.
    pub(crate) fn require_runtime(&self, session: &Session) -> Result<(), EngineError> {
        require_mode(session.runtime.mode.as_deref())?;
        self.require_sandbox(session)?;
        let (name, environment) = self.environment_named(session.runtime.environment.as_deref())?;
        let agent = self.agent_named(&session.agent)?;
        self.require_equipment(session, &agent)?;
        self.require_countable(session, &agent)?;
        // Some agents' models are chosen by modes.
        let by_model = || {
            let model = self.model_of(session);
            model.filter(|_| agent.takes_model_as_mode())
        };
        let Some(mode) = wished_mode(session).map(str::to_owned).or_else(by_model) else {
            return Ok(());
        };
        if !environment.allows_mode(&mode) {
            return Err(RuntimeError::ModeNotAllowed {
                mode,
                environment: name.to_owned(),
                allowed: environment.allowed_modes().unwrap_or_default(),
            }
            .into());
        }
        self.require_mode_of_caller(session, &agent, environment, &mode)?;
        match agent.has_modes() {
            true => Ok(()),
            false => Err(RuntimeError::NoModes {
                agent: session.agent.clone(),
            }
            .into()),
        }
    }

    /// Refuses a budget for an agent of which nobody ever knows what it uses.
    fn require_countable(&self, session: &Session, agent: &Agent) -> Result<(), EngineError> {
        let has_budget = self.budget_of(session).is_some();
        match has_budget && agent.protocol() == AgentProtocol::Command {
            true => Err(RuntimeError::NoBudget {
                agent: session.agent.clone(),
            }
            .into()),
            false => Ok(()),
        }
    }

    /// What an agent asks the user before it does it is for the user to say, so whoever else makes a session chooses a mode
    /// that may decide it only among those that the user has named.
    fn require_mode_of_caller(
        &self,
        session: &Session,
        agent: &Agent,
        environment: &EnvironmentSettings,
        mode: &str,
    ) -> Result<(), EngineError> {
        let is_callers = self.caller().is_some() && self.caller() == session.made_by.as_ref();
        let is_named = environment.allowed_modes().is_some();
        match is_callers && agent.may_ask_by_mode() && !is_named {
            true => Err(GrantError::Mode(mode.to_owned()).into()),
            false => Ok(()),
        }
    }

    /// The engine as it is in the environment of a session; `None` if that changes nothing.
    pub(crate) fn placed_for(&self, session: &Session) -> Result<Option<Self>, EngineError> {
        let (servers, secrets) = self.mcp_of(session)?;
        let environment = session.runtime.environment.as_deref();
        let place = AgentPlace {
            servers,
            ..self.place_in(environment, &session.agent)?
        };
        self.placed_at(place, &secrets)
    }

    /// What an environment changes for an agent.
    fn place_in(&self, environment: Option<&str>, agent: &str) -> Result<AgentPlace, EngineError> {
        let (name, settings) = self.environment_named(environment)?;
        let agent = self.agent_named(agent)?;
        let command = settings.command.clone();
        let command = command.filter(|_| settings.agent == agent.name());
        Ok(AgentPlace {
            variables: self.place_variables(name, settings, &agent)?,
            path: settings.path.clone(),
            command: command.map(|words| (agent.name().to_owned(), words)),
            servers: Vec::new(),
        })
    }

    /// The engine as it is in an environment for an agent that is told of no servers; `None` if that changes nothing.
    pub(crate) fn placed_in(
        &self,
        environment: Option<&str>,
        agent: &str,
    ) -> Result<Option<Self>, EngineError> {
        self.placed_at(self.place_in(environment, agent)?, &[])
    }

    fn placed_at(
        &self,
        place: AgentPlace,
        secrets: &[String],
    ) -> Result<Option<Self>, EngineError> {
        if place == AgentPlace::default() {
            return Ok(None);
        }
        let variables = place.variables.clone();
        let own = self.environment.iter();
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut placed = Self::open(OpenOptions {
            environment: own.chain(variables).collect(),
            repository: self.repository.clone(),
            flags: self.flags.clone(),
            program: self.program.clone(),
            clock: self.clock,
        })?;
        placed.place = place;
        placed.sandbox = self.sandbox.clone();
        placed.redactor = placed.redactor_with(&told(secrets))?;
        Ok(Some(placed))
    }

    /// The variables that lead an agent to the server of an environment, and its token.
    fn place_variables(
        &self,
        name: &str,
        settings: &EnvironmentSettings,
        agent: &Agent,
    ) -> Result<Variables, EngineError> {
        let is_meant = settings.agent == agent.name();
        let wants_any = settings.url.is_some() || settings.token.is_some();
        if !is_meant || !wants_any {
            return Ok(Variables::new());
        }
        let names = child_env::server_variables(agent.protocol());
        let names = names.ok_or_else(|| RuntimeError::NoServer {
            environment: name.to_owned(),
            agent: agent.name().to_owned(),
        })?;
        let url = settings.url.as_ref();
        let url = url.map(|url| (names.url.into(), url.into()));
        let token = settings.token.as_ref();
        let token = token.map(|source| secret::read(source, &self.environment));
        let token = token.transpose()?;
        let token = token.map(|token| (names.token.into(), token.into()));
        Ok(url.into_iter().chain(token).collect())
    }

    pub(crate) fn environment_named(
        &self,
        name: Option<&str>,
    ) -> Result<(&str, &EnvironmentSettings), EngineError> {
        let environments = &self.config().environments;
        let name = name.unwrap_or(&environments.default);
        let found = environments.named.get_key_value(name);
        let (name, settings) = found.ok_or_else(|| RuntimeError::UnknownEnvironment {
            name: name.to_owned(),
            known: environments.named.keys().cloned().collect(),
        })?;
        Ok((name, settings))
    }
}

/// The mode that an agent has to be told.
pub(crate) fn wished_mode(session: &Session) -> Option<&str> {
    let mode = session.runtime.mode.as_deref();
    mode.filter(|mode| *mode != DEFAULT_MODE)
}
