//! What an agent works with besides its own tools: toolboxes and MCP servers, in the form that this agent takes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use orchestra_agents::mcp::McpServer;
use orchestra_agents::{Agent, Equipment, Features};
use orchestra_core::Session;
use orchestra_core::runtime::NO_EQUIPMENT;

use super::RuntimeError;
use crate::mcp::{GATE, TOOLBOX, write_gates, write_private};
use crate::places::OutputFiles;
use crate::toolbox::RefusedFile;
use crate::{Engine, EngineError};

/// What an agent gets for one run. The files go with it.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    servers: Vec<McpServer>,
    mcp_file: Option<PathBuf>,
    toolbox: Option<PathBuf>,
    written: Vec<PathBuf>,
    /// What the user should know.
    pub(crate) notes: Vec<String>,
}

impl Prepared {
    pub(crate) fn equipment(&self) -> Equipment<'_> {
        Equipment {
            servers: &self.servers,
            mcp_file: self.mcp_file.as_deref(),
            toolbox: self.toolbox.as_deref(),
        }
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        for file in &self.written {
            remove(file);
        }
    }
}

/// Removes what a run left behind: these files have secrets.
pub(crate) fn remove_equipment(files: &OutputFiles) {
    remove(&files.mcp);
    remove(&files.gates);
}

fn remove(file: &Path) {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(%error, "cannot remove {}", file.display());
        }
        _ => {}
    }
}

impl Engine {
    /// The names of a session's toolboxes and their directories, in their order.
    ///
    /// # Errors
    /// If there is no toolbox of a name.
    pub fn toolboxes_of(&self, session: &Session) -> Result<Vec<PathBuf>, EngineError> {
        let agent = self.config().agents.named.get(&session.agent);
        let of_agent = agent.map(|agent| agent.toolboxes.as_slice());
        let usual = &self.config().equipment.toolboxes;
        self.toolbox_directories(&chosen(&session.runtime.toolboxes, usual, of_agent))
    }

    /// The directories of toolboxes that are named as in settings, or by their paths.
    ///
    /// # Errors
    /// If there is no toolbox of a name.
    pub fn toolbox_directories(&self, names: &[String]) -> Result<Vec<PathBuf>, EngineError> {
        let known = &self.config().toolboxes;
        let mut directories = Vec::new();
        for name in names {
            match known.get(name) {
                Some(paths) => directories.extend(paths.iter().cloned()),
                None if Path::new(name).is_absolute() => directories.push(name.into()),
                None => {
                    return Err(RuntimeError::UnknownToolbox {
                        name: name.clone(),
                        known: known.keys().cloned().collect(),
                    }
                    .into());
                }
            }
        }
        Ok(directories)
    }

    /// The names of toolboxes that sessions have which name none.
    #[must_use]
    pub fn usual_toolboxes(&self) -> &[String] {
        &self.config().equipment.toolboxes
    }

    /// The names of a session's MCP servers.
    pub(crate) fn mcp_names_of(&self, session: &Session) -> Result<Vec<String>, EngineError> {
        let agent = self.config().agents.named.get(&session.agent);
        let of_agent = agent.map(|agent| agent.mcp.as_slice());
        let usual = &self.config().equipment.mcp;
        let names = chosen(&session.runtime.mcp, usual, of_agent);
        for name in &names {
            self.require_mcp(name)?;
        }
        Ok(names)
    }

    /// Refuses toolboxes and servers that are not there, and an agent that cannot be told of those that the session wishes.
    pub(super) fn require_equipment(
        &self,
        session: &Session,
        agent: &Agent,
    ) -> Result<(), EngineError> {
        self.toolboxes_of(session)?;
        self.mcp_names_of(session)?;
        let wishes = [&session.runtime.toolboxes, &session.runtime.mcp];
        let mut wishes = wishes.into_iter().flatten();
        match !agent.takes_servers() && wishes.any(|wish| wish != NO_EQUIPMENT) {
            true => Err(RuntimeError::NoEquipment {
                agent: session.agent.clone(),
            }
            .into()),
            false => Ok(()),
        }
    }

