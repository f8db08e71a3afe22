//! Failures as HTTP shows them: `{ "error": { "code", "message", "hint" } }`. One place decides the status.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use orchestra_api::{ErrorBody, ErrorReport};
use orchestra_engine::{EngineError, ErrorClass, FileError, chain};

/// A failure with everything that is sent of it.
#[derive(Debug, Clone)]
pub struct ApiError {
    /// The status of the answer.
    pub status: StatusCode,
    /// What the body says.
    pub body: ErrorBody,
}

impl ApiError {
    /// A failure of the request itself.
    pub fn new(
        status: StatusCode,
        code: &str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            status,
            body: ErrorBody {
                code: code.to_owned(),
                message: message.into(),
                hint: Some(hint.into()),
            },
        }
    }

    /// What was asked for makes no sense.
    pub fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "input.invalid", message, hint)
    }

    /// Something that is named is not there.
    pub fn not_found(code: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, message, hint)
    }

    /// It was refused, and nothing was changed.
    pub fn refused(code: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, message, hint)
    }

    /// The work behind an answer broke off.
    pub(crate) fn broken_off() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "server.broken_off",
            "the work behind this answer broke off",
            "look at the session and ask again; the log of the server says more",
        )
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        let status = status_of(&error);
        if status.is_server_error() {
            tracing::error!(code = error.code(), error = %chain::text(&error), "a request failed");
        }
        Self {
            status,
            body: ErrorBody {
                code: error.code().to_owned(),
                message: chain::text(&error),
                hint: error.hint(),
            },
        }
    }
}

/// The status that a failure of the engine is answered with.
fn status_of(error: &EngineError) -> StatusCode {
    match error {
        EngineError::SessionNotFound { .. }
        | EngineError::IterationMissing { .. }
        | EngineError::ScriptMissing { .. }
        | EngineError::File(FileError::Missing { .. }) => StatusCode::NOT_FOUND,
        EngineError::File(FileError::TooLarge { .. }) => StatusCode::PAYLOAD_TOO_LARGE,
        other => match other.class() {
            ErrorClass::Failed => StatusCode::INTERNAL_SERVER_ERROR,
            ErrorClass::Usage => StatusCode::BAD_REQUEST,
            ErrorClass::Refused
            | ErrorClass::Conflicts
            | ErrorClass::Agent
            | ErrorClass::Finished => StatusCode::CONFLICT,
        },
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(ErrorReport { error: self.body })).into_response()
    }
}
