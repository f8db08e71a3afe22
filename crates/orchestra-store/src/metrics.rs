//! What iterations used and how they went, in sums.

use orchestra_core::{RepositoryId, Timestamp};
use rusqlite::{Row, params};

use crate::columns::{column, millis};
use crate::{StoreError, Tx};

/// Rows of one answer; of more days than this, the newest are told.
const MOST_ROWS: u32 = 2_000;

/// Which iterations count: those whose agent was started in this time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MetricsFilter {
    /// From this moment on.
    pub from: Option<Timestamp>,
    /// Before this moment.
    pub until: Option<Timestamp>,
    /// Only those of one repository.
    pub repository: Option<RepositoryId>,
    /// How far east of UTC days begin, in minutes.
    pub utc_offset_minutes: i32,
}

/// What iterations are told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricsBy {
    /// Nothing: one row for all of them.
    Nothing,
    /// The day the agent was started, such as `2026-11-17`.
    Day,
    /// The agent that their session has now.
    Agent,
    /// The model that the agent told.
    Model,
    /// The main checkout of their session's repository.
    Repository,
}

impl MetricsBy {
    /// The expression for the key; `?4` is the offset in seconds.
    const fn key(self) -> &'static str {
        match self {
            Self::Nothing => "NULL",
            Self::Day => "date(iterations.started_at / 1000 + ?4, 'unixepoch')",
            Self::Agent => "sessions.agent",
            Self::Model => "iterations.model",
            Self::Repository => "repositories.root",
        }
    }
}

/// Sums over iterations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MetricsRow {
    /// What they have in common; `None` if nobody knows it.
    pub key: Option<String>,
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
    /// Those whose script ran.
    pub scripts: u64,
    /// Those whose script passed.
    pub scripts_passed: u64,
    /// Tokens sent to models that no cache served.
    pub input_tokens: u64,
    /// Tokens that models wrote.
    pub output_tokens: u64,
    /// Tokens served from caches.
    pub cache_read_tokens: u64,
    /// Tokens written to caches.
    pub cache_write_tokens: u64,
    /// Costs that agents told, in millionths of a dollar.
    pub reported_micro_usd: u64,
    /// Costs by tokens and prices, in millionths of a dollar.
    pub estimated_micro_usd: u64,
    /// Iterations whose cost is known either way.
    pub with_cost: u64,
    /// Time from start to end of those that are over, in milliseconds.
    pub duration_ms: u64,
}

/// Numbers that an agent tells are kept small enough that no sum of them fails.
const SUMS: &str = "
    count(*) AS iterations,
    count(DISTINCT iterations.session) AS sessions,
    coalesce(sum(outcome ->> 'kind' IN ('succeeded', 'awaiting_input')), 0) AS succeeded,
    coalesce(sum(outcome ->> 'kind' IN ('failed', 'blocked', 'interrupted', 'settled')), 0) AS failed,
    coalesce(sum(outcome ->> 'kind' = 'stopped'), 0) AS stopped,
    coalesce(sum(outcome IS NULL), 0) AS unfinished,
    count(script_passed) AS scripts,
    coalesce(sum(script_passed), 0) AS scripts_passed,
    coalesce(sum(CAST(min(usage ->> 'input_tokens', 1000000000000) AS INTEGER)), 0) AS input_tokens,
    coalesce(sum(CAST(min(usage ->> 'output_tokens', 1000000000000) AS INTEGER)), 0) AS output_tokens,
    coalesce(sum(CAST(min(usage ->> 'cache_read_tokens', 1000000000000) AS INTEGER)), 0) AS cache_read_tokens,
    coalesce(sum(CAST(min(usage ->> 'cache_write_tokens', 1000000000000) AS INTEGER)), 0) AS cache_write_tokens,
    coalesce(sum(CASE cost ->> 'source' WHEN 'reported'
        THEN CAST(min(cost ->> 'micro_usd', 1000000000000) AS INTEGER) END), 0) AS reported_micro_usd,
    coalesce(sum(CASE cost ->> 'source' WHEN 'estimated'
        THEN CAST(min(cost ->> 'micro_usd', 1000000000000) AS INTEGER) END), 0) AS estimated_micro_usd,
    count(cost) AS with_cost,
    coalesce(sum(max(iterations.finished_at - iterations.started_at, 0)), 0) AS duration_ms";

impl Tx<'_> {
    /// Sums over iterations, told apart by something, in the order of the keys.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn metrics(
        &self,
        filter: MetricsFilter,
        by: MetricsBy,
    ) -> Result<Vec<MetricsRow>, StoreError> {
        let key = by.key();
        let query = format!(
            "SELECT * FROM (SELECT {key} AS key, {SUMS}
             FROM iterations JOIN sessions ON sessions.id = iterations.session
                 JOIN repositories ON repositories.id = sessions.repository
             WHERE iterations.started_at IS NOT NULL
                 AND (?1 IS NULL OR iterations.started_at >= ?1)
                 AND (?2 IS NULL OR iterations.started_at < ?2)
                 AND (?3 IS NULL OR sessions.repository = ?3)
                 AND ?4 IS NOT NULL
             GROUP BY 1 ORDER BY 1 DESC LIMIT {MOST_ROWS}) ORDER BY key"
        );
        let mut statement = self.inner.prepare_cached(&query)?;
        let rows = statement.query_map(
            params![
                filter.from.map(millis),
                filter.until.map(millis),
                filter.repository.map(|id| id.0),
                i64::from(filter.utc_offset_minutes) * 60,
            ],
            |row| Ok(metrics(row)),
        )?;
        rows.map(|row| row?).collect()
    }
}

fn metrics(row: &Row<'_>) -> Result<MetricsRow, StoreError> {
    Ok(MetricsRow {
        key: column(row, "key")?,
        iterations: column(row, "iterations")?,
        sessions: column(row, "sessions")?,
        succeeded: column(row, "succeeded")?,
        failed: column(row, "failed")?,
        stopped: column(row, "stopped")?,
        unfinished: column(row, "unfinished")?,
        scripts: column(row, "scripts")?,
        scripts_passed: column(row, "scripts_passed")?,
        input_tokens: column(row, "input_tokens")?,
        output_tokens: column(row, "output_tokens")?,
        cache_read_tokens: column(row, "cache_read_tokens")?,
        cache_write_tokens: column(row, "cache_write_tokens")?,
        reported_micro_usd: column(row, "reported_micro_usd")?,
        estimated_micro_usd: column(row, "estimated_micro_usd")?,
        with_cost: column(row, "with_cost")?,
        duration_ms: column(row, "duration_ms")?,
    })
}
