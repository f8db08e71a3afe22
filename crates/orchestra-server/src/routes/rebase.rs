//! The commits of a session: squash, rebase, conflicts, resolve.

use std::path::PathBuf;

use axum::extract::State;
use orchestra_api::requests::{
    RebaseSession, RebaseStep, RegenerateLockfile, ResolveConflict, ResolveWith, SquashSession,
};
use orchestra_api::{ConflictList, ConflictSides, JobAnswer, Rebased, Resolved, Squashed};
use orchestra_core::BranchName;
use orchestra_engine::{EngineError, RebaseAction, ResolveHow, SquashOrder};
use serde::Deserialize;
use utoipa::{IntoParams, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, Started, answer, started};
use crate::desk::Desk;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Body, Path, Query};
use crate::{consent, landing, plain_text};

/// What jobs answer.
#[derive(OpenApi)]
#[openapi(components(schemas(Rebased)))]
struct Answers;

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::with_openapi(Answers::openapi())
        .routes(routes!(squash_session))
        .routes(routes!(rebase_session))
        .routes(routes!(step_rebase))
        .routes(routes!(list_conflicts))
        .routes(routes!(compare_conflict))
        .routes(routes!(resolve_conflict))
        .routes(routes!(regenerate_lockfile))
}

/// Make one commit of a session's commits
#[utoipa::path(
    post, path = "/sessions/{session}/squash", tag = "landing", request_body = SquashSession,
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = Squashed), Failures),
)]
async fn squash_session(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Body(request): Body<SquashSession>,
) -> Answer<Squashed> {
    plain_text::require("message", Some(&request.message))?;
    let act = desk.act_in_session(session, move |engine, view| {
        let order = SquashOrder {
            message: request.message,
            keep_manual: request.keep_manual,
        };
        let id = &view.session.id;
        let done = engine.squash(id, &order)?;
        Ok(landing::squashed(engine, id, &done)?)
    });
    answer(act.await?)
}

/// Put a session's commits onto its base
///
/// The job's answer is a `Rebased`. Where a commit does not fit, its state is `conflicted`: `resolve_conflict` decides the
/// files, `step_rebase` goes on.
#[utoipa::path(
    post, path = "/sessions/{session}/rebase", tag = "landing", request_body = RebaseSession,
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn rebase_session(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Body(request): Body<RebaseSession>,
) -> Result<Started, ApiError> {
    let onto = request.onto.as_deref().map(str::parse::<BranchName>);
    let onto = onto.transpose().map_err(EngineError::from)?;
    let job = desk.start_in_session("rebase_session", session, move |engine, view, progress| {
        let id = &view.session.id;
        let base = onto.as_ref().unwrap_or(&view.session.base_branch);
        progress.step(format!("putting the commits of {id} onto {base}"));
        let done = engine.rebase(id, onto.as_ref())?;
        let conflicts = landing::rebase_outcome(engine, id, &done)?;
        Ok(landing::rebased(engine, id, &done, conflicts.as_ref())?)
    });
    started(job.await?)
}

/// Go on with a rebase that waits at a conflict, or give it up
///
/// The job's answer is a `Rebased`.
#[utoipa::path(
    post, path = "/sessions/{session}/rebase/{step}", tag = "landing",
    params(
        ("session" = String, Path, description = "Id, unique prefix or name"),
        ("step" = inline(RebaseStep), Path, description = "What becomes of it"),
    ),
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn step_rebase(
    State(desk): State<Desk>,
    Path((session, step)): Path<(String, RebaseStep)>,
) -> Result<Started, ApiError> {
    let action = match step {
        RebaseStep::Continue => RebaseAction::Continue,
        RebaseStep::Skip => RebaseAction::Skip,
        RebaseStep::Abort => RebaseAction::Abort,
    };
    let job = desk.start_in_session("step_rebase", session, move |engine, view, progress| {
        progress.step(match action {
            RebaseAction::Continue => "going on with the rebase",
            RebaseAction::Skip => "going on without this commit",
            RebaseAction::Abort => "giving the rebase up",
        });
        let id = &view.session.id;
        let done = engine.rebase_step(id, action)?;
        let conflicts = landing::rebase_outcome(engine, id, &done)?;
        Ok(landing::rebased(engine, id, &done, conflicts.as_ref())?)
    });
    started(job.await?)
}

