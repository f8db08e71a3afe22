//! The engine in this process, asked as `orchestra serve` is asked: by requests to its router.

use std::path::PathBuf;

use axum::Router;
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use orchestra_server::{ApiError, App, AppPresence};
use serde::de::DeserializeOwned;
use tower::ServiceExt;

/// Where the operations are.
const API: &str = "/api/v1";

#[derive(Clone)]
pub(crate) struct Engine {
    app: App,
    router: Router,
}

impl Engine {
    pub(crate) fn open(program: PathBuf) -> Result<Self, ApiError> {
        let app = App::of_process(program)?;
        let router = app.router();
        Ok(Self { app, router })
    }

    /// Says that this app shows notifications; `None` if another one does.
    pub(crate) async fn announce(&self) -> Result<Option<AppPresence>, ApiError> {
        self.app.announce_desktop().await
    }

    pub(crate) async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let Ok(answer) = self.router.clone().oneshot(request).await;
        answer
    }

    /// What an operation that only looks answers; `None` if it cannot.
    pub(crate) async fn look<T: DeserializeOwned>(&self, path: &str) -> Option<T> {
        self.ask(Method::GET, path, Body::empty()).await
    }

    /// What an operation that does something answers; `None` if it refuses.
    pub(crate) async fn act<T: DeserializeOwned>(&self, path: &str) -> Option<T> {
        self.ask(Method::POST, path, Body::from("{}")).await
    }

    async fn ask<T: DeserializeOwned>(&self, method: Method, path: &str, body: Body) -> Option<T> {
        let request = Request::builder()
            .method(method)
            .uri(format!("{API}{path}"))
            .header(CONTENT_TYPE, "application/json")
            .body(body)
            .ok()?;
        let answer = self.answer(request).await;
        let status = answer.status();
        let bytes = answer.into_body().collect().await.ok()?.to_bytes();
        if status != StatusCode::OK {
            tracing::warn!(%status, path, "the engine refused");
            return None;
        }
        let read = serde_json::from_slice(&bytes);
        read.inspect_err(|error| tracing::warn!(%error, path, "an answer cannot be read"))
            .ok()
    }
}
