//! Bodies of requests: read whole before anything is done, within a size and a time. A write with a key is done once.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, Limited};
use orchestra_api::JobAnswer;
use orchestra_engine::{BegunRequest, KeptAnswer};
use serde::Deserialize;

use crate::desk::Desk;
use crate::error::ApiError;

/// The largest body.
const LARGEST: usize = 1024 * 1024;
/// How long a body may take to arrive.
const LONGEST: Duration = Duration::from_secs(30);
/// The largest answer that is kept for a key.
const LARGEST_ANSWER: usize = 8 * 1024 * 1024;
/// The longest key of a write.
pub(crate) const LONGEST_KEY: usize = 200;
const KEY: &str = "idempotency-key";
const REPLAYED: &str = "idempotency-replayed";

/// Reads the body; a write whose key was used before is answered as it was then.
pub(crate) async fn once(State(desk): State<Desk>, request: Request, next: Next) -> Response {
    answer(&desk, request, next)
        .await
        .unwrap_or_else(ApiError::into_response)
}

async fn answer(desk: &Desk, request: Request, next: Next) -> Result<Response, ApiError> {
    let (parts, body) = request.into_parts();
    let body = read(body).await?;
    let key = match parts.headers.get(KEY) {
        Some(key) if !matches!(parts.method, Method::GET | Method::HEAD) => Some(require_key(key)?),
        _ => None,
    };
    let Some(key) = key else {
        return Ok(next.run(Request::from_parts(parts, body.into())).await);
    };
    let mut print = blake3::Hasher::new();
    for part in [
        parts.method.as_str().as_bytes(),
        parts.uri.path().as_bytes(),
        parts.uri.query().unwrap_or_default().as_bytes(),
        &body,
    ] {
        print.update(&(part.len() as u64).to_le_bytes());
        print.update(part);
    }
    let print = print.finalize().to_hex().to_string();
    match begin(desk, &key, print).await? {
        BegunRequest::New => {}
        BegunRequest::Answered(kept) => return replay(desk, kept),
        BegunRequest::Running => {
            return Err(refusal(
                "request.running",
                "a request with this key is being worked on",
                "wait for its answer",
            ));
        }
        BegunRequest::Unknown => return Err(unknown_outcome()),
        BegunRequest::Other => {
            return Err(refusal(
                "request.key_used",
                "another request had this key",
                "use a new key for every request",
            ));
        }
    }
    let response = next.run(Request::from_parts(parts, body.into())).await;
    keep(desk, key, response).await
}

fn refusal(code: &str, message: &str, hint: &str) -> ApiError {
    ApiError::refused(code, message, hint)
}

async fn read(body: Body) -> Result<Bytes, ApiError> {
    let whole = tokio::time::timeout(LONGEST, Limited::new(body, LARGEST).collect()).await;
    let whole = whole.map_err(|_| {
        ApiError::new(
            StatusCode::REQUEST_TIMEOUT,
            "request.too_slow",
            "the body did not arrive in time",
            "send it within 30 seconds",
        )
    })?;
    let whole = whole.map_err(
        |error| match error.is::<http_body_util::LengthLimitError>() {
            true => ApiError::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "request.too_large",
                "the body is larger than 1 MiB",
                "send less at once",
            ),
            false => ApiError::new(
                StatusCode::BAD_REQUEST,
                "request.cut_off",
                "the body was cut off",
                "send it again",
            ),
        },
    )?;
    Ok(whole.to_bytes())
}

fn require_key(key: &HeaderValue) -> Result<String, ApiError> {
    let text = key.to_str().ok().map(str::trim);
    let usable = text.filter(|text| !text.is_empty() && text.len() <= LONGEST_KEY);
    usable.map(str::to_owned).ok_or_else(|| {
        ApiError::invalid(
            "the idempotency key cannot be used",
            "take up to 200 printable characters",
        )
    })
}

async fn begin(desk: &Desk, key: &str, print: String) -> Result<BegunRequest, ApiError> {
    let key = key.to_owned();
    let server = desk.name().to_owned();
    desk.look(move |engine| Ok(engine.begin_request(&key, &print, &server)?))
        .await
}

/// Remembers the answer of a write. One that was refused or failed is forgotten, so that the same key tries again.
async fn keep(desk: &Desk, key: String, response: Response) -> Result<Response, ApiError> {
    let (parts, body) = response.into_parts();
    let whole = body.collect().await.map_err(|_| ApiError::broken_off())?;
    let whole = whole.to_bytes();
    let is_kept = parts.status.is_success() && whole.len() <= LARGEST_ANSWER;
    let kept = is_kept.then(|| KeptAnswer {
        status: parts.status.as_u16(),
        body: String::from_utf8_lossy(&whole).into_owned(),
    });
    desk.look(move |engine| Ok(engine.end_request(&key, kept.as_ref())?))
        .await?;
    Ok(Response::from_parts(parts, whole.into()))
}

/// The answer that was given then. Long work is told as it is now: nobody knows what became of a job of a server that
/// ended since.
fn replay(desk: &Desk, kept: KeptAnswer) -> Result<Response, ApiError> {
    let status = StatusCode::from_u16(kept.status).map_err(|_| ApiError::broken_off())?;
    let headers = [
        (
            axum::http::header::CONTENT_TYPE.as_str(),
            "application/json",
        ),
        (REPLAYED, "true"),
    ];
    let Some(id) = job_in(&kept) else {
        return Ok((status, headers, kept.body).into_response());
    };
    let job = desk.jobs.find(&id).ok_or_else(unknown_outcome)?;
    let body = serde_json::to_string(&JobAnswer { job }).map_err(|_| ApiError::broken_off())?;
    Ok((status, headers, body).into_response())
}

/// The job that an answer told of.
fn job_in(kept: &KeptAnswer) -> Option<String> {
    #[derive(Deserialize)]
    struct Told {
        job: Named,
    }
    #[derive(Deserialize)]
    struct Named {
        id: String,
    }
    let told: Told = serde_json::from_str(&kept.body).ok()?;
    Some(told.job.id).filter(|_| kept.status == StatusCode::ACCEPTED.as_u16())
}

fn unknown_outcome() -> ApiError {
    refusal(
        "request.unknown_outcome",
        "the server ended while it worked on a request with this key",
        "look whether it was done, and use a new key",
    )
}
