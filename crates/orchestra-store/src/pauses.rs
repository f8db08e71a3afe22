//! Pauses of agents whose provider is overloaded.

use orchestra_core::AgentPause;
use rusqlite::{OptionalExtension, Row, params};

use crate::columns::{column, millis, timestamp};
use crate::{StoreError, Tx};

impl Tx<'_> {
    /// The pause of an agent, also when its time is over: somebody has to find out first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn agent_pause(&self, agent: &str) -> Result<Option<AgentPause>, StoreError> {
        self.inner
            .prepare_cached("SELECT * FROM agent_pauses WHERE agent = ?1")?
            .query_row([agent], |row| Ok(pause(row)))
            .optional()?
            .transpose()
    }

    /// Writes the pause of an agent.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn put_agent_pause(&self, agent: &str, pause: &AgentPause) -> Result<(), StoreError> {
        self.inner.execute(
            "INSERT OR REPLACE INTO agent_pauses (agent, until, since, strikes, why)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                agent,
                millis(pause.until),
                millis(pause.since),
                pause.strikes,
                pause.why
            ],
        )?;
        Ok(())
    }

    /// The provider answers again.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn lift_agent_pause(&self, agent: &str) -> Result<(), StoreError> {
        self.inner
            .execute("DELETE FROM agent_pauses WHERE agent = ?1", [agent])?;
        Ok(())
    }
}

fn pause(row: &Row<'_>) -> Result<AgentPause, StoreError> {
    Ok(AgentPause {
        until: timestamp(row, "until")?,
        since: timestamp(row, "since")?,
        strikes: column(row, "strikes")?,
        why: column(row, "why")?,
    })
}
