//! Where servers listen and how they are reached.

use orchestra_config::ServerSettings;
use orchestra_core::{PortLease, ServerFacts};

use super::EnvironmentError;
use super::strangers::{TakenPort, Whose};
use super::values::Values;
use crate::view::SessionView;
use crate::{Engine, EngineError};

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
        let taken = self.taken_ports(view, block).into_iter();
        let (own, strangers): (Vec<TakenPort>, Vec<TakenPort>) =
            taken.partition(|taken| taken.whose == Whose::Own);
        let in_the_way = own
            .into_iter()
            .find(|taken| taken.port == block.first || !strangers.is_empty());
        if let Some(TakenPort { port, by, .. }) = in_the_way {
            let name = block.name.clone();
            return Err(EnvironmentError::PortInUse { name, port, by }.into());
        }
        let stranger = strangers.first();
        let note = stranger.map(|stranger| self.move_block(&view.session, block, stranger));
        note.transpose()
    }
}

/// A host name that says nothing stands for this machine.
fn host(hostname: &str) -> &str {
    match hostname.trim() {
        "" => "localhost",
        hostname => hostname,
    }
}
