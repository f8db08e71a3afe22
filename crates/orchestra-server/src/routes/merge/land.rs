//! Several sessions: those that land together, and those that get into each other's way.

use std::path::PathBuf;

use axum::extract::State;
use orchestra_api::requests::{LandSessions, MergeForm};
use orchestra_api::{ConflictMatrix, JobAnswer, LandAnswer};
use orchestra_core::SessionId;
use orchestra_engine::{
    Engine, EngineError, LandRequest, LandStep, MergeOrder, MergeRequest, SessionView,
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{after_merge, mode};
use crate::answer::{Answer, Started, answer, started};
use crate::desk::{Desk, JobOrder, Progress};
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Body, Query};
use crate::landing;

/// Land several sessions one after another
///
/// Each is put on top of what landed before it, its script runs there, everything is checked, and it is merged. It stops at
/// the first that cannot land; the same request again goes on there. The job's answer is a `LandAnswer`.
#[utoipa::path(
    post, path = "/land", tag = "landing", request_body = LandSessions,
    responses((status = 202, body = JobAnswer), Failures),
)]
pub(super) async fn land_sessions(
    State(desk): State<Desk>,
    Body(request): Body<LandSessions>,
) -> Result<Started, ApiError> {
    if request.form == MergeForm::CherryPick {
        return Err(ApiError::invalid(
            "commits cannot be picked from several sessions",
            "merge each session by itself",
        ));
    }
    let Some(first) = request.sessions.first().cloned() else {
        return Err(ApiError::invalid(
            "no session is named",
            "name one at least",
        ));
    };
    let texts = request.clone();
    // What is not there is told at once.
    desk.look(move |engine| find(engine, &texts)).await?;
    let order = JobOrder {
        operation: "land_sessions",
        session: None,
    };
    started(desk.start_job(order, move |desk, progress| {
        desk.act_now(&first, |engine, _| land(engine, progress, &request))
    })?)
}

/// The sessions, and pairs of which the second lands first.
type Found = (Vec<SessionId>, Vec<(SessionId, SessionId)>);

fn find(engine: &Engine, request: &LandSessions) -> Result<Found, ApiError> {
    let id = |text: &String| -> Result<SessionId, EngineError> {
        Ok(engine.find_session(text, None)?.session.id)
    };
    let sessions: Result<Vec<_>, _> = request.sessions.iter().map(id).collect();
    let sessions = sessions?;
    let mut depends = Vec::new();
    for dependency in &request.depends_on {
        let later = dependency.later.as_ref().map(id).transpose()?;
        let earlier = id(&dependency.earlier)?;
        depends.extend(landing::dependencies(later, &earlier, &sessions));
    }
    Ok((sessions, depends))
}

fn land(
    engine: &Engine,
    progress: &Progress,
    request: &LandSessions,
) -> Result<LandAnswer, ApiError> {
    let (sessions, depends) = find(engine, request)?;
    let mut after = None;
    for id in &sessions {
        engine.recover_session(id)?;
        let view = engine.session(id)?;
        allow_script(engine, &view, request.allow_commands)?;
        if after.is_none() {
            after = Some(after_merge(
                engine,
                &view,
                progress,
                request.allow_commands,
            )?);
        }
    }
    let request = LandRequest {
        sessions,
        depends,
        order: MergeOrder {
            merge: MergeRequest {
                mode: mode(request.form),
                overridden: request.overridden.clone(),
                ..MergeRequest::default()
            },
            after_merge: after.flatten(),
            push: false,
        },
    };
    let mut on_step = |view: &SessionView, step: LandStep<'_>| {
        progress.step(landing::step_in_words(view, step));
    };
    let rows = engine.land(&request, &mut on_step)?;
    Ok(landing::land_answer(engine, &rows)?)
}

/// A session without a script of its own is tested with the repository's.
fn allow_script(engine: &Engine, view: &SessionView, allow: bool) -> Result<(), ApiError> {
    let script = match engine.script_command(&view.session, None) {
        Err(EngineError::ScriptMissing { .. }) => return Ok(()),
        found => found?,
    };
    if allow {
        engine.consent_to(view.repository.id, &[script])?;
    }
    Ok(())
}

/// Which repository.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Of {
    /// A directory in the repository, by its whole path.
    #[param(value_type = String)]
    repository: PathBuf,
}

/// Which sessions conflict with each other or with their base
///
/// Every session with commits that have not landed is merged with its base and with every other one, in memory.
#[utoipa::path(
    get, path = "/conflicts", tag = "landing", params(Of),
    responses((status = 200, body = ConflictMatrix), Failures),
)]
pub(super) async fn compare_sessions(
    State(desk): State<Desk>,
    Query(of): Query<Of>,
) -> Answer<ConflictMatrix> {
    let look = desk.look_in_repository(Some(of.repository), |engine, root| {
        let known = root.map(|root| engine.known_repository(root)).transpose()?;
        let known = known.flatten().ok_or_else(|| {
            ApiError::not_found(
                "repository.no_sessions",
                "the repository has no sessions",
                "make one first; `list_sessions` shows every session",
            )
        })?;
        let matrix = engine.conflict_matrix(&known)?;
        Ok(landing::conflict_matrix(engine, &matrix))
    });
    answer(look.await?)
}
