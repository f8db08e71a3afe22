//! Where servers listen and how they are reached, and other ports where a stranger has taken those of a session.

use std::collections::BTreeSet;

use orchestra_config::{ServerSettings, variables};
use orchestra_core::{EventBody, PortLease, ServerFacts, Session, visible_line};
use orchestra_process::{processes_listening, processes_with_marker_prefix};

use super::EnvironmentError;
use super::ports::nobody_listens;
use super::values::Values;
use crate::view::SessionView;
use crate::{Engine, EngineError};

/// More of a stranger's command line would hide what is said.
const MOST_LETTERS: usize = 60;

/// A port that somebody listens on.
struct TakenPort {
    port: u16,
    /// Who does, in words.
    by: String,
    /// Whether that runs in the session itself.
    is_own: bool,
}

impl Engine {
    /// Where a server is to listen and how it is reached. If a stranger uses its ports, others are leased first; the note
    /// says so.
    pub(crate) fn place_server(
        &self,
        view: &SessionView,
        server: &str,
    ) -> Result<(ServerFacts, Option<String>), EngineError> {
        let id = &view.session.id;
        let ports = self.session_environment(id)?.ports;
        let note = match self.block_of(server, &ports)? {
            Some(block) => self.make_way(view, block)?,
            None => None,
        };
        let leased = self.leases(Some(id))?;
        let port = self.block_of(server, &leased.ports)?.map(|it| it.first);
        let values = self.values_with(&view.session, &view.repository.root, &leased)?;
        let facts = ServerFacts {
            url: self.url_of_server(server, port, values)?,
            port,
            ..ServerFacts::default()
        };
        Ok((facts, note))
    }

    /// Whether the settings of a server can be met: what they name exists. It keeps its ports, whoever listens there.
    pub(crate) fn require_server_place(
        &self,
        view: &SessionView,
        server: &str,
    ) -> Result<(), EngineError> {
        let id = &view.session.id;
        let ports = self.session_environment(id)?.ports;
        let port = self.block_of(server, &ports)?.map(|it| it.first);
        let leased = self.leases(Some(id))?;
        let values = self.values_with(&view.session, &view.repository.root, &leased)?;
        self.url_of_server(server, port, values)?;
        Ok(())
    }

    /// The ports that a server's settings name; without them it is one that does not listen, such as a watcher.
    fn block_of<'a>(
        &self,
        server: &str,
        ports: &'a [PortLease],
    ) -> Result<Option<&'a PortLease>, EnvironmentError> {
        let settings = self.config().servers.get(server);
        let Some(name) = settings.and_then(|settings| settings.port.as_ref()) else {
            return Ok(None);
        };
        let named = ports.iter().find(|lease| lease.name == *name);
        match named {
            Some(named) => Ok(Some(named)),
            None => Err(EnvironmentError::NoSuchPorts {
                server: server.to_owned(),
                name: name.clone(),
                known: ports.iter().map(|lease| lease.name.clone()).collect(),
            }),
        }
    }

    fn url_of_server(
        &self,
        server: &str,
        port: Option<u16>,
        mut values: Values,
    ) -> Result<Option<String>, EnvironmentError> {
        let settings: Option<&ServerSettings> = self.config().servers.get(server);
        let text = settings.and_then(|settings| settings.url.as_ref());
        if let Some(port) = port {
            values.put("port", &port.to_string());
        }
        let url = match (text, port) {
            (Some(text), _) => Some(values.fill(text)?),
            (None, Some(port)) => Some(format!("http://{}:{port}/", host(values.hostname()))),
            (None, None) => None,
        };
        Ok(url.map(|url| self.redact(&url)))
    }

    /// Leases other ports if a stranger listens on one of these, and says so. What listens there and runs in the session is
    /// the user's to end.
    fn make_way(
        &self,
        view: &SessionView,
        block: &PortLease,
    ) -> Result<Option<String>, EngineError> {
        let taken = block.ports().filter(|port| !nobody_listens(*port));
        let (own, strangers): (Vec<TakenPort>, Vec<TakenPort>) = taken
            .map(|port| self.taken_port(view, port))
            .partition(|taken| taken.is_own);
        let in_the_way = own
            .into_iter()
            .find(|taken| taken.port == block.first || !strangers.is_empty());
        if let Some(TakenPort { port, by, .. }) = in_the_way {
            let name = block.name.clone();
            return Err(EnvironmentError::PortInUse { name, port, by }.into());
        }
        let Some(stranger) = strangers.first() else {
            return Ok(None);
        };
        let now = self.lease_elsewhere(&view.session, block)?;
        Ok(Some(format!(
            "port {} is used by {}, so `{}` begins at {now} now{}",
            stranger.port,
            stranger.by,
            block.name,
            self.rewrite_note(&view.session),
        )))
    }

    fn taken_port(&self, view: &SessionView, port: u16) -> TakenPort {
        let id = view.session.id.as_str();
        // A system that does not tell who listens leaves no more than the question whether anything runs in the session.
        let Ok(listening) = processes_listening(port) else {
            return TakenPort {
                port,
                by: "another program".to_owned(),
                is_own: view.work().is_some() || view.running_servers().next().is_some(),
            };
        };
        let marked = processes_with_marker_prefix(variables::ORCHESTRA_SESSION, id);
        let own: BTreeSet<u32> = marked.iter().map(|it| it.identity.pid).collect();
        let by = listening.first().map_or_else(
            || "another program".to_owned(),
            |it| {
                // Any program can call itself as it likes, and this goes to a terminal and to a log.
                let command = visible_line(&self.redact(&it.command));
                let beginning: String = command.chars().take(MOST_LETTERS).collect();
                format!("`{beginning}` ({})", it.pid)
            },
        );
        let is_own = listening.iter().any(|process| own.contains(&process.pid));
        TakenPort { port, by, is_own }
    }

    /// Gives a block back and leases another one in its place. Answers its first port.
    fn lease_elsewhere(&self, session: &Session, block: &PortLease) -> Result<u16, EngineError> {
        let name = &block.name;
        let now = self.write(|tx| {
            tx.free_ports(&session.id, name)?;
            let to = self.lease_block(tx, session, name, block.count.into())?;
            let body = EventBody::PortsMoved {
                name: name.clone(),
                from: block.first,
                to,
            };
            tx.append_event(Some(&session.id), &body)?;
            Ok(to)
        })?;
        self.failpoints.pass("server.ports_moved");
        Ok(now)
    }

    /// Copies of env files still have the old ports.
    fn rewrite_note(&self, session: &Session) -> String {
        match self.config().worktree.rewrite.is_empty() {
            true => String::new(),
            false => format!(
                "; `orchestra session setup {}` writes that into copied env files",
                session.id
            ),
        }
    }
}

/// A host name that says nothing stands for this machine.
fn host(hostname: &str) -> &str {
    match hostname.trim() {
        "" => "localhost",
        hostname => hostname,
    }
}
