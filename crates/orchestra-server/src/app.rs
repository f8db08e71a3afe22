//! The router, the same for every face: a listener puts a gate before it, the desktop app sends requests in process.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router, routing};
use orchestra_config::{DataDirs, Environment};
use orchestra_engine::{AppPresence, Clock, EngineError, OpenOptions};

use crate::body;
use crate::desk::{Desk, DeskParts};
use crate::document::{PREFIX, with_writes};
use crate::error::ApiError;
use crate::page;
use crate::routes;
use crate::web;

/// The engine over HTTP.
#[derive(Clone)]
pub struct App {
    router: Router,
    pub(crate) desk: Desk,
}

impl App {
    /// Opens the engine.
    ///
    /// # Errors
    /// If the data directory or the store cannot be used.
    pub fn open(options: OpenOptions) -> Result<Self, ApiError> {
        let desk = DeskParts::open(options)?;
        Ok(Self {
            router: router(&desk),
            desk,
        })
    }

    /// Opens the engine for a face that is this process itself, with its environment. `program` runs iterations and scripts.
    ///
    /// # Errors
    /// If the data directory or the store cannot be used.
    pub fn of_process(program: PathBuf) -> Result<Self, ApiError> {
        Self::open(OpenOptions {
            environment: Environment::of_process(),
            repository: None,
            flags: Vec::new(),
            program,
            clock: Clock::System,
        })
    }

    /// All routes.
    pub fn router(&self) -> Router {
        self.router.clone()
    }

    /// Says that the desktop app is open, so that it is the one to show notifications; `None` if another one is.
    ///
    /// # Errors
    /// If that cannot be told to others.
    pub async fn announce_desktop(&self) -> Result<Option<AppPresence>, ApiError> {
        self.desk.look(|engine| Ok(engine.announce_app()?)).await
    }
}

/// The data directory of this process.
///
/// # Errors
/// If it has none.
pub fn data_directory() -> Result<PathBuf, ApiError> {
    let dirs = DataDirs::of(&Environment::of_process()).map_err(EngineError::from)?;
    Ok(dirs.root().to_owned())
}

/// The OpenAPI document.
#[must_use]
pub fn document() -> utoipa::openapi::OpenApi {
    let (_, document) = routes::all().split_for_parts();
    with_writes(document)
}

fn router(desk: &Desk) -> Router {
    let (operations, document) = routes::all().split_for_parts();
    let document = with_writes(document);
    let shown = page::html(&document);
    let page = move || async move { ([(CONTENT_TYPE, "text/html; charset=utf-8")], shown) };
    operations
        .layer(from_fn_with_state(desk.clone(), body::once))
        .layer(from_fn_with_state(desk.clone(), count))
        .route(
            &format!("{PREFIX}/openapi.json"),
            routing::get(move || async move { Json(document) }),
        )
        .route("/api", routing::get(page))
        .fallback(other_address)
        .method_not_allowed_fallback(unknown_method)
        .layer(from_fn(web::rules))
        .with_state(desk.clone())
}

async fn count(State(desk): State<Desk>, request: Request, next: Next) -> Response {
    desk.asked.fetch_add(1, Ordering::Relaxed);
    next.run(request).await
}

/// Whatever is no operation belongs to the page.
async fn other_address(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let is_operation = uri.path() == "/api" || uri.path().starts_with("/api/");
    if !is_operation && matches!(method, Method::GET | Method::HEAD) {
        return web::answer(uri.path(), &headers);
    }
    ApiError::not_found(
        "address.not_found",
        "there is nothing at this address",
        "/api lists the operations",
    )
    .into_response()
}

async fn unknown_method() -> Response {
    ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "request.method",
        "this address is not asked that way",
        "/api lists the operations",
    )
    .into_response()
}
