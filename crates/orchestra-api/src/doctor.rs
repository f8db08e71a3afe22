//! The doctor's report on the wire.

use serde::Serialize;
use utoipa::ToSchema;

/// One thing that was looked at.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Diagnosis {
    /// What was looked at.
    pub name: String,
    /// `good`, `fixed`, `note` or `bad`.
    pub health: &'static str,
    /// In words.
    pub detail: String,
    /// What can be done about it.
    pub hint: Option<String>,
}

/// Everything that was looked at.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DoctorReport {
    /// Whether nothing is wrong.
    pub healthy: bool,
    /// The checks.
    pub checks: Vec<Diagnosis>,
}
