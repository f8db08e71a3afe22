//! Servers on the wire.

use std::path::PathBuf;

use orchestra_core::{ServerState, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{ScriptRun, Session};

/// What is known of a script run because it is a server.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Server {
    /// `starting`, `ready`, `not_ready`, `ended`, `failed`, `stopped` or `interrupted`.
    pub state: &'static str,
    /// Where it is reached; `null` if it has no port and its settings name no address.
    pub url: Option<String>,
    /// The same port on this machine without a host name, which every program can reach; `null` if it has none.
    pub local_url: Option<String>,
    /// The port it was told to listen on.
    pub port: Option<u16>,
    /// When it was ready.
    pub ready_at: Option<Timestamp>,
}

impl Server {
    /// `None` if a run is no server.
    #[must_use]
    pub fn of(run: &orchestra_core::ScriptRun) -> Option<Self> {
        let (state, facts) = (ServerState::of(run)?, run.server.as_ref()?);
        Some(Self {
            state: state.name(),
            url: facts.url.clone(),
            local_url: facts.local_url(),
            port: facts.port,
            ready_at: facts.ready_at,
        })
    }
}

/// A server that was started, stopped or followed.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ServerAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// The run of the server; `null` if it was to be stopped and never ran.
    pub script_run: Option<ScriptRun>,
    /// Whether it ran before.
    pub was_running: bool,
    /// What the user should know, such as that it has another port than before.
    pub notes: Vec<String>,
}

/// The server of the HTTP API that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunningServer {
    /// Where it is reached.
    pub url: String,
    /// The file with the token that requests are known by.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub token_file: PathBuf,
    /// Its process.
    pub pid: u32,
    /// Its version.
    pub version: String,
    /// Since when.
    pub started_at: Timestamp,
}
