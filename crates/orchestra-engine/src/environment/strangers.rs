//! Strangers on ports of a session: who listens there, and other ports in place of those that are taken.

use std::collections::BTreeSet;
use std::path::Path;

use orchestra_config::variables;
use orchestra_core::{EventBody, PortLease, Session, SessionId, visible_line};
use orchestra_process::{ProcessListening, processes_listening, processes_with_marker_prefix};

use super::ports::nobody_listens;
use crate::view::SessionView;
use crate::{Engine, EngineError};

/// More of a stranger's command line would hide what is said.
const MOST_LETTERS: usize = 60;

/// Programs that listen for containers, those of the session too.
const CONTAINER_ENGINES: [&str; 7] = [
    "com.docker.backend",
    "docker-proxy",
    "gvproxy",
    "pasta",
    "rootlesskit",
    "rootlessport",
    "slirp4netns",
];

/// Whose a program is that listens on a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// It runs in the session itself.
    Own,
    /// It does not.
    Stranger,
    /// The system does not show it, or it listens for containers, which may be the session's.
    Untold,
}

/// A port that somebody listens on.
pub(super) struct TakenPort {
    pub(super) port: u16,
    /// Who does, in words.
    pub(super) by: String,
    pub(super) whose: Whose,
}

impl Engine {
    /// Gives a session what it lacks, and other ports where a stranger listens, before something begins that is told of them.
    /// Answers what the user should know. What runs in the session keeps the ports that it was told.
    ///
    /// # Errors
    /// If there is no free port, a place is taken, or a setting cannot be filled in.
    pub fn make_room(&self, id: &SessionId) -> Result<Vec<String>, EngineError> {
        self.session_environment(id)?;
        match self.session(id)?.work() {
            Some(_) => Ok(Vec::new()),
            None => self.make_room_for_work(id),
        }
    }

    /// The same for whoever holds the session's lease.
    pub(crate) fn make_room_for_work(&self, id: &SessionId) -> Result<Vec<String>, EngineError> {
        let held = self
            .leases
            .try_servers(id)
            .map_err(|source| EngineError::io("lock the session's servers", source))?;
        let Some(_servers) = held else {
            // Whoever starts a server now looks after its ports.
            return Ok(Vec::new());
        };
        let view = self.session(id)?;
        let ports = self.leases(Some(id))?.ports;
        let mut notes = Vec::new();
        for block in ports.iter().filter(|block| !is_served(&view, block)) {
            let mut taken = self.taken_ports(&view, block);
            taken.retain(|taken| taken.whose == Whose::Stranger);
            if let Some(stranger) = taken.first() {
                notes.push(self.move_block(&view.session, block, stranger)?);
            }
        }
        Ok(notes)
    }

    /// The ports of a block that somebody listens on.
    pub(super) fn taken_ports(&self, view: &SessionView, block: &PortLease) -> Vec<TakenPort> {
        let taken = block.ports().filter(|port| !nobody_listens(*port));
        taken.map(|port| self.taken_port(view, port)).collect()
    }

    /// Gives a block back, leases another one in its place and says so.
    pub(super) fn move_block(
        &self,
        session: &Session,
        block: &PortLease,
        stranger: &TakenPort,
    ) -> Result<String, EngineError> {
        let now = self.lease_elsewhere(session, block)?;
        Ok(format!(
            "port {} is used by {}, so `{}` begins at {now} now{}",
            stranger.port,
            stranger.by,
            block.name,
            self.rewrite_note(session),
        ))
    }

    fn taken_port(&self, view: &SessionView, port: u16) -> TakenPort {
        let listening = processes_listening(port);
        let first = listening.as_ref().ok().and_then(|all| all.first());
        let by = first.map_or_else(
            || "another program".to_owned(),
            |it| {
                // Any program can call itself as it likes, and this goes to a terminal and to a log.
                let command = visible_line(&self.redact(&it.command));
                let beginning: String = command.chars().take(MOST_LETTERS).collect();
                format!("`{beginning}` ({})", it.pid)
            },
        );
        let whose = match &listening {
            Ok(listening) => whose(&view.session, listening),
            // A system that does not tell who listens leaves no more than the question whether anything runs in the session.
            Err(_) if view.work().is_some() || view.running_servers().next().is_some() => {
                Whose::Own
            }
            Err(_) => Whose::Untold,
        };
        TakenPort { port, by, whose }
    }

    /// Answers the first port of the new block.
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

/// Whether a server of the session was told one of these ports.
fn is_served(view: &SessionView, block: &PortLease) -> bool {
    let mut told = view
        .running_servers()
        .filter_map(|run| run.server.as_ref()?.port);
    told.any(|port| block.ports().any(|it| it == port))
}

fn whose(session: &Session, listening: &[ProcessListening]) -> Whose {
    let id = session.id.as_str();
    let marked = processes_with_marker_prefix(variables::ORCHESTRA_SESSION, id);
    let own: BTreeSet<u32> = marked.iter().map(|it| it.identity.pid).collect();
    if listening.iter().any(|process| own.contains(&process.pid)) {
        Whose::Own
    } else if listening.is_empty() || listening.iter().any(listens_for_containers) {
        Whose::Untold
    } else {
        Whose::Stranger
    }
}

fn listens_for_containers(process: &ProcessListening) -> bool {
    let program = process.command.split(' ').next().unwrap_or_default();
    let name = Path::new(program).file_name().unwrap_or_default();
    CONTAINER_ENGINES.iter().any(|engine| name == *engine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn container_engines_are_told_by_their_program() {
        for (command, expected) in [
            ("/usr/bin/docker-proxy -proto tcp -host-port 20000", true),
            ("rootlessport", true),
            ("node docker-proxy", false),
            ("/opt/docker-proxy/server", false),
            ("", false),
        ] {
            let command = command.to_owned();
            let process = ProcessListening { pid: 1, command };
            assert_eq!(listens_for_containers(&process), expected, "{process:?}");
        }
    }
}
