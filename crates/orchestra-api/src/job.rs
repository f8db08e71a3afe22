//! Long work on the wire.

use orchestra_core::{SessionId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ErrorBody;

/// Long work that was asked for: it goes on after the answer.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Job {
    /// Sixteen hex digits.
    pub id: String,
    /// The operation that was asked for, such as `merge_session`.
    pub operation: String,
    /// The session it is about.
    pub session_id: Option<SessionId>,
    /// Whether it goes on.
    pub state: JobState,
    /// What it did so far, in words.
    pub steps: Vec<String>,
    /// Counts its changes.
    pub version: u64,
    /// What the operation answers, once it succeeded.
    pub answer: Option<serde_json::Value>,
    /// Why it failed.
    pub error: Option<ErrorBody>,
    /// When it was asked for.
    pub started_at: Timestamp,
    /// When it was over.
    pub finished_at: Option<Timestamp>,
}

/// Whether long work goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// It goes on.
    Running,
    /// It is done.
    Succeeded,
    /// It failed or was refused.
    Failed,
}

/// Long work that was asked for, or looked at.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct JobAnswer {
    /// The work.
    pub job: Job,
}

/// Long work of this server, newest first.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct JobList {
    /// Running, and over not long ago.
    pub jobs: Vec<Job>,
}