/// What git could not decide in a session
///
/// On a session that is not conflicted: what a rebase onto its base would stop at first, tried in memory. *Ours* is the
/// base, *theirs* is the session's commit, as git says in a rebase.
#[utoipa::path(
    get, path = "/sessions/{session}/conflicts", tag = "landing",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = ConflictList), Failures),
)]
async fn list_conflicts(
    State(desk): State<Desk>,
    Path(session): Path<String>,
) -> Answer<ConflictList> {
    let look = desk.look_at_session(session, |engine, view| {
        let id = &view.session.id;
        let found = engine.conflicts(id)?;
        Ok(landing::conflict_list(engine, id, found)?)
    });
    answer(look.await?)
}

/// Which file.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct File {
    /// The file, from the top of the worktree.
    #[param(value_type = String)]
    path: PathBuf,
}

/// What each side has of a file in conflict
///
/// For a view side by side. Versions of more than 1 MiB are left out.
#[utoipa::path(
    get, path = "/sessions/{session}/conflicts/sides", tag = "landing",
    params(("session" = String, Path, description = "Id, unique prefix or name"), File),
    responses((status = 200, body = ConflictSides), Failures),
)]
async fn compare_conflict(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Query(file): Query<File>,
) -> Answer<ConflictSides> {
    let look = desk.look_at_session(session, move |engine, view| {
        let id = &view.session.id;
        let sides = engine.conflict_sides(id, &file.path)?;
        Ok(landing::conflict_sides(engine, id, sides)?)
    });
    answer(look.await?)
}

/// Decide a conflict in one file
///
/// An edited file may be sent as `content`. `undo_operation` brings the conflict back.
#[utoipa::path(
    post, path = "/sessions/{session}/conflicts/resolve", tag = "landing", request_body = ResolveConflict,
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = Resolved), Failures),
)]
async fn resolve_conflict(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Body(request): Body<ResolveConflict>,
) -> Answer<Resolved> {
    let how = how(&request)?;
    let act = desk.act_in_session(session, move |engine, view| {
        let id = &view.session.id;
        let done = engine.resolve(id, &request.path, &how)?;
        Ok(landing::resolved(engine, id, done)?)
    });
    answer(act.await?)
}

fn how(request: &ResolveConflict) -> Result<ResolveHow, ApiError> {
    match (request.with, &request.content) {
        (ResolveWith::Edited, Some(content)) => Ok(ResolveHow::Given(content.clone().into_bytes())),
        (_, Some(_)) => Err(ApiError::invalid(
            "only an edited file has content of its own",
            "leave out `content`, or send `edited`",
        )),
        (ResolveWith::Edited, None) => Ok(ResolveHow::Edited),
        (ResolveWith::Ours, None) => Ok(ResolveHow::Ours),
        (ResolveWith::Theirs, None) => Ok(ResolveHow::Theirs),
        (ResolveWith::Delete, None) => Ok(ResolveHow::Deleted),
    }
}

/// Decide a conflict in a lockfile: the package manager writes it again
///
/// The base's version is taken, and the package manager, or the repository's script `install`, runs in the worktree. The
/// job's answer is a `Resolved`.
#[utoipa::path(
    post, path = "/sessions/{session}/conflicts/regenerate", tag = "landing", request_body = RegenerateLockfile,
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn regenerate_lockfile(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Body(request): Body<RegenerateLockfile>,
) -> Result<Started, ApiError> {
    let job = desk.start_in_session("regenerate_lockfile", session, move |engine, view, _| {
        let (repository, allow) = (&view.repository, request.allow_commands);
        consent::command(engine, repository, "scripts.install", allow)?;
        let id = &view.session.id;
        let done = engine.resolve(id, &request.path, &ResolveHow::Regenerate)?;
        Ok(landing::resolved(engine, id, done)?)
    });
    started(job.await?)
}
