//! What is known of an agent whose provider is overloaded, and when it is tried again.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The longest pause, counted in first pauses.
const LONGEST: u32 = 60;

/// Until when an iteration waits for its agent's provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct Parked {
    /// When it is tried again, to the second.
    pub until: Timestamp,
    /// Which retry comes then; 0 if its own turn was not refused, and it only keeps a pause that others met.
    pub retry: u32,
    /// How many retries it has.
    pub retries: u32,
}

impl Parked {
    /// A wait until this moment, which is told as the next whole second.
    #[must_use]
    pub fn until(moment: Timestamp, retry: u32, retries: u32) -> Self {
        let begun = i64::from(moment.subsec_nanosecond() > 0);
        let second = Timestamp::from_second(moment.as_second() + begun);
        Self {
            until: second.unwrap_or(moment),
            retry,
            retries,
        }
    }

    /// When and which retry, to follow "blocked".
    #[must_use]
    pub fn in_words(&self, now: Timestamp) -> String {
        let until = match self.until > now {
            true => format!(" until {}", moment(self.until, now)),
            false => ", about to go on".to_owned(),
        };
        match self.retry {
            0 => until,
            retry => format!("{until}, retry {retry} of {}", self.retries),
        }
    }
}

/// The time of day, with the date if that is another one.
fn moment(at: Timestamp, now: Timestamp) -> String {
    let day = |time: Timestamp| time.strftime("%Y-%m-%d").to_string();
    match day(at) == day(now) {
        true => at.strftime("%H:%M:%S UTC").to_string(),
        false => at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
    }
}

/// No turn of an agent is started for a while: one fact for all sessions with that agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentPause {
    /// When one of them may try.
    pub until: Timestamp,
    /// When it was last refused. A turn that began earlier tells nothing new.
    pub since: Timestamp,
    /// How often in a row the provider refused.
    pub strikes: u32,
    /// What it said.
    pub why: String,
}

/// A provider refused a turn.
#[derive(Debug, Clone, Copy)]
pub struct Refusal<'a> {
    /// When the turn began.
    pub began: Timestamp,
    /// When it was over.
    pub at: Timestamp,
    /// The time that the provider named.
    pub named: Option<Timestamp>,
    /// What it said.
    pub why: &'a str,
}

/// How long to wait where the provider names no time: longer each time, and not the same for all.
#[derive(Debug, Clone, Copy)]
pub struct Backoff {
    /// The first pause.
    pub first: Duration,
    /// A random number.
    pub chance: u8,
}

impl Backoff {
    /// The pause after this many refusals in a row.
    #[must_use]
    pub fn delay(self, refusals: u32) -> Duration {
        let doublings = refusals.saturating_sub(1).min(LONGEST.ilog2() + 1);
        let longest = self.first.saturating_mul(LONGEST);
        let plain = self.first.saturating_mul(1 << doublings).min(longest);
        let more = plain.saturating_mul(u32::from(self.chance)) / 1024;
        plain.saturating_add(more).min(longest)
    }

    /// The time of the next try: the named one, or one after the pause.
    #[must_use]
    pub fn next_try(self, refusal: &Refusal<'_>, refusals: u32) -> Timestamp {
        let later = refusal.at.checked_add(self.delay(refusals));
        refusal.named.unwrap_or(later.unwrap_or(refusal.at))
    }
}

