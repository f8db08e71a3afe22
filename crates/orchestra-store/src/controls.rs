//! Controls: what faces ask of the process that runs an iteration or a script.

use orchestra_core::SessionId;
use rusqlite::params;

use crate::columns::{column, millis, unreadable};
use crate::{StoreError, Tx};

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// Ask the program to end, and end it if it does not.
    Stop,
    /// End it at once.
    Kill,
}

impl Control {
    /// The name in the store and in events.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Kill => "kill",
        }
    }
}

/// Of whom it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControlTarget {
    /// The runner of an iteration, by the iteration's key.
    Iteration(i64),
    /// The wait of an iteration for its agent's provider, by the iteration's key. The iteration itself goes on.
    Wait(i64),
    /// The runner of a script, by the run's key.
    ScriptRun(i64),
}

impl ControlTarget {
    fn text(self) -> String {
        match self {
            Self::Iteration(key) => format!("iteration {key}"),
            Self::Wait(key) => format!("wait {key}"),
            Self::ScriptRun(key) => format!("script {key}"),
        }
    }
}

/// A control nobody took yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingControl {
    /// Its key.
    pub key: i64,
    /// What is asked.
    pub control: Control,
}

impl Tx<'_> {
    /// Asks a runner for something.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn insert_control(
        &self,
        session: &SessionId,
        target: ControlTarget,
        control: Control,
    ) -> Result<(), StoreError> {
        self.inner.execute(
            "INSERT INTO controls (session, target, control, created_at) VALUES (?1, ?2, ?3, ?4)",
            params![
                session.as_str(),
                target.text(),
                control.name(),
                millis(self.now)
            ],
        )?;
        Ok(())
    }

    /// What is asked of one runner and was not taken yet.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn pending_controls(
        &self,
        target: ControlTarget,
    ) -> Result<Vec<PendingControl>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT * FROM controls WHERE target = ?1 AND taken_at IS NULL ORDER BY key",
        )?;
        let rows = statement.query_map([target.text()], |row| {
            Ok((|| {
                let control = match column::<String>(row, "control")?.as_str() {
                    "stop" => Control::Stop,
                    "kill" => Control::Kill,
                    other => return Err(unreadable("control", &other)),
                };
                Ok(PendingControl {
                    key: column(row, "key")?,
                    control,
                })
            })())
        })?;
        rows.map(|row| row?).collect()
    }

    /// Whether anything was ever asked of one runner.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn was_asked(&self, target: ControlTarget) -> Result<bool, StoreError> {
        let mut statement = self
            .inner
            .prepare_cached("SELECT 1 FROM controls WHERE target = ?1")?;
        Ok(statement.exists([target.text()])?)
    }

    /// Marks a control as taken.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn take_control(&self, key: i64) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE controls SET taken_at = ?2 WHERE key = ?1",
            params![key, millis(self.now)],
        )?;
        Ok(())
    }
}
