//! Ports and databases that belong to sessions.

use axum::extract::State;
use orchestra_api::LeaseList;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, answer};
use crate::desk::Desk;
use crate::document::Failures;
use crate::extract::Query;
use crate::lease;

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new().routes(routes!(list_leases))
}

/// Whose leases are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Whose {
    /// Only those of this session: id, unique prefix or name.
    session: Option<String>,
}

/// List ports and databases that belong to sessions
#[utoipa::path(
    get, path = "/leases", tag = "leases", params(Whose),
    responses((status = 200, body = LeaseList), Failures),
)]
async fn list_leases(State(desk): State<Desk>, Query(whose): Query<Whose>) -> Answer<LeaseList> {
    let look = desk.look(move |engine| {
        let only = match &whose.session {
            Some(text) => Some(engine.find_session(text, None)?.session.id),
            None => None,
        };
        Ok(lease::load(engine, only.as_ref())?.answer())
    });
    answer(look.await?)
}
