//! What is kept of sessions' runs: show, export, remove.

use axum::extract::State;
use orchestra_api::requests::{ExportData, PurgeData};
use orchestra_api::{DataReport, JobAnswer, PurgeReport};
use orchestra_core::{DataKind, SessionId};
use orchestra_engine::{Engine, Removed, SessionView};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, Started, answer, started};
use crate::data::{self, Owners};
use crate::desk::{Desk, JobOrder};
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::Body;
use crate::session_field;

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(get_data))
        .routes(routes!(export_data))
        .routes(routes!(plan_purge))
        .routes(routes!(purge_data))
}

/// Where data lies, how much it is, and whether it is private
#[utoipa::path(get, path = "/data", tag = "data", responses((status = 200, body = DataReport), Failures))]
async fn get_data(State(desk): State<Desk>) -> Answer<DataReport> {
    let look = desk.look(|engine| Ok(data::report(engine, &engine.kept_data()?)?));
    answer(look.await?)
}

/// Write everything that is kept of sessions into a new directory
///
/// It is for its owner alone, and there whole or not at all. The job succeeds with a `DataExported`; its steps also say what
/// could not be part of it.
#[utoipa::path(
    post, path = "/data/export", tag = "data", request_body = ExportData,
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn export_data(
    State(desk): State<Desk>,
    Body(request): Body<ExportData>,
) -> Result<Started, ApiError> {
    require_one("sessions", request.all, !request.sessions.is_empty())?;
    if !request.directory.is_absolute() {
        return Err(ApiError::invalid(
            "the directory is no whole path",
            "name one that does not exist, from the top",
        ));
    }
    let texts = request.sessions.clone();
    // Names that mean nothing are told at once.
    desk.look(move |engine| views(engine, &texts).map(drop))
        .await?;
    let order = JobOrder {
        operation: "export_data",
        session: None,
    };
    started(desk.start_job(order, move |desk, progress| {
        desk.act_now_in(None, |engine, _| {
            let views = match request.all {
                true => data::every_session(engine)?,
                false => views(engine, &request.sessions)?,
            };
            let all = views.len();
            let tell = |id: &SessionId, before: usize| {
                progress.step(format!("{id}  {} of {all}", before + 1));
            };
            let (exported, left_out) = data::export(engine, &views, &request.directory, tell)?;
            left_out
                .into_iter()
                .for_each(|problem| progress.step(problem));
            Ok(exported)
        })
    })?)
}

fn views(engine: &Engine, texts: &[String]) -> Result<Vec<SessionView>, ApiError> {
    let texts = texts.iter();
    texts
        .map(|text| Ok(engine.find_session(text, None)?))
        .collect()
}

/// What a removal of transcripts or logs would take; nothing is done
#[utoipa::path(
    post, path = "/data/purge/plan", tag = "data", request_body = PurgeData,
    responses((status = 200, body = PurgeReport), Failures),
)]
async fn plan_purge(
    State(desk): State<Desk>,
    Body(request): Body<PurgeData>,
) -> Answer<PurgeReport> {
    let look = desk.look(move |engine| {
        let plan = plan(engine, &request)?;
        let planned = Removed {
            rows: plan.rows,
            problems: Vec::new(),
        };
        Ok(data::purge_report(engine, &planned, plan.skipped, true)?)
    });
    answer(look.await?)
}

/// Remove transcripts or logs of sessions for good
///
/// Nothing brings them back; `plan_purge` says what goes. The job succeeds with a `PurgeReport`, which has the problems there
/// were.
#[utoipa::path(
    post, path = "/data/purge", tag = "data", request_body = PurgeData,
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn purge_data(
    State(desk): State<Desk>,
    Body(request): Body<PurgeData>,
) -> Result<Started, ApiError> {
    let asked = request.clone();
    // What would be refused is told at once.
    desk.look(move |engine| plan(engine, &asked).map(drop))
        .await?;
    let order = JobOrder {
        operation: "purge_data",
        session: None,
    };
    started(desk.start_job(order, move |desk, _| {
        desk.act_now_in(None, |engine, _| {
            let plan = plan(engine, &request)?;
            let removed = match plan.rows.is_empty() {
                true => Removed {
                    rows: plan.rows,
                    problems: Vec::new(),
                },
                false => engine.remove_data(plan.rows, "on request"),
            };
            Ok(data::purge_report(engine, &removed, plan.skipped, false)?)
        })
    })?)
}

fn plan(engine: &Engine, request: &PurgeData) -> Result<data::Plan, ApiError> {
    let is_many = request.all || request.older_than.is_some();
    require_one("sessions", is_many, !request.sessions.is_empty())?;
    if request.all && request.older_than.is_some() {
        return Err(ApiError::invalid(
            "`all` and `older_than` contradict each other",
            "send one of them",
        ));
    }
    let owners = match &request.older_than {
        Some(age) => Owners::Unused(session_field::duration(age)?),
        None if request.all => Owners::All,
        None => {
            let views = views(engine, &request.sessions)?.into_iter();
            Owners::These(views.map(|view| view.session.id).collect())
        }
    };
    Ok(data::plan(engine, &owners, &kinds(request)?)?)
}

fn kinds(request: &PurgeData) -> Result<Vec<DataKind>, ApiError> {
    let wanted = |kind: &DataKind| match kind {
        DataKind::Transcripts => request.transcripts,
        DataKind::Logs => request.logs,
    };
    let kinds: Vec<_> = DataKind::ALL.into_iter().filter(wanted).collect();
    match kinds.is_empty() {
        true => Err(ApiError::invalid(
            "it is not said what is removed",
            "send `transcripts`, `logs` or both",
        )),
        false => Ok(kinds),
    }
}

/// Sessions that are named, or more of them, but not both.
fn require_one(what: &str, is_many: bool, is_named: bool) -> Result<(), ApiError> {
    match is_many == is_named {
        true => Err(ApiError::invalid(
            format!("either {what} are named, or all are meant"),
            format!("send `{what}`, or `all`"),
        )),
        false => Ok(()),
    }
}
