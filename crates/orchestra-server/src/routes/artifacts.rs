//! Artifacts: files that were collected from a session's worktree.

use std::fs::File;
use std::io::{self, Read};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{
    CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS,
};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use orchestra_api::ArtifactsAnswer;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, answer};
use crate::desk::Desk;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::Path;
use crate::review;

/// How much of a file is in memory at once.
const PIECE: u64 = 64 * 1024;

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(list_artifacts, collect_artifacts))
        .routes(routes!(get_artifact))
}

/// List what was collected from a session's worktree
#[utoipa::path(
    get, path = "/sessions/{session}/artifacts", tag = "artifacts",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = ArtifactsAnswer), Failures),
)]
async fn list_artifacts(
    State(desk): State<Desk>,
    Path(session): Path<String>,
) -> Answer<ArtifactsAnswer> {
    let look = desk.look_at_session(session, |engine, view| {
        let id = &view.session.id;
        let (artifacts, folder) = engine.artifacts(id)?;
        Ok(review::artifacts(engine, id, artifacts, &folder)?)
    });
    answer(look.await?)
}

/// Collect reports and other files of a session in the folder `artifacts` of the repository
#[utoipa::path(
    post, path = "/sessions/{session}/artifacts", tag = "artifacts",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = ArtifactsAnswer), Failures),
)]
async fn collect_artifacts(
    State(desk): State<Desk>,
    Path(session): Path<String>,
) -> Answer<ArtifactsAnswer> {
    let act = desk.act_in_session(session, |engine, view| {
        let id = &view.session.id;
        let done = engine.collect_artifacts(id)?;
        Ok(review::collected(engine, id, done)?)
    });
    answer(act.await?)
}

/// Download an artifact
#[utoipa::path(
    get, path = "/sessions/{session}/artifacts/{artifact}", tag = "artifacts",
    params(
        ("session" = String, Path, description = "Id, unique prefix or name"),
        ("artifact" = String, Path, description = "Its name, as the list tells it"),
    ),
    responses((status = 200, description = "The file", content_type = "application/octet-stream", body = Vec<u8>), Failures),
)]
async fn get_artifact(
    State(desk): State<Desk>,
    Path((session, name)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let look = desk.look_at_session(session, move |engine, view| {
        let opened = engine.open_artifact(&view.session.id, &name)?;
        opened.ok_or_else(|| {
            ApiError::not_found(
                "artifact.not_found",
                format!("there is no artifact `{name}` of this session"),
                "list its artifacts, or collect them again",
            )
        })
    });
    let file = look.await?;
    let length = file.metadata().map_err(|_| ApiError::broken_off())?.len();
    // What an agent made is never shown as a page of this server.
    let headers = [
        (CONTENT_TYPE, "application/octet-stream".to_owned()),
        (CONTENT_DISPOSITION, "attachment".to_owned()),
        (X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (CONTENT_LENGTH, length.to_string()),
    ];
    Ok((headers, Body::from_stream(pieces(file, length))).into_response())
}

/// A file that grows meanwhile is cut where it was long.
fn pieces(file: File, length: u64) -> impl stream::Stream<Item = io::Result<Bytes>> {
    stream::try_unfold(file.take(length), |mut file| async move {
        let read = tokio::task::spawn_blocking(move || {
            let mut piece = Vec::new();
            file.by_ref().take(PIECE).read_to_end(&mut piece)?;
            Ok::<_, io::Error>((piece, file))
        });
        let (piece, file) = read.await.map_err(io::Error::other)??;
        Ok((!piece.is_empty()).then(|| (Bytes::from(piece), file)))
    })
}
