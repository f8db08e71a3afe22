//! The log on the wire.

use orchestra_core::{Event, SessionId};
use serde::Serialize;
use utoipa::ToSchema;

/// A part of the log.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EventList {
    /// The name of the store's log: numbers of another one mean nothing here.
    pub epoch: String,
    /// The newest event there is.
    pub seq: u64,
    /// The events, in order.
    pub events: Vec<Event>,
}

/// How a stream of events begins.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct StreamBegin {
    /// The name of the store's log.
    pub epoch: String,
    /// Events after this number are told.
    pub seq: u64,
    /// Whether the log that the client knew is another one: everything is to be read again.
    pub is_reset: bool,
}

/// Sessions that git was asked about.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FactsTold {
    /// Their ids.
    pub session_ids: Vec<SessionId>,
}