    /// Puts together what the agent of a session gets in one run.
    pub(crate) fn prepare_equipment(
        &self,
        session: &Session,
        agent: &Agent,
        features: &Features,
        files: &OutputFiles,
    ) -> Result<Prepared, EngineError> {
        if !agent.takes_servers() {
            return Ok(self.without_equipment(session));
        }
        let toolbox = self.resolve_toolboxes(session)?;
        let refused = toolbox
            .as_ref()
            .and_then(|(_, manifest)| refused_note(session, &manifest.refused));
        let tools = toolbox.filter(|(_, manifest)| !manifest.tools.is_empty());
        let tools = tools.map(|(tools, _)| tools);
        let mut prepared = self.equipment_for(agent, features, files, tools);
        prepared.notes.extend(refused);
        let failed =
            |source| EngineError::io("write what the agent is told of MCP servers", source);
        let gated: Vec<McpServer> = self.gated(agent).cloned().collect();
        if !gated.is_empty() {
            write_gates(&files.gates, &gated).map_err(failed)?;
        }
        if let Some(text) = agent.mcp_file(&prepared.servers) {
            write_private(&files.mcp, text.as_bytes()).map_err(failed)?;
        }
        Ok(prepared)
    }

    /// What an agent would get, without anything being written.
    pub(super) fn equipment_for(
        &self,
        agent: &Agent,
        features: &Features,
        files: &OutputFiles,
        tools: Option<PathBuf>,
    ) -> Prepared {
        let own = |words: &[&str]| {
            let words = words.iter().map(|word| (*word).to_owned());
            let program = self.program.to_string_lossy().into_owned();
            [program, "mcp".to_owned()]
                .into_iter()
                .chain(words)
                .collect()
        };
        let gates = files.gates.to_string_lossy();
        let servers = self.place.servers.iter();
        let mut servers: Vec<McpServer> = servers
            .map(|server| match agent.takes_server(server) {
                true => server.clone(),
                false => McpServer::program(&server.name, own(&[GATE, &gates, &server.name])),
            })
            .collect();
        let reads = agent.reads_toolboxes(features);
        if let Some(tools) = tools.as_ref().filter(|_| !reads) {
            let tools = tools.to_string_lossy();
            servers.push(McpServer::program(TOOLBOX, own(&[TOOLBOX, &tools])));
        }
        let writes = agent.mcp_file(&servers).is_some();
        Prepared {
            servers,
            mcp_file: writes.then(|| files.mcp.clone()),
            toolbox: tools.filter(|_| reads),
            written: vec![files.mcp.clone(), files.gates.clone()],
            notes: Vec::new(),
        }
    }

    fn gated<'s>(&'s self, agent: &'s Agent) -> impl Iterator<Item = &'s McpServer> {
        let servers = self.place.servers.iter();
        servers.filter(|server| !agent.takes_server(server))
    }

    /// An agent that the settings equip, but that cannot be told of it.
    fn without_equipment(&self, session: &Session) -> Prepared {
        let has_toolboxes = self.toolboxes_of(session).is_ok_and(|all| !all.is_empty());
        let mut prepared = Prepared::default();
        if has_toolboxes || !self.place.servers.is_empty() {
            let note = "this agent cannot be told of the toolboxes and MCP servers in the settings";
            prepared.notes.push(note.to_owned());
        }
        prepared
    }
}

/// One line for all that was not taken of the toolboxes; the list says why each was not.
fn refused_note(session: &Session, refused: &[RefusedFile]) -> Option<String> {
    let first = refused.first()?;
    let (count, path, id) = (refused.len(), first.path.display(), &session.id);
    Some(format!(
        "{count} of the toolboxes' files are refused, such as {path}: {}; see `orchestra toolbox list --session {id}`",
        first.why
    ))
}

/// What a session wishes, else what the settings say.
fn chosen(wishes: &[String], usual: &[String], of_agent: Option<&[String]>) -> Vec<String> {
    if !wishes.is_empty() {
        let wishes = wishes.iter().filter(|wish| *wish != NO_EQUIPMENT);
        return wishes.cloned().collect();
    }
    let mut names: Vec<String> = Vec::new();
    for name in usual.iter().chain(of_agent.unwrap_or_default()) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_names_some_has_those() {
        let words = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let (usual, own) = (words(&["a", "b"]), words(&["b", "c"]));
        let of = |wishes: &[&str]| chosen(&words(wishes), &usual, Some(&own));
        assert_eq!(of(&[]), words(&["a", "b", "c"]));
        assert_eq!(of(&["x"]), words(&["x"]));
        assert_eq!(of(&["none"]), words(&[]));
        assert_eq!(chosen(&[], &usual, None), usual);
    }
}
