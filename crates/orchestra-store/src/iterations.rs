//! Iterations.

use orchestra_core::{Iteration, IterationNumber, Progress, SessionId, Timestamp};
use rusqlite::{OptionalExtension, Row, params};

use crate::columns::{
    column, json, json_option, millis, parsed, parsed_option, timestamp, timestamp_option, to_json,
    unreadable,
};
use crate::{StoreError, Tx};

/// An iteration that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewIteration<'a> {
    /// Its session.
    pub session: &'a SessionId,
    /// What the user added.
    pub input: Option<&'a str>,
    /// Whether its changes are committed.
    pub commit: bool,
    /// When it was asked for.
    pub queued_at: Timestamp,
}

impl Tx<'_> {
    /// Adds an iteration with the next number of its session.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn insert_iteration(&self, new: &NewIteration<'_>) -> Result<Iteration, StoreError> {
        self.inner.execute(
            "INSERT INTO iterations (session, number, input, commit_changes, progress, queued_at)
             SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, 'queued', ?4 FROM iterations WHERE session = ?1",
            params![new.session.as_str(), new.input, new.commit, millis(new.queued_at)],
        )?;
        let key = self.inner.last_insert_rowid();
        self.inner
            .query_row("SELECT * FROM iterations WHERE key = ?1", [key], |row| {
                Ok(iteration(row))
            })?
    }

    /// Writes everything that changes while an iteration runs.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn put_iteration(&self, iteration: &Iteration) -> Result<(), StoreError> {
        let (progress, outcome) = progress_columns(iteration.progress)?;
        self.inner
            .prepare_cached(
                "UPDATE iterations SET progress = ?2, outcome = ?3, message = ?4, summary = ?5, started_at = ?6,
                     finished_at = ?7, head_before = ?8, head_after = ?9, thread = ?10, model = ?11, usage = ?12, cost = ?13,
                     commits = ?14, files_changed = ?15, script_passed = ?16, runner = ?17, off_branch = ?18,
                     parked = ?19, isolation = ?20
                 WHERE key = ?1",
            )?
            .execute(params![
                iteration.key,
                progress,
                outcome,
                iteration.message,
                iteration.summary,
                iteration.started_at.map(millis),
                iteration.finished_at.map(millis),
                iteration.head_before.as_ref().map(|head| head.as_str()),
                iteration.head_after.as_ref().map(|head| head.as_str()),
                iteration.thread,
                iteration.model,
                iteration.usage.as_ref().map(to_json).transpose()?,
                iteration.cost.as_ref().map(to_json).transpose()?,
                to_json(&iteration.commits)?,
                iteration.files_changed,
                iteration.script_passed,
                iteration.runner.as_ref().map(to_json).transpose()?,
                iteration.off_branch.as_ref().map(to_json).transpose()?,
                parked_column(iteration.progress)?,
                iteration.isolation.as_ref().map(to_json).transpose()?,
            ])?;
        if let Some(started_at) = iteration.started_at {
            self.inner.execute(
                "UPDATE sessions SET last_run = ?2 WHERE id = ?1",
                params![iteration.session.as_str(), millis(started_at)],
            )?;
        }
        Ok(())
    }

    /// One iteration.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn find_iteration(
        &self,
        session: &SessionId,
        number: IterationNumber,
    ) -> Result<Option<Iteration>, StoreError> {
        self.inner
            .prepare_cached("SELECT * FROM iterations WHERE session = ?1 AND number = ?2")?
            .query_row(params![session.as_str(), number.0], |row| {
                Ok(iteration(row))
            })
            .optional()?
            .transpose()
    }

    /// The newest iteration of a session.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn latest_iteration(&self, session: &SessionId) -> Result<Option<Iteration>, StoreError> {
        self.inner
            .prepare_cached(
                "SELECT * FROM iterations WHERE session = ?1 ORDER BY number DESC LIMIT 1",
            )?
            .query_row([session.as_str()], |row| Ok(iteration(row)))
            .optional()?
            .transpose()
    }

    /// The newest iteration of every session.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn latest_iterations(&self) -> Result<Vec<Iteration>, StoreError> {
        self.iterations_where(
            "SELECT iterations.* FROM iterations
             JOIN (SELECT session, max(number) AS number FROM iterations GROUP BY session) USING (session, number)",
        )
    }

    /// All iterations that have no end yet, the one that waits longest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn unfinished_iterations(&self) -> Result<Vec<Iteration>, StoreError> {
        self.iterations_where(
            "SELECT * FROM iterations WHERE outcome IS NULL ORDER BY queued_at, key",
        )
    }

    /// All iterations of a session, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn iterations(&self, session: &SessionId) -> Result<Vec<Iteration>, StoreError> {
        let mut statement = self
            .inner
            .prepare_cached("SELECT * FROM iterations WHERE session = ?1 ORDER BY number")?;
        let rows = statement.query_map([session.as_str()], |row| Ok(iteration(row)))?;
        rows.map(|row| row?).collect()
    }

    fn iterations_where(&self, query: &str) -> Result<Vec<Iteration>, StoreError> {
        let mut statement = self.inner.prepare_cached(query)?;
        let rows = statement.query_map([], |row| Ok(iteration(row)))?;
        rows.map(|row| row?).collect()
    }
}

fn progress_columns(progress: Progress) -> Result<(&'static str, Option<String>), StoreError> {
    Ok(match progress {
        Progress::Queued => ("queued", None),
        // A program that knows no parked iterations takes it for one that runs.
        Progress::Agent | Progress::Parked(_) => ("agent", None),
        Progress::Commit => ("commit", None),
        Progress::Script => ("script", None),
        Progress::Finished(outcome) => ("finished", Some(to_json(&outcome)?)),
    })
}

fn parked_column(progress: Progress) -> Result<Option<String>, StoreError> {
    match progress {
        Progress::Parked(parked) => to_json(&parked).map(Some),
        _ => Ok(None),
    }
}

fn progress(row: &Row<'_>) -> Result<Progress, StoreError> {
    if let Some(outcome) = json_option(row, "outcome")? {
        return Ok(Progress::Finished(outcome));
    }
    match column::<String>(row, "progress")?.as_str() {
        "queued" => Ok(Progress::Queued),
        "agent" => Ok(json_option(row, "parked")?.map_or(Progress::Agent, Progress::Parked)),
        "commit" => Ok(Progress::Commit),
        "script" => Ok(Progress::Script),
        other => Err(unreadable("progress", &other)),
    }
}

fn iteration(row: &Row<'_>) -> Result<Iteration, StoreError> {
    Ok(Iteration {
        key: column(row, "key")?,
        session: parsed(row, "session")?,
        number: IterationNumber(column(row, "number")?),
        input: column(row, "input")?,
        commit: column(row, "commit_changes")?,
        progress: progress(row)?,
        message: column(row, "message")?,
        summary: column(row, "summary")?,
        queued_at: timestamp(row, "queued_at")?,
        started_at: timestamp_option(row, "started_at")?,
        finished_at: timestamp_option(row, "finished_at")?,
        head_before: parsed_option(row, "head_before")?,
        head_after: parsed_option(row, "head_after")?,
        thread: column(row, "thread")?,
        model: column(row, "model")?,
        usage: json_option(row, "usage")?,
        cost: json_option(row, "cost")?,
        commits: json(row, "commits")?,
        files_changed: column(row, "files_changed")?,
        script_passed: column(row, "script_passed")?,
        runner: json_option(row, "runner")?,
        off_branch: json_option(row, "off_branch")?,
        isolation: json_option(row, "isolation")?,
    })
}
