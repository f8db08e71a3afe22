//! Metrics on the wire.

use orchestra_core::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What iterations used and how they went. Sessions that were forgotten do not count any more.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Metrics {
    /// The newest event it includes.
    pub seq: u64,
    /// Iterations whose agent was started from this moment on; `null`: all.
    pub from: Option<Timestamp>,
    /// Iterations whose agent was started before this moment; `null`: all.
    pub until: Option<Timestamp>,
    /// Everything in one sum.
    pub totals: MetricsSum,
    /// The same told apart, in the order that was asked for.
    pub series: Vec<MetricsSeries>,
}

/// Sums that are told apart by something.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MetricsSeries {
    /// By what.
    pub by: MetricsBy,
    /// In the order of the keys. Days on which nothing was started are left out.
    pub rows: Vec<MetricsPoint>,
}

/// What iterations are told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MetricsBy {
    /// The day the agent was started, such as `2026-11-17`.
    Day,
    /// The agent that their session has now.
    Agent,
    /// The model that the agent told.
    Model,
    /// The main checkout of their session's repository.
    Repository,
}

/// One sum of a series.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MetricsPoint {
    /// The day, agent, model or repository; `null` if nobody knows it.
    pub key: Option<String>,
    /// The sum.
    #[serde(flatten)]
    pub sum: MetricsSum,
}

/// Sums over iterations.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MetricsSum {
    /// How many there are.
    pub iterations: u64,
    /// The sessions they belong to.
    pub sessions: u64,
    /// Those whose agent finished its turn or asked something.
    pub succeeded: u64,
    /// Those that failed, were blocked or interrupted.
    pub failed: u64,
    /// Those that the user stopped.
    pub stopped: u64,
    /// Those that are not over.
    pub unfinished: u64,
    /// `succeeded` of `succeeded` and `failed`, from 0 to 1; `null` if there are none.
    pub success_rate: Option<f64>,
    /// Those whose script ran.
    pub scripts: u64,
    /// Those whose script passed.
    pub scripts_passed: u64,
    /// What agents used.
    pub tokens: MetricsTokens,
    /// What that cost, as far as it is known.
    pub cost: MetricsCost,
    /// Time from start to end of those that are over, in milliseconds.
    pub duration_ms: u64,
}

/// Tokens.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MetricsTokens {
    /// Sent to models, and served by no cache.
    pub input: u64,
    /// Written by models.
    pub output: u64,
    /// Served from caches.
    pub cache_read: u64,
    /// Written to caches.
    pub cache_write: u64,
    /// The sum.
    pub total: u64,
}

/// Costs in millionths of a US dollar. What nobody knows is in none of the sums.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MetricsCost {
    /// Both sources together.
    pub micro_usd: u64,
    /// What agents told.
    pub reported_micro_usd: u64,
    /// By tokens and prices.
    pub estimated_micro_usd: u64,
    /// Iterations whose cost is known either way.
    pub known_iterations: u64,
    /// Iterations whose cost nobody knows.
    pub unknown_iterations: u64,
    /// The average of those whose cost is known; `null` if there are none.
    pub average_micro_usd: Option<u64>,
}

/// How this server does.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ServerMetrics {
    /// Sixteen hex digits: another server has another name.
    pub name: String,
    /// The program's version.
    pub version: &'static str,
    /// Its process.
    pub pid: u32,
    /// Since when it is there.
    pub started_at: Timestamp,
    /// How long that is, in milliseconds.
    pub uptime_ms: u64,
    /// Requests since then, this one included.
    pub requests: u64,
    /// Event streams that are open now.
    pub streams: usize,
    /// Long work that goes on now.
    pub running_jobs: usize,
    /// The name of the store's log.
    pub epoch: String,
    /// The newest event.
    pub seq: u64,
    /// How large the store is.
    pub store_bytes: u64,
}
