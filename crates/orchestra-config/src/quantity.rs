//! Durations such as `15m` and sizes such as `256MiB`: read, and written so that reading gives the same again.

use std::time::Duration;

/// The longest duration that is accepted: ten years.
pub const LONGEST: Duration = Duration::from_hours(24 * 3650);

const MILLISECONDS: &[(&str, u64)] = &[
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1_000),
    ("ms", 1),
];

const BYTES: &[(&str, u64)] = &[
    ("TiB", 1 << 40),
    ("TB", 1_000_000_000_000),
    ("GiB", 1 << 30),
    ("GB", 1_000_000_000),
    ("MiB", 1 << 20),
    ("MB", 1_000_000),
    ("KiB", 1 << 10),
    ("KB", 1_000),
    ("B", 1),
];

/// Reads `500ms`, `30s`, `15m`, `2h`, `14d` or `0`. Anything else, or more than ten years, is `None`.
#[must_use]
pub fn parse_duration(text: &str) -> Option<Duration> {
    if text == "0" {
        return Some(Duration::ZERO);
    }
    let duration = Duration::from_millis(parse(text, MILLISECONDS)?);
    Some(duration).filter(|duration| *duration <= LONGEST)
}

/// Writes a duration in the largest unit that is exact; less than a millisecond is dropped.
#[must_use]
pub fn format_duration(duration: Duration) -> String {
    let milliseconds = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    format(milliseconds, MILLISECONDS)
}

/// Reads `64KiB`, `10MiB`, `1GB` or a plain number of bytes.
#[must_use]
pub fn parse_size(text: &str) -> Option<u64> {
    number(text).or_else(|| parse(text, BYTES))
}

/// Writes a size in the largest unit that is exact.
#[must_use]
pub fn format_size(bytes: u64) -> String {
    format(bytes, BYTES)
}

fn parse(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.find(|char: char| !char.is_ascii_digit())?;
    let (amount, unit) = text.split_at(digits);
    let (_, factor) = units
        .iter()
        .find(|(name, _)| *name == unit.trim_start_matches(' '))?;
    number(amount)?.checked_mul(*factor)
}

fn number(digits: &str) -> Option<u64> {
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok())?
}

fn format(amount: u64, units: &[(&str, u64)]) -> String {
    let exact = units
        .iter()
        .find(|(_, factor)| amount.is_multiple_of(*factor));
    match exact {
        Some((unit, factor)) if amount > 0 => format!("{}{unit}", amount / factor),
        _ => amount.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn durations_are_read_and_written() {
        let table = [
            ("0", 0, "0"),
            ("0s", 0, "0"),
            ("500ms", 500, "500ms"),
            ("30s", 30_000, "30s"),
            ("15m", 900_000, "15m"),
            ("90m", 5_400_000, "90m"),
            ("120m", 7_200_000, "2h"),
            ("24h", 86_400_000, "1d"),
            ("14d", 1_209_600_000, "14d"),
            ("3 s", 3_000, "3s"),
        ];
        for (text, milliseconds, written) in table {
            let duration = parse_duration(text).unwrap();
            assert_eq!(duration, Duration::from_millis(milliseconds), "{text}");
            assert_eq!(format_duration(duration), written);
        }
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        let bad = [
            "",
            "7",
            "s",
            "-1s",
            "+1s",
            "1.5h",
            "2H",
            "2 hours",
            "1h30m",
            "3651d",
            "99999999999999999999d",
        ];
        for text in bad {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }

    #[test]
    fn sizes_are_read_and_written() {
        let table = [
            ("64KiB", 65_536, "64KiB"),
            ("10MiB", 10_485_760, "10MiB"),
            ("1GB", 1_000_000_000, "1GB"),
            ("1024", 1_024, "1KiB"),
            ("2GB", 2_000_000_000, "2GB"),
            ("1001B", 1_001, "1001B"),
            ("0", 0, "0"),
        ];
        for (text, bytes, written) in table {
            assert_eq!(parse_size(text), Some(bytes), "{text}");
            assert_eq!(format_size(bytes), written);
        }
        for text in ["", "MiB", "1mib", "-1", "+1", "1.5GB", "99999999TiB"] {
            assert_eq!(parse_size(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn written_durations_read_back(milliseconds in 0..=LONGEST.as_millis() as u64) {
            let duration = Duration::from_millis(milliseconds);
            prop_assert_eq!(parse_duration(&format_duration(duration)), Some(duration));
        }

        #[test]
        fn written_sizes_read_back(bytes: u64) {
            prop_assert_eq!(parse_size(&format_size(bytes)), Some(bytes));
        }

        #[test]
        fn any_text_is_answered_without_a_panic(text: String) {
            prop_assert!(parse_duration(&text).is_none_or(|duration| duration <= LONGEST));
            prop_assert!(parse_size(&text).is_none_or(|_| text.starts_with(|char: char| char.is_ascii_digit())));
        }
    }
}
