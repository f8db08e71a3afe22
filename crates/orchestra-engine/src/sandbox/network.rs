//! What an agent in a sandbox reaches over the network.

use std::path::Path;

use orchestra_agents::Agent;
use orchestra_agents::mcp::McpReach;
use orchestra_core::Session;
use orchestra_process::{HostList, Network, NetworkProxy, ProcessError, ProxyPlace, SandboxLayers};

use crate::{Engine, EngineError};

pub(super) const OFF: &str = "off";
pub(super) const OPEN: &str = "open";

impl Engine {
    /// What the settings say of the network; empty: what the agent needs.
    pub(super) fn network_words(&self) -> Result<&[String], EngineError> {
        let words = &self.config().security.sandbox_network;
        let is_whole = |word: &String| [OFF, OPEN].contains(&word.as_str());
        if !words.iter().any(is_whole) {
            require_reachable(words)?;
        }
        Ok(words)
    }

    /// The hosts that an agent can reach, or `off` or `open` alone.
    pub(crate) fn hosts_of(
        &self,
        session: &Session,
        agent: &Agent,
    ) -> Result<Vec<String>, EngineError> {
        let words = self.network_words()?;
        if !words.is_empty() {
            return Ok(words.to_vec());
        }
        let mut hosts: Vec<String> = agent
            .needs()
            .hosts
            .iter()
            .map(ToString::to_string)
            .collect();
        let (_, environment) = self.environment_named(session.runtime.environment.as_deref())?;
        let servers = self
            .place
            .servers
            .iter()
            .filter_map(|server| match &server.reach {
                McpReach::Address { url, .. } => Some(url),
                McpReach::Program { .. } => None,
            });
        let urls = environment.url.iter().chain(servers);
        hosts.extend(urls.filter_map(|url| host_of(url)));
        require_reachable(&hosts)?;
        if hosts.is_empty() {
            hosts.push(OFF.to_owned());
        }
        Ok(hosts)
    }

    /// What to tell of an agent that reaches nothing though nobody said so.
    pub(crate) fn network_note(&self, agent: &Agent, hosts: &[String]) -> Option<String> {
        let is_unsaid = self.config().security.sandbox_network.is_empty();
        (is_unsaid && hosts == [OFF] && !agent.is_demo()).then(|| {
            "this agent reaches no network in its sandbox, since nobody knows which hosts it needs; \
             name them in security.sandbox_network"
                .to_owned()
        })
    }

    /// The network of one turn, and what carries it.
    pub(super) fn open_network(
        hosts: &[String],
        layers: &SandboxLayers,
        socket: &Path,
    ) -> Result<(Network, Option<NetworkProxy>), EngineError> {
        match hosts.first().map(String::as_str) {
            None | Some(OFF) => Ok((Network::Off, None)),
            Some(OPEN) => Ok((Network::Open, None)),
            Some(_) => {
                remove_socket(socket)?;
                let place = ProxyPlace::within_reach_of(layers, socket);
                let hosts = HostList::parse(hosts).map_err(ProcessError::from)?;
                let proxy = NetworkProxy::start(hosts, &place).map_err(ProcessError::from)?;
                Ok((proxy.network(), Some(proxy)))
            }
        }
    }
}

/// Whether a proxy carries what an agent sends to these hosts.
pub(crate) fn is_carried(hosts: &[String]) -> bool {
    let first = hosts.first().map(String::as_str);
    first.is_some_and(|word| ![OFF, OPEN].contains(&word))
}

/// Makes sure that hosts can be let through.
fn require_reachable(hosts: &[String]) -> Result<(), ProcessError> {
    Ok(HostList::parse(hosts)?.require_reachable()?)
}

/// A socket stays when its listener is killed.
fn remove_socket(socket: &Path) -> Result<(), EngineError> {
    match std::fs::remove_file(socket) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(EngineError::io("remove the socket of a proxy", error))
        }
        _ => Ok(()),
    }
}

/// The host of an address, with its port if it names one.
fn host_of(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    (!host.is_empty()).then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_an_address_keeps_its_port_and_no_user() {
        let host = |url| host_of(url).unwrap_or_default();
        assert_eq!(host("https://a.example/x@y"), "a.example");
        assert_eq!(host("http://127.0.0.1:80?x"), "127.0.0.1:80");
        assert_eq!(host("https://me:word@a.example:8443/"), "a.example:8443");
        assert_eq!(host("a.example"), "");
    }
}
