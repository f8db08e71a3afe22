//! How failures look on the wire.

use serde::Serialize;
use utoipa::ToSchema;

/// A failure: `{ "error": { "code", "message", "hint" } }`.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ErrorReport {
    /// What went wrong.
    pub error: ErrorBody,
}

/// What went wrong. Programs branch on `code`, never on text.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ErrorBody {
    /// A stable code, such as `session.busy`.
    pub code: String,
    /// The message with its causes.
    pub message: String,
    /// What can be done about it.
    pub hint: Option<String>,
}

impl From<&orchestra_core::RunProblem> for ErrorBody {
    fn from(problem: &orchestra_core::RunProblem) -> Self {
        Self {
            code: problem.code.clone(),
            message: problem.message.clone(),
            hint: problem.hint.clone(),
        }
    }
}
