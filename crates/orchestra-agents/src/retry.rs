//! When a provider wants to be asked again, by its own words.

use std::time::Duration;

use orchestra_core::{TimeZone, Timestamp};

mod time_of_day;

/// However long a provider says: after a day it is worth a try.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// What comes before a span of time. Case does not count.
const BEFORE_SPAN: &[&str] = &[
    "retry after",
    "retry-after",
    "retry_after",
    "retry in",
    "retrying in",
    "try again in",
    "try again after",
    "reset in",
    "resets in",
];

/// What comes before seconds since 1970.
const BEFORE_EPOCH: &str = "limit reached|";

/// The zones in which a time of day is meant.
#[derive(Clone, Copy)]
pub struct Zones<'a> {
    /// The machine's, for a time without one.
    pub local: &'a TimeZone,
    /// The one of a name such as `Europe/Berlin`.
    pub named: &'a dyn Fn(&str) -> Option<TimeZone>,
}

/// The time that an error text names: a moment, a span from now, or a time of day. `None` if it names none, or one that is over.
#[must_use]
pub fn retry_at(now: Timestamp, message: &str, zones: Zones<'_>) -> Option<Timestamp> {
    let latest = now.checked_add(LONGEST).ok()?;
    let named = moment(now, message)
        .or_else(|| span(now, message))
        .or_else(|| time_of_day::next(now, message, zones))?;
    (named > now).then(|| named.min(latest))
}

/// The first moment that is still to come; a text may also tell when it was written.
fn moment(now: Timestamp, message: &str) -> Option<Timestamp> {
    let words = message.split_whitespace();
    let trimmed = words.map(|word| word.trim_matches(|char: char| !char.is_ascii_alphanumeric()));
    let mut moments = trimmed.filter_map(|word| word.parse().ok());
    moments.find(|at| *at > now).or_else(|| epoch(message))
}

fn epoch(message: &str) -> Option<Timestamp> {
    let lower = message.to_ascii_lowercase();
    let at = lower.find(BEFORE_EPOCH)? + BEFORE_EPOCH.len();
    let (seconds, _) = digits(&lower[at..]);
    Timestamp::from_second(seconds.parse().ok()?).ok()
}

fn span(now: Timestamp, message: &str) -> Option<Timestamp> {
    let lower = message.to_ascii_lowercase();
    let ends = BEFORE_SPAN
        .iter()
        .filter_map(|words| Some(lower.find(words)? + words.len()));
    let mut spans = ends.filter_map(|end| duration(&lower[end..]));
    now.checked_add(spans.next()?.min(LONGEST)).ok()
}

/// One or more numbers with their units, such as `1m30s` or `3 days 2 hours`; a number alone is seconds.
fn duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim_start_matches([':', '=', '"', '\'', ' ']);
    let mut seconds = 0.0;
    let mut count = 0;
    while let Some((value, unit, after)) = number_with_unit(rest) {
        let Some(factor) = seconds_of(unit).filter(|_| count == 0 || !unit.is_empty()) else {
            break;
        };
        seconds += value * factor;
        count += 1;
        rest = after.trim_start_matches([',', ' ']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
    let bounded = f64::min(seconds, LONGEST.as_secs_f64());
    (count > 0 && seconds > 0.0).then(|| Duration::from_secs_f64(bounded))
}

fn number_with_unit(text: &str) -> Option<(f64, &str, &str)> {
    let (number, after) = digits(text);
    let value = number.trim_end_matches('.').parse().ok()?;
    let after = after.trim_start_matches(' ');
    let end = after.find(|char: char| !char.is_ascii_alphabetic());
    let (unit, after) = after.split_at(end.unwrap_or(after.len()));
    Some((value, unit, after))
}

/// The digits and points that a text begins with, and what follows them.
fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|char: char| !char.is_ascii_digit() && char != '.');
    text.split_at(end.unwrap_or(text.len()))
}

fn seconds_of(unit: &str) -> Option<f64> {
    Some(match unit {
        "ms" | "milliseconds" => 0.001,
        "" | "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3_600.0,
        "d" | "day" | "days" => 86_400.0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-11-16T17:00:00Z".parse().unwrap()
    }

    /// Milliseconds from now.
    fn waits(message: &str) -> Option<i64> {
        let zones = Zones {
            local: &TimeZone::UTC,
            named: &|_| None,
        };
        let at = retry_at(now(), message, zones)?;
        Some(at.as_millisecond() - now().as_millisecond())
    }

    #[test]
    fn the_time_is_taken_from_the_words() {
        let cases = [
            ("429 Too Many Requests, retry after 30", 30_000),
            ("Retry-After: 30", 30_000),
            (r#"{"error":"rate_limit","retry_after": 7.5}"#, 7500),
            ("Rate limited. Please try again in 20s.", 20_000),
            ("Please try again in 1.898s. Visit us", 1898),
            ("Rate limit reached: try again in 450ms", 450),
            ("try again in 6m0s", 360_000),
            ("overloaded, try again in 1h30m", 5_400_000),
            ("Usage limit reached. Try again in 4h 12m.", 15_120_000),
            ("5-hour limit reached, resets 6pm", 3_600_000),
            (
                "Try again in 2 hours, 3 minutes and 4 seconds or so",
                7_384_000,
            ),
            ("rate limit resets at 2026-11-16T18:00:00Z", 3_600_000),
            ("(resets at 2026-11-16T19:00:00+01:00).", 3_600_000),
            (
                "2026-11-16T16:59:00Z overloaded until 2026-11-16T17:01:00Z",
                60_000,
            ),
            ("usage limit reached|1794848700", 300_000),
        ];
        for (message, millis) in cases {
            assert_eq!(waits(message), Some(millis), "{message}");
        }
    }

    #[test]
    fn what_says_nothing_names_no_time() {
        for message in [
            "",
            "Model provider overloaded. Try again in a few seconds.",
            "retry after lunch",
            "retry after 3 attempts",
            "retry after 0",
            "retry after",
            "2026-11-16T16:00:00Z overloaded",
            "limit reached|",
            "limit reached|12",
            "try again in 1.2.3s",
            "retry after -5",
        ] {
            assert_eq!(waits(message), None, "{message}");
        }
    }

    #[test]
    fn no_wait_is_longer_than_a_day() {
        let day = Some(86_400_000);
        assert_eq!(waits("try again in 3 days 2 hours"), day);
        assert_eq!(waits("resets at 2027-11-16T18:00:00Z"), day);
        assert_eq!(waits(&format!("retry after {}", "9".repeat(400))), day);
    }
}
