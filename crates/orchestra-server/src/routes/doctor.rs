//! The doctor: what is wrong, and repairing what is ours.

use axum::extract::State;
use orchestra_api::requests::{CheckSandbox, Repair};
use orchestra_api::{DoctorReport, JobAnswer, SandboxAnswer};
use orchestra_engine::examine;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::settings::Whose;
use crate::answer::{Answer, Started, answer, started};
use crate::desk::{Desk, JobOrder};
use crate::doctor;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Body, Query};
use crate::sandbox;

/// What jobs answer.
#[derive(OpenApi)]
#[openapi(components(schemas(SandboxAnswer)))]
struct Answers;

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::with_openapi(Answers::openapi())
        .routes(routes!(examine_installation))
        .routes(routes!(repair_installation))
        .routes(routes!(check_sandbox))
}

/// Check everything sessions depend on; nothing is changed
#[utoipa::path(
    get, path = "/doctor", tag = "doctor", params(Whose),
    responses((status = 200, body = DoctorReport), Failures),
)]
async fn examine_installation(
    State(desk): State<Desk>,
    Query(whose): Query<Whose>,
) -> Answer<DoctorReport> {
    let options = desk.open_options(whose.repository.as_deref())?;
    let look = desk.look(move |_| Ok(doctor::report(&examine(&options, false).checks)));
    answer(look.await?)
}

/// Check everything sessions depend on, and repair what is ours
///
/// The job succeeds with a `DoctorReport`, whether or not everything is well then.
#[utoipa::path(
    post, path = "/doctor/repair", tag = "doctor", request_body = Repair,
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn repair_installation(
    State(desk): State<Desk>,
    Body(request): Body<Repair>,
) -> Result<Started, ApiError> {
    let options = desk.open_options(request.repository.as_deref())?;
    let order = JobOrder {
        operation: "repair_installation",
        session: None,
    };
    started(desk.start_job(order, move |_, _| {
        Ok(doctor::report(&examine(&options, true).checks))
    })?)
}

/// Try what this machine has to hold agents in a sandbox
///
/// The job succeeds with a `SandboxAnswer`, whether or not it holds.
#[utoipa::path(
    post, path = "/sandbox/check", tag = "doctor", request_body = CheckSandbox,
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn check_sandbox(
    State(desk): State<Desk>,
    Body(request): Body<CheckSandbox>,
) -> Result<Started, ApiError> {
    let order = JobOrder {
        operation: "check_sandbox",
        session: None,
    };
    started(desk.start_job(order, move |desk, progress| {
        progress.step("trying to get out of a sandbox");
        desk.act_now_in(request.repository.as_deref(), |engine, _| {
            Ok(sandbox::answer(&engine.check_sandbox()?))
        })
    })?)
}
