//! Times for people.

use orchestra_core::{Parked, Timestamp};
use orchestra_engine::Clock;

/// Seconds for which what git said counts as now.
const FRESH: i64 = 5;

/// How long ago, in one word and a number.
pub fn ago(at: Timestamp) -> String {
    let seconds = Clock::System.now().as_second() - at.as_second();
    if seconds < FRESH {
        "just now".to_owned()
    } else {
        format!("{} ago", span(seconds * 1_000))
    }
}

/// How old what git said is, after it; nothing while it is as good as now.
pub fn age_note(checked_at: Timestamp) -> String {
    match Clock::System.now().as_second() - checked_at.as_second() {
        ..FRESH => String::new(),
        seconds => format!(", {} ago", span(seconds * 1_000)),
    }
}

/// Until when an iteration waits for its agent's provider, to follow "blocked".
pub fn parked(parked: Parked) -> String {
    parked.in_words(Clock::System.now())
}

/// A duration in its largest sensible unit.
pub fn span(millis: i64) -> String {
    let seconds = millis / 1_000;
    match seconds {
        ..1 => format!("{millis} ms"),
        1..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_use_one_unit() {
        let cases = [
            (20, "20 ms"),
            (1_500, "1 s"),
            (61_000, "1 min"),
            (7_200_000, "2 h"),
            (172_800_000, "2 d"),
        ];
        for (millis, expected) in cases {
            assert_eq!(span(millis), expected);
        }
    }
}
