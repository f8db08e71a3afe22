//! Commands of a repository's settings: list, allow, forget.

use axum::extract::State;
use orchestra_api::requests::ChooseCommands;
use orchestra_api::{CommandChange, CommandList};
use orchestra_engine::{Engine, EngineError};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::repositories::At;
use crate::answer::{Answer, answer};
use crate::desk::Desk;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Body, Query};
use crate::project_command::{self, Change, Chosen};
use crate::wire;

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(list_commands))
        .routes(routes!(allow_commands))
        .routes(routes!(forget_commands))
}

/// List every command of a repository's settings, and whether it may run
#[utoipa::path(
    get, path = "/commands", tag = "commands", params(At),
    responses((status = 200, body = CommandList), Failures),
)]
async fn list_commands(State(desk): State<Desk>, Query(at): Query<At>) -> Answer<CommandList> {
    let look = desk.look_in_repository(Some(at.path), |engine, root| {
        let seq = engine.last_seq()?;
        let commands = match root {
            Some(root) => project_command::list(engine, root)?,
            None => Vec::new(),
        };
        Ok(CommandList {
            seq,
            commands: wire::project_commands(engine, &commands),
        })
    });
    answer(look.await?)
}

/// Allow commands of a repository's own settings file
#[utoipa::path(
    post, path = "/commands/allow", tag = "commands", request_body = ChooseCommands,
    responses((status = 200, body = CommandChange), Failures),
)]
async fn allow_commands(
    State(desk): State<Desk>,
    Body(request): Body<ChooseCommands>,
) -> Answer<CommandChange> {
    answer(change(&desk, request, "allowed", project_command::allow).await?)
}

/// Take back what was allowed, whether or not it is still set
#[utoipa::path(
    post, path = "/commands/forget", tag = "commands", request_body = ChooseCommands,
    responses((status = 200, body = CommandChange), Failures),
)]
async fn forget_commands(
    State(desk): State<Desk>,
    Body(request): Body<ChooseCommands>,
) -> Answer<CommandChange> {
    answer(change(&desk, request, "forgotten", project_command::forget).await?)
}

async fn change(
    desk: &Desk,
    request: ChooseCommands,
    done: &'static str,
    change: fn(&Engine, &std::path::Path, Chosen<'_>) -> Result<Change, EngineError>,
) -> Result<CommandChange, ApiError> {
    if request.all != request.settings.is_empty() {
        return Err(ApiError::invalid(
            "either settings are named, or all are meant",
            "send `settings` with names such as scripts.test, or `all`",
        ));
    }
    let act = desk.act_in_repository(Some(request.repository), move |engine, root| {
        let chosen = match request.all {
            true => Chosen::All,
            false => Chosen::Of(&request.settings),
        };
        let changed = root.map(|root| change(engine, root, chosen)).transpose()?;
        let (settings, problems) = changed.map_or_else(Default::default, |changed| {
            (changed.settings, changed.problems)
        });
        Ok(CommandChange {
            seq: engine.last_seq()?,
            done,
            settings,
            problems,
        })
    });
    act.await
}
