//! Times of day in a provider's words, such as `resets 2am` or `try again at 3:45 PM (Europe/Berlin)`.

use std::time::Duration;

use orchestra_core::{TimeZone, Timestamp};

use super::Zones;

/// A time that has just passed is that of today: the text was written before it came.
const JUST_PASSED: Duration = Duration::from_secs(10 * 60);

/// What comes before a time of day. Case does not count.
const BEFORE_TIME: &[&str] = &[
    "resets at",
    "reset at",
    "resets",
    "try again at",
    "try again after",
    "retry at",
    "retry after",
    "available again at",
];

/// A time of day, to the second.
#[derive(Debug, Clone, Copy)]
struct Time {
    hour: i8,
    minute: i8,
    second: i8,
}

/// When the time of day comes next that a text names.
pub(super) fn next(now: Timestamp, message: &str, zones: Zones<'_>) -> Option<Timestamp> {
    let lower = message.to_ascii_lowercase();
    let ends = BEFORE_TIME
        .iter()
        .filter_map(|words| Some(lower.find(words)? + words.len()));
    let mut named = ends.filter_map(|end| {
        let (time, after) = time(&lower[end..])?;
        // Capitals tell an abbreviation from a word.
        let after = &message[message.len() - after.len()..];
        Some((time, zone(after, zones)?))
    });
    let (time, zone) = named.next()?;
    after(now, time, &zone)
}

fn after(now: Timestamp, time: Time, zone: &TimeZone) -> Option<Timestamp> {
    let today = now.to_zoned(zone.clone()).datetime();
    let today = today.date().at(time.hour, time.minute, time.second, 0);
    let at = today.to_zoned(zone.clone()).ok()?.timestamp();
    if at > now {
        return Some(at);
    }
    let is_just_over = now.checked_sub(JUST_PASSED).is_ok_and(|then| at > then);
    let tomorrow = today.tomorrow().ok()?.to_zoned(zone.clone()).ok()?;
    (!is_just_over).then(|| tomorrow.timestamp())
}

/// A time of day that a text begins with, and what follows it. A number alone may be anything.
fn time(text: &str) -> Option<(Time, &str)> {
    let (hour, rest) = number(text.trim_start_matches([':', ' ']))?;
    let (minute, rest) = after_colon(rest);
    let (second, rest) = after_colon(rest);
    let (half, rest) = half_of_day(rest);
    let hour = match (half, hour) {
        (Some(Half::Morning), 1..=12) => hour % 12,
        (Some(Half::Afternoon), 1..=12) => hour % 12 + 12,
        (None, 0..24) if minute.is_some() => hour,
        _ => return None,
    };
    let (minute, second) = (minute.unwrap_or(0), second.unwrap_or(0));
    let is_time = minute < 60 && second < 60;
    is_time.then_some((
        Time {
            hour,
            minute,
            second,
        },
        rest,
    ))
}

#[derive(Debug, Clone, Copy)]
enum Half {
    Morning,
    Afternoon,
}

fn half_of_day(text: &str) -> (Option<Half>, &str) {
    let halves = [
        ("am", Half::Morning),
        ("a.m.", Half::Morning),
        ("pm", Half::Afternoon),
        ("p.m.", Half::Afternoon),
    ];
    let trimmed = text.trim_start_matches([' ', '\u{a0}', '\u{202f}']);
    let found = halves
        .iter()
        .find_map(|(word, half)| Some((*half, trimmed.strip_prefix(word)?)));
    match found {
        Some((half, rest)) if !rest.starts_with(char::is_alphanumeric) => (Some(half), rest),
        _ => (None, text),
    }
}

fn after_colon(text: &str) -> (Option<i8>, &str) {
    let found = text.strip_prefix(':').and_then(number);
    found.map_or((None, text), |(value, rest)| (Some(value), rest))
}

fn number(text: &str) -> Option<(i8, &str)> {
    let end = text.find(|char: char| !char.is_ascii_digit());
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    Some((digits.parse().ok()?, rest))
}

/// The zone that follows a time; `None` if one is named that is not known.
fn zone(text: &str, zones: Zones<'_>) -> Option<TimeZone> {
    let text = text.trim_start();
    let is_name = |char: char| char.is_ascii_alphanumeric() || "/_+-".contains(char);
    let inner = text.strip_prefix('(');
    let name = inner.unwrap_or(text);
    let name = &name[..name.find(|char| !is_name(char)).unwrap_or(name.len())];
    let is_zone = inner.is_some() || name.contains('/') || is_abbreviation(name);
    match name.to_ascii_lowercase().as_str() {
        "utc" | "gmt" => Some(TimeZone::UTC),
        _ if is_zone => (zones.named)(name),
        _ => Some(zones.local.clone()),
    }
}

/// Such as `PST`, which means one thing here and another there.
fn is_abbreviation(name: &str) -> bool {
    (2..=5).contains(&name.len()) && name.chars().all(|char| char.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six in the evening in Berlin.
    fn now() -> Timestamp {
        "2026-11-16T17:00:00Z".parse().unwrap()
    }

    fn berlin() -> TimeZone {
        TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap()
    }

    fn tokyo() -> TimeZone {
        TimeZone::posix("JST-9").unwrap()
    }

    /// For somebody in Tokyo, where it is two in the morning.
    fn told(message: &str) -> Option<String> {
        let named = |name: &str| (name == "Europe/Berlin").then(berlin);
        let zones = Zones {
            local: &tokyo(),
            named: &named,
        };
        super::super::retry_at(now(), message, zones).map(|at| at.to_string())
    }

    #[test]
    fn a_time_of_day_is_the_next_one() {
        let cases = [
            ("You've hit your limit · resets 3am", "2026-11-16T18:00:00Z"),
            ("resets at 1am", "2026-11-17T16:00:00Z"),
            ("Resets 12pm", "2026-11-17T03:00:00Z"),
            ("resets 12 AM", "2026-11-17T15:00:00Z"),
            ("Try again at 3:45 PM.", "2026-11-17T06:45:00Z"),
            ("try again at 3:45:10 p.m.", "2026-11-17T06:45:10Z"),
            ("try again at 15:45, or buy more", "2026-11-17T06:45:00Z"),
            ("resets at 9pm (Europe/Berlin)", "2026-11-16T20:00:00Z"),
            ("resets 9pm Europe/Berlin", "2026-11-16T20:00:00Z"),
            ("resets at 5pm (Europe/Berlin)", "2026-11-17T16:00:00Z"),
            ("resets 6:30pm UTC", "2026-11-16T18:30:00Z"),
            ("resets 6:30pm (utc)", "2026-11-16T18:30:00Z"),
        ];
        for (message, expected) in cases {
            assert_eq!(told(message).as_deref(), Some(expected), "{message}");
        }
    }

    #[test]
    fn what_is_no_time_of_day_names_none() {
        for message in [
            "resets 2",
            "resets 13pm",
            "resets 0am",
            "resets at 24:00",
            "resets at 3:60 PM",
            "resets 3pmx",
            "resets at 300:00",
            "resets soon",
            "resets",
            "resets 3pm PST",
            "resets 3pm (Mars/Olympus)",
            "try again at Nov 20th, 2026 3:45 PM",
        ] {
            assert_eq!(told(message), None, "{message}");
        }
        assert!(told("resets 3am 日本 (").is_some());
    }

    #[test]
    fn a_time_that_has_just_passed_is_not_waited_for_until_tomorrow() {
        assert_eq!(told("resets 1:55am"), None);
        assert!(told("resets 1:45am").is_some());
    }
}
