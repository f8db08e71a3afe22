//! What sessions have for themselves, on the wire.

use std::path::PathBuf;

use orchestra_core::{SessionId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

/// Everything that is leased to sessions.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LeaseList {
    /// The newest event it includes.
    pub seq: u64,
    /// Ports, by their first.
    pub ports: Vec<Lease<PortLease>>,
    /// Databases, by session and name.
    pub databases: Vec<Lease<Database>>,
}

/// Something that is leased, and to whom in words.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Lease<T> {
    /// What it is.
    #[serde(flatten)]
    pub what: T,
    /// What people call the session; `null` if that is not known.
    pub session_name: Option<String>,
    /// The main checkout of the session's repository; `null` if that is not known.
    #[schema(value_type = Option<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub repository: Option<PathBuf>,
}

/// The session that something is leased to, as people know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseHolder {
    /// What they call it.
    pub name: String,
    /// The main checkout of its repository.
    pub repository: PathBuf,
}

impl<T> Lease<T> {
    /// What is leased, and to whom as far as that is known.
    #[must_use]
    pub fn new(holder: Option<&LeaseHolder>, what: T) -> Self {
        Self {
            what,
            session_name: holder.map(|holder| holder.name.clone()),
            repository: holder.map(|holder| holder.repository.clone()),
        }
    }
}

/// A block of ports that a session has for itself.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PortLease {
    /// Whose they are.
    pub session_id: SessionId,
    /// What the repository's settings call the block.
    pub name: String,
    /// The first port.
    pub first: u16,
    /// How many there are.
    pub count: u16,
    /// The server that was told to listen on one of them and runs.
    pub served_by: Option<String>,
    /// Since when.
    pub leased_at: Timestamp,
}

/// A database that a session has for itself.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Database {
    /// Whose it is.
    pub session_id: SessionId,
    /// What the repository's settings call it.
    pub name: String,
    /// `sqlite`, `postgresql` or `mysql`.
    pub kind: &'static str,
    /// The file, or the name on the database server.
    pub location: String,
    /// `reserved`, `creating`, `ready`, `failed`, `unknown` or `dropping`.
    pub state: &'static str,
    /// Since when.
    pub changed_at: Timestamp,
}

impl PortLease {
    /// A lease, and the name of the server that uses it.
    #[must_use]
    pub fn new(lease: orchestra_core::PortLease, served_by: Option<String>) -> Self {
        Self {
            served_by,
            session_id: lease.session,
            name: lease.name,
            first: lease.first,
            count: lease.count,
            leased_at: lease.leased_at,
        }
    }
}

impl From<orchestra_core::SessionDatabase> for Database {
    fn from(database: orchestra_core::SessionDatabase) -> Self {
        Self {
            session_id: database.session,
            name: database.name,
            kind: database.kind.name(),
            location: database.location,
            state: database.state.name(),
            changed_at: database.changed_at,
        }
    }
}
