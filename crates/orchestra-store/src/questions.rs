//! Questions: what a user is asked before an agent may use a tool.

use orchestra_core::{
    Decided, Decision, IterationNumber, PermissionQuestion, SessionId, Timestamp, ToolUse,
    Withdrawn,
};
use rusqlite::{OptionalExtension, Row, params};

use crate::columns::{
    column, json, millis, parsed, timestamp, timestamp_option, to_json, unreadable,
};
use crate::{StoreError, Tx};

/// A question that gets its number when it is asked.
#[derive(Debug, Clone)]
pub struct NewQuestion<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// The iteration in which it is asked.
    pub iteration: IterationNumber,
    /// The agent's name for its request, if the agent waits.
    pub request: Option<&'a str>,
    /// What the agent wants to do, without secrets.
    pub tool_use: &'a ToolUse,
    /// What tells the same use again; `None` if nobody will look for it.
    pub mark: Option<&'a str>,
    /// The agent's own words for it.
    pub title: Option<&'a str>,
}

impl Tx<'_> {
    /// Asks something.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn insert_question(&self, new: &NewQuestion<'_>) -> Result<PermissionQuestion, StoreError> {
        self.inner.execute(
            "INSERT INTO questions (session, iteration, number, request, tool_use, mark, title, asked_at)
             VALUES (?1, ?2, (SELECT count(*) + 1 FROM questions WHERE session = ?1 AND iteration = ?2), ?3, ?4, ?5, ?6, ?7)",
            params![
                new.session.as_str(),
                new.iteration.0,
                new.request,
                to_json(new.tool_use)?,
                new.mark,
                new.title,
                millis(self.now),
            ],
        )?;
        self.question(self.inner.last_insert_rowid())
    }

    /// The question with this key.
    ///
    /// # Errors
    /// If there is none.
    pub fn question(&self, key: i64) -> Result<PermissionQuestion, StoreError> {
        let found = self
            .inner
            .prepare_cached("SELECT * FROM questions WHERE key = ?1")?
            .query_row([key], |row| Ok(question(row)))
            .optional()?;
        found.unwrap_or_else(|| Err(unreadable("key", &"there is no such question")))
    }

    /// What was asked in one iteration, in its order.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn questions(
        &self,
        session: &SessionId,
        iteration: IterationNumber,
    ) -> Result<Vec<PermissionQuestion>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT * FROM questions WHERE session = ?1 AND iteration = ?2 ORDER BY number",
        )?;
        let rows = statement.query_map(params![session.as_str(), iteration.0], |row| {
            Ok(question(row))
        })?;
        rows.map(|row| row?).collect()
    }

    /// What the newest iteration of sessions, or of the one, asked and nobody decided or withdrew. What an earlier one asked is settled
    /// by what came after it.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn open_questions(
        &self,
        session: Option<&SessionId>,
    ) -> Result<Vec<PermissionQuestion>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT * FROM questions
             WHERE decision IS NULL AND withdrawn_at IS NULL AND (?1 IS NULL OR session = ?1)
                 AND iteration = (SELECT max(number) FROM iterations WHERE iterations.session = questions.session)
             ORDER BY session, number",
        )?;
        let rows =
            statement.query_map([session.map(SessionId::as_str)], |row| Ok(question(row)))?;
        rows.map(|row| row?).collect()
    }

    /// What was last asked about the use of a tool with this mark.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last_question_about(
        &self,
        session: &SessionId,
        mark: &str,
    ) -> Result<Option<PermissionQuestion>, StoreError> {
        self.inner
            .prepare_cached(
                "SELECT * FROM questions WHERE session = ?1 AND mark = ?2 ORDER BY key DESC LIMIT 1",
            )?
            .query_row(params![session.as_str(), mark], |row| Ok(question(row)))
            .optional()?
            .transpose()
    }

    /// Records what was decided; what was decided or withdrawn before stays so. Answers whether it counts.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn decide_question(
        &self,
        key: i64,
        decision: Decision,
        reason: Option<&str>,
    ) -> Result<bool, StoreError> {
        let changed = self.inner.execute(
            "UPDATE questions SET decision = ?2, reason = ?3, decided_at = ?4 WHERE key = ?1 AND decision IS NULL AND withdrawn_at IS NULL",
            params![key, decision.name(), reason, millis(self.now)],
        )?;
        Ok(changed == 1)
    }

    /// Records that no agent waits for it any more; what was decided or withdrawn before stays so. Answers whether it counts.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn withdraw_question(&self, key: i64, reason: &str) -> Result<bool, StoreError> {
        let changed = self.inner.execute(
            "UPDATE questions SET reason = ?2, withdrawn_at = ?3 WHERE key = ?1 AND decision IS NULL AND withdrawn_at IS NULL",
            params![key, reason, millis(self.now)],
        )?;
        Ok(changed == 1)
    }

    /// How many questions of a session are kept, and their bytes.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn question_amount(&self, session: &SessionId) -> Result<(u64, u64), StoreError> {
        Ok(self
            .inner
            .prepare_cached(
                "SELECT count(*), coalesce(sum(octet_length(tool_use) + coalesce(octet_length(title), 0)
                     + coalesce(octet_length(reason), 0)), 0)
                 FROM questions WHERE session = ?1",
            )?
            .query_row([session.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    /// Removes every question of a session, with what was decided.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn remove_questions(&self, session: &SessionId) -> Result<(), StoreError> {
        self.inner.execute(
            "DELETE FROM questions WHERE session = ?1",
            [session.as_str()],
        )?;
        Ok(())
    }

    /// Marks a decision as used up.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn use_up_decision(&self, key: i64) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE questions SET used_at = ?2 WHERE key = ?1",
            params![key, millis(self.now)],
        )?;
        Ok(())
    }

    /// Notes that the agent knows what was decided.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn note_told(&self, key: i64) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE questions SET told_at = ?2 WHERE key = ?1 AND told_at IS NULL",
            params![key, millis(self.now)],
        )?;
        Ok(())
    }
}

fn question(row: &Row<'_>) -> Result<PermissionQuestion, StoreError> {
    Ok(PermissionQuestion {
        key: column(row, "key")?,
        session: parsed(row, "session")?,
        iteration: IterationNumber(column(row, "iteration")?),
        number: column(row, "number")?,
        request: column(row, "request")?,
        tool_use: json(row, "tool_use")?,
        title: column(row, "title")?,
        asked_at: timestamp(row, "asked_at")?,
        decided: decided(row)?,
        withdrawn: withdrawn(row)?,
    })
}

fn withdrawn(row: &Row<'_>) -> Result<Option<Withdrawn>, StoreError> {
    let at: Option<Timestamp> = timestamp_option(row, "withdrawn_at")?;
    let reason: Option<String> = column(row, "reason")?;
    Ok(at.map(|at| Withdrawn {
        reason: reason.unwrap_or_default(),
        at,
    }))
}

fn decided(row: &Row<'_>) -> Result<Option<Decided>, StoreError> {
    let decision = match column::<Option<String>>(row, "decision")?.as_deref() {
        None => return Ok(None),
        Some("allow") => Decision::Allow,
        Some("reject") => Decision::Reject,
        Some(other) => return Err(unreadable("decision", &other)),
    };
    let at: Option<Timestamp> = timestamp_option(row, "decided_at")?;
    Ok(Some(Decided {
        decision,
        reason: column(row, "reason")?,
        at: at.ok_or_else(|| unreadable("decided_at", &"it is missing"))?,
        used_at: timestamp_option(row, "used_at")?,
        told_at: timestamp_option(row, "told_at")?,
    }))
}
