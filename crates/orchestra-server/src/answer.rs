//! Answers that went well.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use orchestra_api::{Job, JobAnswer};
use serde::Serialize;

use crate::error::ApiError;

/// What a handler answers.
pub(crate) type Answer<T> = Result<Answered<T>, ApiError>;

/// A body with its status.
#[derive(Debug)]
pub(crate) struct Answered<T> {
    status: StatusCode,
    body: T,
}

/// What was asked for.
pub(crate) fn answer<T>(body: T) -> Answer<T> {
    Ok(Answered {
        status: StatusCode::OK,
        body,
    })
}

/// Something new is there.
pub(crate) fn created<T>(body: T) -> Answer<T> {
    Ok(Answered {
        status: StatusCode::CREATED,
        body,
    })
}

/// Something goes on after this answer.
pub(crate) fn accepted<T>(body: T) -> Answer<T> {
    Ok(Answered {
        status: StatusCode::ACCEPTED,
        body,
    })
}

impl<T: Serialize> IntoResponse for Answered<T> {
    fn into_response(self) -> Response {
        let Ok(body) = serde_json::to_vec(&self.body) else {
            return ApiError::broken_off().into_response();
        };
        let headers = [(header::CONTENT_TYPE, "application/json")];
        (self.status, headers, body).into_response()
    }
}

/// Long work, and where it can be looked at.
#[derive(Debug)]
pub(crate) struct Started(Job);

/// Long work was started.
pub(crate) fn started(job: Job) -> Result<Started, ApiError> {
    Ok(Started(job))
}

impl IntoResponse for Started {
    fn into_response(self) -> Response {
        let place = format!("/api/v1/jobs/{}", self.0.id);
        let body = Json(JobAnswer { job: self.0 });
        (StatusCode::ACCEPTED, [(header::LOCATION, place)], body).into_response()
    }
}