impl AgentPause {
    /// The pause after a refusal. Turns that ran side by side and were refused together count once.
    #[must_use]
    pub fn after(previous: Option<&Self>, refusal: &Refusal<'_>, backoff: Backoff) -> Self {
        let strikes = match previous {
            Some(known) if refusal.began < known.since => known.strikes,
            Some(known) => known.strikes.saturating_add(1),
            None => 1,
        };
        let is_known = previous.is_some_and(|known| known.strikes == strikes);
        let until = match previous.filter(|_| is_known) {
            Some(known) => refusal
                .named
                .map_or(known.until, |named| named.max(known.until)),
            None => backoff.next_try(refusal, strikes),
        };
        Self {
            until,
            since: refusal.at,
            strikes,
            why: refusal.why.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    const BACKOFF: Backoff = Backoff {
        first: Duration::from_secs(15),
        chance: 0,
    };

    fn refused(began: i64, ended: i64) -> Refusal<'static> {
        Refusal {
            began: at(began),
            at: at(ended),
            named: None,
            why: "overloaded",
        }
    }

    #[test]
    fn a_wait_ends_with_a_whole_second() {
        let until = |nanoseconds| {
            let moment = Timestamp::new(60, nanoseconds).unwrap();
            Parked::until(moment, 1, 5).until
        };
        assert_eq!((until(0), until(1)), (at(60), at(61)));
        let before = Timestamp::new(-60, -1).unwrap();
        assert_eq!(Parked::until(before, 1, 5).until, at(-60));
        assert_eq!(
            Parked::until(Timestamp::MAX, 1, 5).until,
            Timestamp::MAX,
            "no later one is known"
        );
    }

    #[test]
    fn another_day_is_named() {
        let parked = Parked {
            until: at(86_400 + 3_600),
            retry: 1,
            retries: 5,
        };
        assert_eq!(
            parked.in_words(at(86_400)),
            " until 01:00:00 UTC, retry 1 of 5"
        );
        assert_eq!(
            parked.in_words(at(60)),
            " until 1970-01-02 01:00:00 UTC, retry 1 of 5"
        );
    }

    #[test]
    fn pauses_grow_up_to_a_bound() {
        let seconds: Vec<u64> = (0..9).map(|n| BACKOFF.delay(n).as_secs()).collect();
        assert_eq!(seconds, [15, 15, 30, 60, 120, 240, 480, 900, 900]);
        assert_eq!(BACKOFF.delay(u32::MAX).as_secs(), 900);
        let unlucky = Backoff {
            chance: u8::MAX,
            ..BACKOFF
        };
        let delay = unlucky.delay(1);
        assert!(delay > Duration::from_secs(18) && delay < Duration::from_secs(19));
        assert_eq!(unlucky.delay(9).as_secs(), 900, "no longer than the bound");
    }

    #[test]
    fn a_first_pause_of_any_length_can_be_counted() {
        let endless = Backoff {
            first: Duration::MAX,
            chance: u8::MAX,
        };
        assert_eq!(endless.delay(3), Duration::MAX);
    }

    #[test]
    fn turns_that_were_refused_together_count_once() {
        let first = AgentPause::after(None, &refused(0, 10), BACKOFF);
        assert_eq!((first.strikes, first.until), (1, at(25)));
        let beside = AgentPause::after(Some(&first), &refused(1, 12), BACKOFF);
        assert_eq!((beside.strikes, beside.until), (1, at(25)));
        let later = AgentPause::after(Some(&beside), &refused(25, 30), BACKOFF);
        assert_eq!((later.strikes, later.until), (2, at(60)));
    }

    #[test]
    fn a_named_time_counts() {
        let named = |second| Refusal {
            named: Some(at(second)),
            ..refused(0, 10)
        };
        let first = AgentPause::after(None, &named(500), BACKOFF);
        assert_eq!(first.until, at(500));
        let beside = AgentPause::after(Some(&first), &named(400), BACKOFF);
        assert_eq!(beside.until, at(500), "the later one");
    }

    #[test]
    fn a_wait_is_told_in_words() {
        let parked = |retry| Parked {
            until: at(60),
            retry,
            retries: 5,
        };
        assert_eq!(
            parked(2).in_words(at(0)),
            " until 00:01:00 UTC, retry 2 of 5"
        );
        assert_eq!(parked(0).in_words(at(0)), " until 00:01:00 UTC");
        assert_eq!(parked(1).in_words(at(60)), ", about to go on, retry 1 of 5");
    }
}
