//! The engine's clock: the only place that reads the time of day.

use orchestra_core::Timestamp;

/// Tells the time. Tests give it a fixed one.
#[derive(Debug, Clone, Copy, Default)]
pub enum Clock {
    /// The machine's time.
    #[default]
    System,
    /// Always this moment.
    Fixed(Timestamp),
}

impl Clock {
    /// The time now, to the millisecond, as the store keeps it.
    #[must_use]
    pub fn now(self) -> Timestamp {
        match self {
            Self::Fixed(at) => at,
            Self::System => {
                #[expect(
                    clippy::disallowed_methods,
                    reason = "this is the clock everyone else is handed"
                )]
                let now = Timestamp::now();
                Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_kept_to_the_millisecond() {
        let now = Clock::System.now();
        assert_eq!(now.subsec_nanosecond() % 1_000_000, 0);
        assert_eq!(Clock::Fixed(now).now(), now);
    }
}
