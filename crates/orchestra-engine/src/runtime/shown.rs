//! Exactly what the agent of a session would be started with, and where each part comes from. Secrets are not shown.

mod variables;

use std::ffi::OsStr;
use std::path::PathBuf;

use orchestra_agents::mcp::{McpReach, McpServer, McpValue};
use orchestra_agents::{Equipment, TurnRequest};
use orchestra_core::redact::REPLACEMENT;
use orchestra_core::{
    Isolation, IterationNumber, PermissionPolicy, SandboxRecord, Session, SessionId,
};

use self::variables::Added;
use super::wished_mode;
use crate::agent::ReadyAgent;
use crate::agent_probe::AT_A_LOOK;
use crate::toolbox::TOOLS;
use crate::{Engine, EngineError};

/// Stands for what the user wrote.
const PROMPT: &str = "(the prompt)";

/// How the agent of a session would be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownCommand {
    /// The environment's name.
    pub environment: String,
    /// Program and arguments.
    pub command: Vec<String>,
    /// The directory it works in.
    pub directory: PathBuf,
    /// What is done about an agent that leaves it.
    pub isolation: Isolation,
    /// Every variable it gets, by name.
    pub variables: Vec<ShownVariable>,
    /// The directories of its toolboxes.
    pub toolboxes: Vec<PathBuf>,
    /// The MCP servers it is told of.
    pub servers: Vec<ShownServer>,
    /// The sandbox it works in.
    pub sandbox: Option<ShownSandbox>,
}

/// The sandbox that an agent works in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownSandbox {
    /// What holds it.
    pub layers: Vec<String>,
    /// The hosts it can reach; `off` alone for none, `open` alone for all.
    pub network: Vec<String>,
    /// What it may write.
    pub writable: Vec<PathBuf>,
    /// What the last iteration in it found when it was tried.
    pub last: Option<SandboxRecord>,
}

/// One MCP server that an agent is told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownServer {
    /// Its name.
    pub name: String,
    /// Program and arguments; of one at an address, the address alone.
    pub reach: Vec<String>,
    /// Its variables or headers; `***` for a secret.
    pub values: Vec<(String, String)>,
    /// The tools that may be used; `None`: all.
    pub tools: Option<Vec<String>>,
}

/// One variable of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownVariable {
    /// Its name.
    pub name: String,
    /// Its value; `***` for a secret.
    pub value: String,
    /// Where it comes from.
    pub source: String,
}

impl Engine {
    /// How the agent of a session would be started now, from here.
    ///
    /// # Errors
    /// If the agent or what it needs is missing.
    pub fn show_command(&self, id: &SessionId) -> Result<ShownCommand, EngineError> {
        let view = self.session(id)?;
        let session = view.session;
        let last = view.iteration.as_ref().map_or(0, |it| it.number.0);
        let number = IterationNumber(last + 1);
        let record = view.iteration.and_then(|it| it.isolation?.sandbox);
        self.require_runtime(&session)?;
        let placed = self.placed_for(&session)?;
        let engine = placed.as_ref().unwrap_or(self);
        let mut ready = ReadyAgent::find(engine, &session.agent)?;
        let own = engine.own_variables(&session)?;
        ready.environment.extend(own.clone());
        let files = engine.output_files(id, number)?;
        let model = engine.model_of(&session);
        let features = ready.features(engine, AT_A_LOOK);
        let permissions = engine.permissions_of(&session);
        let settings = ready.agent.asking_settings(&files.hook);
        let settings = settings.filter(|_| permissions != PermissionPolicy::Allow);
        let toolboxes = match ready.agent.takes_servers() {
            true => engine.toolboxes_of(&session)?,
            false => Vec::new(),
        };
        let tools = engine.toolbox_folder(id).join(TOOLS);
        let tools = Some(tools).filter(|_| !toolboxes.is_empty());
        let prepared = engine.equipment_for(&ready.agent, &features, &files, tools);
        let turn = ready.agent.turn(&TurnRequest {
            program: &ready.program,
            features: &features,
            worktree: &session.worktree,
            prompt: PROMPT,
            thread: session.thread.as_deref(),
            model: model.as_deref(),
            mode: wished_mode(&session),
            environment: &ready.environment,
            log_file: &files.agent_log,
            permissions,
            settings_file: settings.is_some().then_some(files.settings.as_path()),
            spent: None,
            equipment: prepared.equipment(),
        });
        let sandbox = engine.shown_sandbox(&session, &ready, record)?;
        let added = Added {
            own: &own,
            mark: engine.marker(id, &number.to_string())?,
            sandbox: sandbox.as_ref(),
        };
        let variables = engine.shown_variables(self, &session, turn.command.env, &added)?;
        let (name, _) = self.environment_named(session.runtime.environment.as_deref())?;
        let words = std::iter::once(turn.command.program.into_os_string());
        let words = words.chain(turn.command.args);
        Ok(ShownCommand {
            environment: name.to_owned(),
            command: words.map(|word| engine.shown_text(&word)).collect(),
            directory: turn.command.cwd,
            isolation: self.isolation_of(&session),
            variables,
            toolboxes,
            servers: engine.shown_servers(prepared.equipment()),
            sandbox,
        })
    }

    fn shown_sandbox(
        &self,
        session: &Session,
        ready: &ReadyAgent,
        last: Option<SandboxRecord>,
    ) -> Result<Option<ShownSandbox>, EngineError> {
        if self.isolation_of(session) != Isolation::Sandbox {
            return Ok(None);
        }
        let layers = self.sandbox_layers()?.names();
        let mut writable = vec![session.worktree.clone()];
        writable.extend(self.writable_places(session, ready));
        Ok(Some(ShownSandbox {
            layers: layers.iter().map(ToString::to_string).collect(),
            network: self.hosts_of(session, &ready.agent)?,
            writable,
            last,
        }))
    }

    /// As the settings describe them; those that we serve ourselves as the agent is told.
    fn shown_servers(&self, equipment: Equipment<'_>) -> Vec<ShownServer> {
        let own = &self.place.servers;
        let is_other = |server: &&McpServer| own.iter().all(|it| it.name != server.name);
        let others = equipment.servers.iter().filter(is_other);
        own.iter().chain(others).map(shown_server).collect()
    }

    fn shown_text(&self, text: &OsStr) -> String {
        self.redact(&text.to_string_lossy())
    }
}

fn shown_server(server: &McpServer) -> ShownServer {
    let values = server.values().iter().map(|(name, value)| {
        let value = match value {
            McpValue::Plain(text) => text.clone(),
            McpValue::Secret(_) => REPLACEMENT.to_owned(),
        };
        (name.clone(), value)
    });
    ShownServer {
        name: server.name.clone(),
        reach: match &server.reach {
            McpReach::Program { command, .. } => command.clone(),
            McpReach::Address { url, .. } => vec![url.clone()],
        },
        values: values.collect(),
        tools: server.tools.clone(),
    }
}
