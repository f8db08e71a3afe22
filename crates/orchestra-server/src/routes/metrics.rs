//! Metrics: what iterations used and how they went, and how this server does.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use axum::extract::State;
use orchestra_api::{
    JobState, Metrics, MetricsBy, MetricsCost, MetricsPoint, MetricsSeries, MetricsSum,
    MetricsTokens, ServerMetrics,
};
use orchestra_core::Timestamp;
use orchestra_engine::{MetricsFilter, MetricsRow, main_checkout_of};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, answer};
use crate::desk::Desk;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::Query;

/// No place on earth is further from UTC.
const FURTHEST: i32 = 14 * 60;

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(get_metrics))
        .routes(routes!(get_server_metrics))
}

/// Which iterations count, and what they are told apart by.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// Only iterations whose agent was started from this moment on, such as `2026-11-01T00:00:00Z`.
    from: Option<Timestamp>,
    /// Only iterations whose agent was started before this moment.
    until: Option<Timestamp>,
    /// Only those of a repository: a directory in it, by its whole path.
    #[param(value_type = Option<String>)]
    repository: Option<PathBuf>,
    /// `day`, `agent`, `model` and `repository`, with commas between.
    by: Option<String>,
    /// How far east of UTC days begin, in minutes.
    #[serde(default)]
    #[param(minimum = -840, maximum = 840)]
    utc_offset_minutes: i32,
}

/// Sums of what iterations used and how they went, for a dashboard
///
/// Tokens, costs with their source, iterations, average cost and success rate; on request also by day, agent, model and
/// repository.
#[utoipa::path(
    get, path = "/metrics", tag = "metrics", params(Wanted),
    responses((status = 200, body = Metrics), Failures),
)]
async fn get_metrics(State(desk): State<Desk>, Query(wanted): Query<Wanted>) -> Answer<Metrics> {
    let by = parts(wanted.by.as_deref())?;
    require_offset(wanted.utc_offset_minutes)?;
    let look = desk.look(move |engine| {
        let root = wanted.repository.as_deref();
        let root = root.map(|path| main_checkout_of(path).unwrap_or_else(|| path.to_owned()));
        let repository = root.map(|root| engine.repository_key(&root)).transpose()?;
        let filter = MetricsFilter {
            from: wanted.from,
            until: wanted.until,
            repository,
            utc_offset_minutes: wanted.utc_offset_minutes,
        };
        let seq = engine.last_seq()?;
        let mut asked = vec![orchestra_engine::MetricsBy::Nothing];
        asked.extend(by.iter().copied().map(in_store));
        let mut found = engine.metrics(filter, &asked)?.into_iter();
        let totals = found.next().and_then(|rows| rows.into_iter().next());
        Ok(Metrics {
            seq,
            from: wanted.from,
            until: wanted.until,
            totals: sum(&totals.unwrap_or_default()),
            series: by.into_iter().zip(found).map(series).collect(),
        })
    });
    answer(look.await?)
}

fn parts(by: Option<&str>) -> Result<Vec<MetricsBy>, ApiError> {
    let words = by.iter().flat_map(|by| by.split(',')).map(str::trim);
    let mut parts = Vec::new();
    for word in words {
        let part = match word {
            "day" => MetricsBy::Day,
            "agent" => MetricsBy::Agent,
            "model" => MetricsBy::Model,
            "repository" => MetricsBy::Repository,
            _ => {
                return Err(ApiError::invalid(
                    format!("iterations are not told apart by `{word}`"),
                    "by day, agent, model or repository",
                ));
            }
        };
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    Ok(parts)
}

fn require_offset(minutes: i32) -> Result<(), ApiError> {
    match (-FURTHEST..=FURTHEST).contains(&minutes) {
        true => Ok(()),
        false => Err(ApiError::invalid(
            format!("no day begins {minutes} minutes from UTC"),
            "at most 840 minutes to the east or, with a minus, to the west",
        )),
    }
}

const fn in_store(by: MetricsBy) -> orchestra_engine::MetricsBy {
    match by {
        MetricsBy::Day => orchestra_engine::MetricsBy::Day,
        MetricsBy::Agent => orchestra_engine::MetricsBy::Agent,
        MetricsBy::Model => orchestra_engine::MetricsBy::Model,
        MetricsBy::Repository => orchestra_engine::MetricsBy::Repository,
    }
}

fn series((by, rows): (MetricsBy, Vec<MetricsRow>)) -> MetricsSeries {
    let rows = rows.into_iter().map(|row| MetricsPoint {
        sum: sum(&row),
        key: row.key,
    });
    MetricsSeries {
        by,
        rows: rows.collect(),
    }
}

fn sum(row: &MetricsRow) -> MetricsSum {
    let ended = row.succeeded + row.failed;
    #[expect(
        clippy::cast_precision_loss,
        reason = "nobody has that many iterations"
    )]
    let rate = (ended > 0).then(|| row.succeeded as f64 / ended as f64);
    MetricsSum {
        iterations: row.iterations,
        sessions: row.sessions,
        succeeded: row.succeeded,
        failed: row.failed,
        stopped: row.stopped,
        unfinished: row.unfinished,
        success_rate: rate,
        scripts: row.scripts,
        scripts_passed: row.scripts_passed,
        tokens: tokens(row),
        cost: cost(row),
        duration_ms: row.duration_ms,
    }
}

fn tokens(row: &MetricsRow) -> MetricsTokens {
    let parts = [
        row.input_tokens,
        row.output_tokens,
        row.cache_read_tokens,
        row.cache_write_tokens,
    ];
    MetricsTokens {
        input: row.input_tokens,
        output: row.output_tokens,
        cache_read: row.cache_read_tokens,
        cache_write: row.cache_write_tokens,
        total: parts.into_iter().fold(0, u64::saturating_add),
    }
}

fn cost(row: &MetricsRow) -> MetricsCost {
    let both = row
        .reported_micro_usd
        .saturating_add(row.estimated_micro_usd);
    MetricsCost {
        micro_usd: both,
        reported_micro_usd: row.reported_micro_usd,
        estimated_micro_usd: row.estimated_micro_usd,
        known_iterations: row.with_cost,
        unknown_iterations: row.iterations.saturating_sub(row.with_cost),
        average_micro_usd: both.checked_div(row.with_cost),
    }
}

/// How this server does: since when it is there, who listens, how large the store is
#[utoipa::path(
    get, path = "/server/metrics", tag = "metrics",
    responses((status = 200, body = ServerMetrics), Failures),
)]
async fn get_server_metrics(State(desk): State<Desk>) -> Answer<ServerMetrics> {
    let look = desk.look(|engine| Ok((engine.epoch()?, engine.last_seq()?, engine.store_bytes())));
    let (epoch, seq, store_bytes) = look.await?;
    let jobs = desk.jobs.all();
    let running = jobs.iter().filter(|job| job.state == JobState::Running);
    answer(ServerMetrics {
        name: desk.name().to_owned(),
        version: env!("CARGO_PKG_VERSION"),
        pid: std::process::id(),
        started_at: desk.started_at(),
        uptime_ms: desk.uptime_ms(),
        requests: desk.asked.load(Ordering::Relaxed),
        streams: desk.feed.listeners(),
        running_jobs: running.count(),
        epoch,
        seq,
        store_bytes,
    })
}
