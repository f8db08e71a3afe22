//! Sessions: list, look, make, change, put away, forget.

mod create;
mod list;

use axum::extract::State;
use orchestra_api::requests::SetField;
use orchestra_api::{Database, Forgotten, SessionAnswer, SessionDetail};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, answer};
use crate::desk::Desk;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Body, Path};
use crate::{session_detail, session_field, wire};

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(list::list_sessions, create::create_session))
        .routes(routes!(get_session, forget_session))
        .routes(routes!(refresh_session))
        .routes(routes!(set_session_field))
        .routes(routes!(archive_session, unarchive_session))
}

/// Look at a session
///
/// With what is uncommitted in its worktree, ports, databases, artifacts, approval and budget. Git is asked.
#[utoipa::path(
    get, path = "/sessions/{session}", tag = "sessions",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = SessionDetail), Failures),
)]
async fn get_session(
    State(desk): State<Desk>,
    Path(session): Path<String>,
) -> Answer<SessionDetail> {
    let look = desk.look_at_session(session, |engine, view| {
        engine.recover_session(&view.session.id)?;
        let view = engine.session(&view.session.id)?;
        Ok(session_detail::load(engine, view)?.answer(engine))
    });
    answer(look.await?)
}

/// Ask git about a session again
#[utoipa::path(
    post, path = "/sessions/{session}/refresh", tag = "sessions",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = SessionAnswer), Failures),
)]
async fn refresh_session(
    State(desk): State<Desk>,
    Path(session): Path<String>,
) -> Answer<SessionAnswer> {
    let look = desk.look_at_session(session, |engine, view| {
        Ok(wire::fresh_answer(engine, &view.session.id)?)
    });
    answer(look.await?)
}

/// Change a field of a session
#[utoipa::path(
    put, path = "/sessions/{session}/fields/{field}", tag = "sessions", request_body = SetField,
    params(
        ("session" = String, Path, description = "Id, unique prefix or name"),
        ("field" = String, Path, description = "The field, such as `notes`, `model` or `budget`"),
    ),
    responses((status = 200, body = SessionAnswer), Failures),
)]
async fn set_session_field(
    State(desk): State<Desk>,
    Path((session, field)): Path<(String, String)>,
    Body(request): Body<SetField>,
) -> Answer<SessionAnswer> {
    let act = desk.act_in_session(session, move |engine, view| {
        let directory = &view.repository.root;
        let field = session_field::parse(&field, &request.value, directory)?;
        let changed = engine.set_field(&view.session.id, &field)?;
        Ok(wire::answer(engine, &changed.session.id)?)
    });
    answer(act.await?)
}

/// Put a session away; its branch and worktree stay
#[utoipa::path(
    put, path = "/sessions/{session}/archived", tag = "sessions",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = SessionAnswer), Failures),
)]
async fn archive_session(
    State(desk): State<Desk>,
    Path(session): Path<String>,
) -> Answer<SessionAnswer> {
    answer(put_away(&desk, session, true).await?)
}

/// Bring a session back that was put away
#[utoipa::path(
    delete, path = "/sessions/{session}/archived", tag = "sessions",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = SessionAnswer), Failures),
)]
async fn unarchive_session(
    State(desk): State<Desk>,
    Path(session): Path<String>,
) -> Answer<SessionAnswer> {
    answer(put_away(&desk, session, false).await?)
}

async fn put_away(desk: &Desk, session: String, archived: bool) -> Result<SessionAnswer, ApiError> {
    let act = desk.look_at_session(session, move |engine, view| {
        let changed = engine.archive_session(&view.session.id, archived)?;
        Ok(wire::answer(engine, &changed.session.id)?)
    });
    act.await
}

/// Forget a session of which nothing is left
#[utoipa::path(
    delete, path = "/sessions/{session}", tag = "sessions",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = Forgotten), Failures),
)]
async fn forget_session(
    State(desk): State<Desk>,
    Path(session): Path<String>,
) -> Answer<Forgotten> {
    let act = desk.look_at_session(session, |engine, view| {
        let done = engine.forget_session(&view.session.id)?;
        Ok(Forgotten {
            seq: engine.last_seq()?,
            id: done.session.id,
            name: done.session.name.to_string(),
            left: done.left,
            databases: done.databases.into_iter().map(Database::from).collect(),
        })
    });
    answer(act.await?)
}
