//! What requests say, with failures that look like all others.

use std::fmt::Display;
use std::ops::RangeInclusive;

use axum::body::Bytes;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::error::ApiError;

/// A body of JSON; none at all is an object that says nothing.
pub(crate) struct Body<T>(pub(crate) T);

/// The part of an address behind the question mark.
pub(crate) struct Query<T>(pub(crate) T);

/// The variable parts of an address.
pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let body = Bytes::from_request(Request::new(body), state).await;
        let body = body.map_err(|rejection| body_problem(&rejection.into()))?;
        let read = match body.is_empty() {
            true => axum::Json::<T>::from_bytes(b"{}"),
            false => {
                let request = Request::from_parts(parts, body.into());
                axum::Json::<T>::from_request(request, state).await
            }
        };
        let axum::Json(value) = read.map_err(|rejection| body_problem(&rejection))?;
        Ok(Self(value))
    }
}

fn body_problem(rejection: &JsonRejection) -> ApiError {
    let (status, code) = match rejection {
        JsonRejection::MissingJsonContentType(_) => {
            (StatusCode::UNSUPPORTED_MEDIA_TYPE, "request.media_type")
        }
        other if other.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            (StatusCode::PAYLOAD_TOO_LARGE, "request.too_large")
        }
        _ => (StatusCode::BAD_REQUEST, "request.invalid"),
    };
    ApiError::new(
        status,
        code,
        rejection.body_text(),
        "send a JSON object as the document of this API describes it",
    )
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let read = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        let axum::extract::Query(value) =
            read.map_err(|it: QueryRejection| invalid_address(it.body_text()))?;
        Ok(Self(value))
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let read = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        let axum::extract::Path(value) =
            read.map_err(|it: PathRejection| invalid_address(it.body_text()))?;
        Ok(Self(value))
    }
}

fn invalid_address(message: String) -> ApiError {
    ApiError::new(
        StatusCode::BAD_REQUEST,
        "request.invalid",
        message,
        "the document of this API says what an address may have",
    )
}

/// What a query asks for, as far as the document allows it.
pub(crate) fn within<T: PartialOrd + Display + Copy>(
    name: &str,
    given: Option<T>,
    usual: T,
    allowed: RangeInclusive<T>,
) -> Result<T, ApiError> {
    let given = given.unwrap_or(usual);
    if allowed.contains(&given) {
        return Ok(given);
    }
    let (least, most) = allowed.into_inner();
    Err(ApiError::invalid(
        format!("`{name}` is {given}"),
        format!("choose something from {least} to {most}"),
    ))
}
