//! Repositories: those that are known, one that sessions could be made in, and its settings file.

use std::path::PathBuf;

use axum::extract::State;
use orchestra_api::requests::InRepository;
use orchestra_api::{InitProposal, RepositoryDetail, RepositoryList};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, answer, created};
use crate::desk::Desk;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Body, Query};
use crate::repository;

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(list_repositories))
        .routes(routes!(get_repository))
        .routes(routes!(propose_settings_file, write_settings_file))
}

/// The repository that is meant.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct At {
    /// A directory in the repository, by its whole path.
    #[param(value_type = String)]
    pub(super) path: PathBuf,
}

/// List the repositories that are known, with the number of their sessions
#[utoipa::path(get, path = "/repositories", tag = "repositories", responses((status = 200, body = RepositoryList), Failures))]
async fn list_repositories(State(desk): State<Desk>) -> Answer<RepositoryList> {
    let look = desk.look(|engine| Ok(repository::list(engine)?));
    answer(look.await?)
}

/// Look at the repository that a directory belongs to
///
/// With the branches that sessions can start from, and how far behind their remotes they are. No remote is asked.
#[utoipa::path(
    get, path = "/repository", tag = "repositories", params(At),
    responses((status = 200, body = RepositoryDetail), Failures),
)]
async fn get_repository(
    State(desk): State<Desk>,
    Query(at): Query<At>,
) -> Answer<RepositoryDetail> {
    let path = at.path.clone();
    let look = desk.look_in_repository(Some(at.path), move |engine, _| {
        Ok(repository::detail(engine, &path)?)
    });
    answer(look.await?)
}

/// Look at a repository and propose its settings file
#[utoipa::path(
    get, path = "/repository/settings-file", tag = "repositories", params(At),
    responses((status = 200, body = InitProposal), Failures),
)]
async fn propose_settings_file(
    State(desk): State<Desk>,
    Query(at): Query<At>,
) -> Answer<InitProposal> {
    let path = at.path.clone();
    let look = desk.look_in_repository(Some(at.path), move |engine, _| {
        Ok(repository::init(&engine.propose_init(&path)?))
    });
    answer(look.await?)
}

/// Write the proposed settings file; one that exists is never replaced
///
/// Whoever asks for it has read its commands, so they may run from then on.
#[utoipa::path(
    post, path = "/repository/settings-file", tag = "repositories", request_body = InRepository,
    responses((status = 201, body = InitProposal), Failures),
)]
async fn write_settings_file(
    State(desk): State<Desk>,
    Body(request): Body<InRepository>,
) -> Answer<InitProposal> {
    let path = request.repository.clone();
    let act = desk.act_in_repository(Some(request.repository), move |engine, _| {
        let proposal = engine.propose_init(&path)?;
        if proposal.exists {
            return Err(ApiError::refused(
                "settings_file.exists",
                format!("{} exists already", proposal.file.display()),
                "it is left as it is; `set_setting` changes single settings",
            ));
        }
        engine.write_init(&proposal)?;
        Ok(repository::init(&proposal))
    });
    created(act.await?)
}
