//! How long, how silent and how talkative a turn may be.

use std::time::{Duration, Instant};

use orchestra_core::FailureCause;

use super::IterationRun;
use crate::Engine;

/// Watches time, silence and size.
pub(crate) struct LimitWatch {
    started: Instant,
    last_heard: Instant,
    heard_bytes: u64,
    time: Option<Duration>,
    silence: Option<Duration>,
    bytes: u64,
    result_at: Option<Instant>,
    /// Whether something was done about it.
    pub(crate) acted: bool,
}

impl LimitWatch {
    pub(crate) fn new(run: &IterationRun<'_>) -> Self {
        let limit = run.time_limit();
        // What earlier attempts took and said counts; waiting for the provider does not.
        let limit = limit.map(|limit| limit.saturating_sub(run.attempts.spent));
        Self {
            heard_bytes: run.attempts.heard,
            ..Self::within(run.engine, limit)
        }
    }

    /// The limits of the settings, and this one of time.
    pub(crate) fn within(engine: &Engine, time: Option<Duration>) -> Self {
        let now = Instant::now();
        let core = &engine.config().core;
        Self {
            started: now,
            last_heard: now,
            heard_bytes: 0,
            time,
            silence: core.idle_timeout,
            bytes: core.max_output,
            result_at: None,
            acted: false,
        }
    }

    pub(crate) fn heard(&mut self, bytes: usize) {
        self.last_heard = Instant::now();
        self.heard_bytes += bytes as u64;
    }

    /// What was heard of the whole iteration.
    pub(crate) fn heard_bytes(&self) -> u64 {
        self.heard_bytes
    }

    /// The agent waits for somebody else, which is no silence of its own.
    pub(crate) fn rest(&mut self) {
        self.last_heard = Instant::now();
    }

    /// However much it still says, an agent that gave its result has to end after a while.
    pub(crate) fn is_late_after_result(&mut self, stay: Duration) -> bool {
        let since = *self.result_at.get_or_insert_with(Instant::now);
        since.elapsed() > stay || self.exceeded().is_some()
    }

    pub(crate) fn exceeded(&self) -> Option<FailureCause> {
        if self
            .time
            .is_some_and(|limit| self.started.elapsed() > limit)
        {
            return Some(FailureCause::TimedOut);
        }
        if self
            .silence
            .is_some_and(|limit| self.last_heard.elapsed() > limit)
        {
            return Some(FailureCause::Silent);
        }
        (self.heard_bytes > self.bytes).then_some(FailureCause::OutputLimit)
    }
}

impl Engine {
    /// Why an agent was ended, in words.
    pub(crate) fn limit_message(&self, cause: FailureCause, time: Duration) -> String {
        let core = &self.config().core;
        match cause {
            FailureCause::TimedOut => format!("it ran longer than {time:?} allows"),
            FailureCause::Silent => format!(
                "it said nothing for {:?}",
                core.idle_timeout.unwrap_or_default()
            ),
            FailureCause::OutputLimit => format!("it printed more than {} bytes", core.max_output),
            FailureCause::NotLoggedIn => "the agent is not logged in".to_owned(),
            _ => "its output could not be kept".to_owned(),
        }
    }
}

impl IterationRun<'_> {
    /// The session's own limit, else the setting's. A limit of nothing is none, in both.
    pub(super) fn time_limit(&self) -> Option<Duration> {
        self.session
            .timeout
            .or(self.engine.config().core.session_timeout)
            .filter(|limit| !limit.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unlimited() -> LimitWatch {
        let now = Instant::now();
        LimitWatch {
            started: now,
            last_heard: now,
            heard_bytes: 0,
            time: None,
            silence: None,
            bytes: 10,
            result_at: None,
            acted: false,
        }
    }

    const STAY: Duration = Duration::from_secs(30);

    #[test]
    fn an_agent_has_its_time_to_go_after_its_result() {
        let mut limits = unlimited();
        assert!(!limits.is_late_after_result(STAY));
        limits.result_at = Instant::now().checked_sub(STAY / 2);
        assert!(!limits.is_late_after_result(STAY));
        limits.result_at = Instant::now().checked_sub(STAY);
        limits.heard(1);
        assert!(
            limits.is_late_after_result(STAY),
            "however much it still says"
        );
    }

    #[test]
    fn limits_hold_after_the_result_too() {
        let mut limits = unlimited();
        limits.silence = Some(Duration::ZERO);
        assert!(limits.is_late_after_result(STAY));
        assert_eq!(limits.exceeded(), Some(FailureCause::Silent));
        let mut limits = unlimited();
        limits.heard(11);
        assert_eq!(limits.exceeded(), Some(FailureCause::OutputLimit));
        assert!(limits.is_late_after_result(STAY));
    }
}
