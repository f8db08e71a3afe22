//! What was done in a session: its log, commits by hand, and what the guard saw.

use axum::extract::State;
use orchestra_api::requests::CommitChanges;
use orchestra_api::{Committed, GuardAnswer, SessionLog};
use orchestra_core::IterationNumber;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, answer, created};
use crate::desk::Desk;
use crate::document::Failures;
use crate::extract::{Body, Path, Query};
use crate::review;

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(get_session_log))
        .routes(routes!(commit_changes))
        .routes(routes!(get_guard_report))
}

/// Commits, iterations and script runs of a session
#[utoipa::path(
    get, path = "/sessions/{session}/log", tag = "review",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = SessionLog), Failures),
)]
async fn get_session_log(
    State(desk): State<Desk>,
    Path(session): Path<String>,
) -> Answer<SessionLog> {
    let look = desk.look_at_session(session, |engine, view| Ok(review::log(engine, view)?));
    answer(look.await?)
}

/// Commit changes you made in a session's worktree
#[utoipa::path(
    post, path = "/sessions/{session}/commits", tag = "review", request_body = CommitChanges,
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 201, body = Committed), Failures),
)]
async fn commit_changes(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Body(request): Body<CommitChanges>,
) -> Answer<Committed> {
    let act = desk.act_in_session(session, move |engine, view| {
        let id = &view.session.id;
        let done = engine.commit(id, &request.message, &request.paths)?;
        Ok(review::committed(engine, id, done)?)
    });
    created(act.await?)
}

/// Which iteration.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Guarded {
    /// Another iteration than the last.
    iteration: Option<u32>,
}

/// What changed outside of a session's worktree while its agent ran
#[utoipa::path(
    get, path = "/sessions/{session}/guard", tag = "review",
    params(("session" = String, Path, description = "Id, unique prefix or name"), Guarded),
    responses((status = 200, body = GuardAnswer), Failures),
)]
async fn get_guard_report(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Query(wanted): Query<Guarded>,
) -> Answer<GuardAnswer> {
    let look = desk.look_at_session(session, move |engine, view| {
        let id = &view.session.id;
        let (seq, report) = review::guard(engine, id, wanted.iteration.map(IterationNumber))?;
        Ok(review::guard_answer(id.clone(), seq, report))
    });
    answer(look.await?)
}
