//! Worktrees: list, adopt, prune.

use axum::extract::State;
use orchestra_api::requests::{AdoptWorktree, InRepository};
use orchestra_api::{Pruned, SessionAnswer, WorktreeList};
use orchestra_engine::EngineError;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::repositories::At;
use crate::answer::{Answer, answer, created};
use crate::desk::Desk;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Body, Query};
use crate::{repository, wire};

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(list_worktrees))
        .routes(routes!(adopt_worktree))
        .routes(routes!(prune_worktrees))
}

/// List the worktrees of a repository, and the sessions they belong to
#[utoipa::path(
    get, path = "/worktrees", tag = "worktrees", params(At),
    responses((status = 200, body = WorktreeList), Failures),
)]
async fn list_worktrees(State(desk): State<Desk>, Query(at): Query<At>) -> Answer<WorktreeList> {
    let path = at.path.clone();
    let look = desk.look_in_repository(Some(at.path), move |engine, _| {
        Ok(repository::worktrees(engine, &path)?)
    });
    answer(look.await?)
}

/// Make a session of a worktree that exists; nothing in it is changed
#[utoipa::path(
    post, path = "/worktrees/adopt", tag = "worktrees", request_body = AdoptWorktree,
    responses((status = 201, body = SessionAnswer), Failures),
)]
async fn adopt_worktree(
    State(desk): State<Desk>,
    Body(request): Body<AdoptWorktree>,
) -> Answer<SessionAnswer> {
    let order = read(&request)?;
    let act = desk.act_in_repository(Some(request.path), move |engine, _| {
        let adopted = engine.adopt_worktree(&order)?;
        Ok(wire::answer(engine, &adopted.session.id)?)
    });
    created(act.await?)
}

fn read(request: &AdoptWorktree) -> Result<orchestra_engine::AdoptWorktree, ApiError> {
    let name = request.name.as_deref().map(str::parse).transpose();
    let base = request.base.as_deref().map(str::parse).transpose();
    Ok(orchestra_engine::AdoptWorktree {
        path: request.path.clone(),
        name: name.map_err(EngineError::Name)?,
        prompt: request
            .prompt
            .clone()
            .unwrap_or_else(|| repository::CONTINUE.to_owned()),
        base: base.map_err(EngineError::Branch)?,
        agent: request.agent.clone(),
    })
}

/// Forget registrations of sessions' worktrees whose directory is gone; branches stay
#[utoipa::path(
    post, path = "/worktrees/prune", tag = "worktrees", request_body = InRepository,
    responses((status = 200, body = Pruned), Failures),
)]
async fn prune_worktrees(
    State(desk): State<Desk>,
    Body(request): Body<InRepository>,
) -> Answer<Pruned> {
    let path = request.repository.clone();
    let act = desk.act_in_repository(Some(request.repository), move |engine, _| {
        let pruned = engine.prune_worktrees(&path)?;
        let seq = engine.last_seq()?;
        Ok(Pruned { seq, pruned })
    });
    answer(act.await?)
}
