//! Notifications on the wire.

use orchestra_core::{SessionId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

/// Events that deserve a notification, in order.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct NotificationList {
    /// The name of the store's log: numbers of another one mean nothing here.
    pub epoch: String,
    /// The newest event there is.
    pub seq: u64,
    /// Whether the user wants notifications at all.
    pub is_wanted: bool,
    /// Ask for those after this number next.
    pub next: u64,
    /// Those that were found; may be none although there are more.
    pub notifications: Vec<Notification>,
}

/// An event that deserves a notification.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Notification {
    /// The event's number in the log.
    pub event: u64,
    /// When it happened.
    pub at: Timestamp,
    /// The session it is about.
    pub session_id: SessionId,
    /// The event's type: `iteration_finished`, `permission_requested`, `script_finished` or `operation_finished`.
    pub kind: &'static str,
    /// The first line of the notification.
    pub title: String,
    /// The second one; may be empty.
    pub body: String,
    /// Whether a face shows it already.
    pub is_claimed: bool,
}

/// Whether whoever asked shows a notification.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ClaimAnswer {
    /// Whether it is theirs to show.
    pub claimed: bool,
    /// What it says.
    pub notification: Notification,
}
