//! Long work: what runs, and how it went.

use std::time::Duration;

use axum::extract::State;
use orchestra_api::{JobAnswer, JobList};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, answer};
use crate::desk::Desk;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Path, Query};

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(list_jobs))
        .routes(routes!(get_job))
}

/// List long work
#[utoipa::path(get, path = "/jobs", tag = "jobs", responses((status = 200, body = JobList), Failures))]
async fn list_jobs(State(desk): State<Desk>) -> Answer<JobList> {
    answer(JobList {
        jobs: desk.jobs.all(),
    })
}

/// How long to wait for its end.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Waiting {
    /// Answer once it is over, or after this many milliseconds.
    #[serde(default)]
    #[param(maximum = 60000)]
    wait_ms: u64,
}

/// The longest wait.
const LONGEST: u64 = 60_000;

/// Look at long work, or wait for its end
#[utoipa::path(
    get, path = "/jobs/{job}", tag = "jobs", params(("job" = String, Path), Waiting),
    responses((status = 200, body = JobAnswer), Failures),
)]
async fn get_job(
    State(desk): State<Desk>,
    Path(id): Path<String>,
    Query(waiting): Query<Waiting>,
) -> Answer<JobAnswer> {
    let longest = Duration::from_millis(waiting.wait_ms.min(LONGEST));
    let job = desk.jobs.wait(&id, longest).await;
    let job = job.ok_or_else(|| {
        ApiError::not_found(
            "job.not_found",
            format!("there is no job `{id}`"),
            "jobs are forgotten a while after their end and when the server ends; the session says how it stands",
        )
    })?;
    answer(JobAnswer { job })
}
