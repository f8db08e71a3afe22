//! Ports and databases that belong to sessions.

use std::collections::BTreeMap;

use orchestra_api::{Database, Lease, LeaseHolder, LeaseList};
use orchestra_core::{ScriptRun, SessionId};
use orchestra_engine::{Engine, EngineError, LeaseListing, ListRequest};

use crate::wire;

/// What is leased, and to whom.
#[derive(Debug)]
pub struct Leases {
    /// Ports and databases.
    pub listing: LeaseListing,
    /// Servers that run.
    pub servers: Vec<ScriptRun>,
    /// The sessions as people know them.
    pub holders: BTreeMap<SessionId, LeaseHolder>,
}

/// Everything that is leased, or what one session has.
pub fn load(engine: &Engine, only: Option<&SessionId>) -> Result<Leases, EngineError> {
    Ok(Leases {
        listing: engine.leases_on_disk(only)?,
        servers: engine.running_servers(only)?,
        holders: holders(engine)?,
    })
}

impl Leases {
    pub fn answer(self) -> LeaseList {
        let holder = |id: &SessionId| self.holders.get(id);
        let ports = wire::ports(self.listing.ports, &self.servers).into_iter();
        let databases = self.listing.databases.into_iter().map(Database::from);
        LeaseList {
            seq: self.listing.seq,
            ports: ports
                .map(|it| Lease::new(holder(&it.session_id), it))
                .collect(),
            databases: databases
                .map(|it| Lease::new(holder(&it.session_id), it))
                .collect(),
        }
    }
}

fn holders(engine: &Engine) -> Result<BTreeMap<SessionId, LeaseHolder>, EngineError> {
    let every = ListRequest {
        archived: true,
        ..ListRequest::default()
    };
    let sessions = engine.list_sessions(&every)?.sessions.into_iter();
    let holders = sessions.map(|view| {
        let holder = LeaseHolder {
            name: view.session.name.to_string(),
            repository: view.repository.root,
        };
        (view.session.id, holder)
    });
    Ok(holders.collect())
}
