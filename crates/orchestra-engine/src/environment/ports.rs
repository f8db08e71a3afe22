//! Leasing ports: the store says which ones sessions have, the system which ones strangers use.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use orchestra_core::{PortLease, Session};
use orchestra_store::Tx;

use super::EnvironmentError;
use crate::{Engine, EngineError};

/// How long a stranger on this machine may take to answer.
const ANSWER: Duration = Duration::from_millis(50);

/// Whether a session has other ports than a moment ago.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leased {
    AsBefore,
    Anew,
}

impl Engine {
    /// Leases the blocks that the settings want and the session lacks, and gives back those that nobody wants any more.
    pub(super) fn lease_missing_ports(&self, session: &Session) -> Result<Leased, EngineError> {
        let held = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.port_leases(Some(&session.id))?))?;
        if self.unwanted(&held).is_empty() && self.missing(&held).is_empty() {
            return Ok(Leased::AsBefore);
        }
        self.write(|tx| {
            let held = tx.port_leases(Some(&session.id))?;
            for name in self.unwanted(&held) {
                tx.free_ports(&session.id, name)?;
            }
            for (name, count) in self.missing(&held) {
                self.lease_block(tx, session, name, count)?;
            }
            Ok(Leased::Anew)
        })
    }

    /// Answers the first port of the block.
    pub(super) fn lease_block(
        &self,
        tx: &Tx<'_>,
        session: &Session,
        name: &str,
        count: u32,
    ) -> Result<u16, EngineError> {
        let range = self.config().worktree.port_range;
        let taken: BTreeSet<u16> = tx
            .port_leases(None)?
            .iter()
            .flat_map(PortLease::ports)
            .collect();
        let is_free = |port: u16| !taken.contains(&port) && nobody_listens(port);
        let wanted = u16::try_from(count).ok();
        let first = wanted
            .and_then(|count| range.find_block(count, starting_place(session, name), is_free));
        let (Some(first), Some(count)) = (first, wanted) else {
            let name = name.to_owned();
            return Err(EnvironmentError::NoPortsLeft { name, count, range }.into());
        };
        let lease = PortLease {
            session: session.id.clone(),
            name: name.to_owned(),
            first,
            count,
            leased_at: self.now(),
        };
        tx.lease_ports(&lease)?;
        Ok(first)
    }

    /// Blocks that the session has, and the settings do not want or want with another size.
    fn unwanted<'a>(&self, held: &'a [PortLease]) -> Vec<&'a str> {
        let wanted = &self.config().ports;
        let is_wanted =
            |lease: &&PortLease| wanted.get(&lease.name) == Some(&u32::from(lease.count));
        let unwanted = held.iter().filter(|lease| !is_wanted(lease));
        unwanted.map(|lease| lease.name.as_str()).collect()
    }

    /// Blocks that the settings want, and the session does not have in this size.
    fn missing(&self, held: &[PortLease]) -> Vec<(&str, u32)> {
        let has = |name: &str, count: u32| {
            held.iter()
                .any(|lease| lease.name == name && u32::from(lease.count) == count)
        };
        let wanted = self.config().ports.iter();
        wanted
            .map(|(name, count)| (name.as_str(), *count))
            .filter(|(name, count)| !has(name, *count))
            .collect()
    }
}

/// Another place for every session, so that a port that was given back is not somebody else's at once.
fn starting_place(session: &Session, name: &str) -> u32 {
    let bytes = session.id.as_str().bytes().chain(name.bytes());
    let mixed = bytes.fold(17_u32, |place, byte| {
        place.wrapping_mul(31).wrapping_add(u32::from(byte))
    });
    mixed % 0xFFFF
}

/// Whether a program of ours could listen there: it can be bound, and nobody answers who listens on every address.
pub(super) fn nobody_listens(port: u16) -> bool {
    let local = [
        IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(Ipv6Addr::LOCALHOST),
    ];
    local.into_iter().all(|address| {
        let place = SocketAddr::new(address, port);
        let is_taken = TcpListener::bind(place).is_err_and(|error| {
            matches!(
                error.kind(),
                ErrorKind::AddrInUse | ErrorKind::PermissionDenied
            )
        });
        !is_taken && TcpStream::connect_timeout(&place, ANSWER).is_err()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stranger_is_noticed() {
        let stranger = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = stranger.local_addr().unwrap().port();
        assert!(!nobody_listens(port));
        drop(stranger);
        assert!(nobody_listens(port));
    }
}
