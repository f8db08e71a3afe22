//! What was done to a session: operations, undo, redo; and its work as a patch.

mod export;

use axum::extract::State;
use orchestra_api::{JobAnswer, OperationAnswer, OperationList};
use orchestra_engine::{Engine, EngineError, Undone};
use serde::Deserialize;
use utoipa::{IntoParams, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, Started, answer, started};
use crate::desk::{Desk, Progress};
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Path, Query, within};
use crate::landing;

const USUAL: usize = 100;
const MOST: usize = 1_000;

/// What jobs answer.
#[derive(OpenApi)]
#[openapi(components(schemas(OperationAnswer)))]
struct Answers;

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::with_openapi(Answers::openapi())
        .routes(routes!(list_operations))
        .routes(routes!(undo_operation))
        .routes(routes!(redo_operation))
        .routes(routes!(export::export_session))
        .routes(routes!(export::download_patch))
}

/// How many.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Newest {
    /// At most this many, the newest.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

/// What was done to a session, and what can be undone
#[utoipa::path(
    get, path = "/sessions/{session}/operations", tag = "operations",
    params(("session" = String, Path, description = "Id, unique prefix or name"), Newest),
    responses((status = 200, body = OperationList), Failures),
)]
async fn list_operations(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Query(newest): Query<Newest>,
) -> Answer<OperationList> {
    let most = within("limit", newest.limit, USUAL, 1..=MOST)?;
    let look = desk.look_at_session(session, move |engine, view| {
        let id = &view.session.id;
        let operations = engine.operations(id)?;
        Ok(landing::operation_list(engine, id, &operations, most)?)
    });
    answer(look.await?)
}

/// Take back the last operation on a session
///
/// Newest first; what would be lost is a refusal. The job's answer is an `OperationAnswer`.
#[utoipa::path(
    post, path = "/sessions/{session}/undo", tag = "operations",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn undo_operation(
    State(desk): State<Desk>,
    Path(session): Path<String>,
) -> Result<Started, ApiError> {
    let job = desk.start_in_session("undo_operation", session, |engine, view, progress| {
        progress.step("taking back the last operation");
        told(engine, progress, &engine.undo(&view.session.id)?)
    });
    started(job.await?)
}

/// Do again what was undone last
///
/// The job's answer is an `OperationAnswer`.
#[utoipa::path(
    post, path = "/sessions/{session}/redo", tag = "operations",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn redo_operation(
    State(desk): State<Desk>,
    Path(session): Path<String>,
) -> Result<Started, ApiError> {
    let job = desk.start_in_session("redo_operation", session, |engine, view, progress| {
        progress.step("doing again what was undone last");
        told(engine, progress, &engine.redo(&view.session.id)?)
    });
    started(job.await?)
}

/// With what nobody would expect as steps.
fn told(engine: &Engine, progress: &Progress, done: &Undone) -> Result<OperationAnswer, ApiError> {
    let unexpected = done.passage.warnings().into_iter().chain(done.note.clone());
    unexpected.for_each(|what| progress.step(what));
    let answer: Result<_, EngineError> = landing::operation_answer(engine, &done.operation);
    Ok(answer?)
}
