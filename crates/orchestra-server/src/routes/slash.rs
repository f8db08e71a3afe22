//! Slash commands: which there are, and how one is used.

use std::path::PathBuf;

use axum::extract::State;
use axum::http::StatusCode;
use orchestra_api::{SlashAnswer, SlashList};
use orchestra_engine::{EngineError, SlashError};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, answer};
use crate::desk::Desk;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Path, Query};
use crate::slash;

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(list_slash_commands))
        .routes(routes!(get_slash_command))
}

/// Whose slash commands are meant, beside the user's.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Whose {
    /// Those of a session's repository: id, unique prefix or name.
    session: Option<String>,
    /// Those of a repository: a directory in it, by its whole path.
    #[param(value_type = Option<String>)]
    repository: Option<PathBuf>,
}

impl Whose {
    /// A directory of the repository.
    async fn place(self, desk: &Desk) -> Result<Option<PathBuf>, ApiError> {
        let Some(session) = self.session else {
            return Ok(self.repository);
        };
        let look =
            desk.look(move |engine| Ok(engine.find_session(&session, None)?.repository.root));
        look.await.map(Some)
    }
}

/// List the slash commands there are
#[utoipa::path(
    get, path = "/slash-commands", tag = "slash commands", params(Whose),
    responses((status = 200, body = SlashList), Failures),
)]
async fn list_slash_commands(
    State(desk): State<Desk>,
    Query(whose): Query<Whose>,
) -> Answer<SlashList> {
    let place = whose.place(&desk).await?;
    let look = desk.look_in_repository(place, |engine, root| {
        Ok(slash::list(engine, &engine.slash_commands(root)?)?)
    });
    answer(look.await?)
}

/// How a slash command is used
#[utoipa::path(
    get, path = "/slash-commands/{name}", tag = "slash commands",
    params(("name" = String, Path, description = "Its name, without the slash"), Whose),
    responses((status = 200, body = SlashAnswer), Failures),
)]
async fn get_slash_command(
    State(desk): State<Desk>,
    Path(name): Path<String>,
    Query(whose): Query<Whose>,
) -> Answer<SlashAnswer> {
    let place = whose.place(&desk).await?;
    let look = desk.look_in_repository(place, move |engine, root| {
        slash::find(engine, &name, root).map_err(missing)
    });
    answer(look.await?)
}

/// One that is not there has an address at which nothing is.
fn missing(error: EngineError) -> ApiError {
    let is_missing = matches!(error, EngineError::Slash(SlashError::Unknown { .. }));
    let mut error = ApiError::from(error);
    if is_missing {
        error.status = StatusCode::NOT_FOUND;
    }
    error
}
