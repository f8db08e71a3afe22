//! Searching a transcript for a text, a page of hits at a time.
//!
//! SQLite looks at the rows, in steps, and a page is over when it has enough hits or its time is up: a transcript may have a
//! million items, and whoever waits for an answer wants to see something of it soon.

use std::time::{Duration, Instant};

use orchestra_core::{AgentEvent, IterationNumber, SessionId, Timestamp};
use rusqlite::{Row, params};

use crate::columns::{bound, column, json, timestamp, to_json};
use crate::{StoreError, Tx};

/// Items that are looked at before the time is looked at.
pub const SEARCH_STEP: u64 = 5_000;
/// Characters that are shown before and after a hit.
const AROUND: usize = 60;

/// What is searched for, and where.
#[derive(Debug, Clone, Copy)]
pub struct TranscriptSearch<'a> {
    /// The text. Letters from a to z fit in either case.
    pub text: &'a str,
    /// Only items after this position.
    pub after: u64,
    /// At most this many hits.
    pub limit: usize,
    /// No step begins after so long.
    pub longest: Duration,
}

/// Hits, and how far was searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptHits {
    /// The hits, in order.
    pub hits: Vec<TranscriptHit>,
    /// Items until here were searched.
    pub searched: u64,
    /// Whether that was the end.
    pub is_end: bool,
}

/// An item that has the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptHit {
    /// Its position.
    pub position: u64,
    /// Its iteration.
    pub iteration: IterationNumber,
    /// When it was said or done.
    pub at: Timestamp,
    /// What stands around the text.
    pub snippet: String,
    /// Where in the snippet the text is, in characters.
    pub begin: usize,
    /// How many characters it has.
    pub length: usize,
}

impl Tx<'_> {
    /// Searches a transcript from a position on.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn search_transcript(
        &self,
        session: &SessionId,
        search: &TranscriptSearch<'_>,
    ) -> Result<TranscriptHits, StoreError> {
        let (begun, last) = (Instant::now(), self.last_position(session)?);
        let pattern = pattern(search.text)?;
        let (mut hits, mut searched) = (Vec::new(), search.after.min(last));
        while searched < last && hits.len() < search.limit {
            let until = last.min(searched + SEARCH_STEP);
            let found = self.search_step(session, &pattern, (searched, until), |row| {
                let hit = hit(row, search.text)?;
                hits.extend(hit);
                Ok(hits.len() >= search.limit)
            })?;
            searched = match found {
                true => hits.last().map_or(until, |hit| hit.position),
                false => until,
            };
            if begun.elapsed() >= search.longest {
                break;
            }
        }
        Ok(TranscriptHits {
            hits,
            searched,
            is_end: searched >= last,
        })
    }

    /// Hands on the rows between two positions that may have the text; true: until it was enough.
    fn search_step(
        &self,
        session: &SessionId,
        pattern: &str,
        (after, until): (u64, u64),
        mut each: impl FnMut(&Row<'_>) -> Result<bool, StoreError>,
    ) -> Result<bool, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT position, iteration, at, event FROM transcript
             WHERE session = ?1 AND position > ?2 AND position <= ?3 AND event LIKE ?4 ESCAPE '\\'
             ORDER BY position",
        )?;
        let mut rows = statement.query(params![
            session.as_str(),
            bound(after),
            bound(until),
            pattern
        ])?;
        while let Some(row) = rows.next()? {
            if each(row)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The text as it stands in a row, which is JSON, with what a pattern would take for a sign of its own.
fn pattern(text: &str) -> Result<String, StoreError> {
    let quoted = to_json(&text)?;
    let written = quoted.strip_prefix('"').unwrap_or(&quoted);
    let written = written.strip_suffix('"').unwrap_or(written);
    let mut pattern = String::from("%");
    for letter in written.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    Ok(pattern)
}

/// A row may have the text only in a name that JSON gives to a value; then it is no hit.
fn hit(row: &Row<'_>, text: &str) -> Result<Option<TranscriptHit>, StoreError> {
    let event: AgentEvent = json(row, "event")?;
    let found = texts(&event)
        .into_iter()
        .find_map(|place| snippet(&place, text));
    let Some((snippet, begin)) = found else {
        return Ok(None);
    };
    Ok(Some(TranscriptHit {
        position: column(row, "position")?,
        iteration: IterationNumber(column(row, "iteration")?),
        at: timestamp(row, "at")?,
        snippet,
        begin,
        length: text.chars().count(),
    }))
}

/// What people see of an item.
fn texts(event: &AgentEvent) -> Vec<String> {
    match event {
        AgentEvent::Message { text, .. }
        | AgentEvent::Thinking { text }
        | AgentEvent::Diagnostic { text }
        | AgentEvent::Unrecognized { raw: text }
        | AgentEvent::AwaitingInput { question: text }
        | AgentEvent::Failed { message: text, .. }
        | AgentEvent::ToolResult { content: text, .. } => vec![text.clone()],
        AgentEvent::ToolCall { name, input, .. } => {
            let mut texts = vec![name.clone()];
            values_of(input, &mut texts);
            texts
        }
        AgentEvent::Plan { steps } => steps.iter().map(|step| step.text.clone()).collect(),
        AgentEvent::Edit { path, old, new, .. } => {
            let texts = [Some(path), old.as_ref(), Some(new)];
            texts.into_iter().flatten().cloned().collect()
        }
        AgentEvent::PermissionAsked {
            title, tool_use, ..
        } => {
            let mut texts: Vec<String> = title.iter().cloned().collect();
            if let Ok(tool_use) = serde_json::to_value(tool_use) {
                values_of(&tool_use, &mut texts);
            }
            texts
        }
        AgentEvent::PermissionDecided { reason, .. }
        | AgentEvent::PermissionWithdrawn { reason, .. } => vec![reason.clone()],
        AgentEvent::Finished { summary } => summary.iter().cloned().collect(),
        AgentEvent::Started { .. } | AgentEvent::Usage { .. } => Vec::new(),
    }
}

/// All texts and numbers in a JSON value.
fn values_of(value: &serde_json::Value, texts: &mut Vec<String>) {
    use serde_json::Value;
    match value {
        Value::Null => {}
        Value::String(text) => texts.push(text.clone()),
        Value::Bool(_) | Value::Number(_) => texts.push(value.to_string()),
        Value::Array(values) => values.iter().for_each(|value| values_of(value, texts)),
        Value::Object(values) => values.values().for_each(|value| values_of(value, texts)),
    }
}

/// The surroundings of a text within a longer one, and where it is in them, in characters.
fn snippet(place: &str, text: &str) -> Option<(String, usize)> {
    let begin = find(place, text)?;
    let (before, rest) = place.split_at_checked(begin)?;
    let before: Vec<char> = before.chars().rev().take(AROUND).collect();
    let shown = text.chars().count() + AROUND;
    let snippet = before.iter().rev().copied().chain(rest.chars().take(shown));
    Some((snippet.collect(), before.len()))
}

/// Both have bytes of the same length where they fit, so that the place is one between two characters.
fn find(place: &str, text: &str) -> Option<usize> {
    let (place, text) = (place.as_bytes(), text.as_bytes());
    let first = text.first()?.to_ascii_lowercase();
    let fits = |window: &[u8]| {
        window[0].to_ascii_lowercase() == first && window.eq_ignore_ascii_case(text)
    };
    place.windows(text.len()).position(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_shows_what_is_around() {
        let long = format!("{}\u{e4} Needle \u{f6}{}", "x".repeat(500), "y".repeat(500));
        let (shown, begin) = snippet(&long, "needle").unwrap();
        let found: String = shown.chars().skip(begin).take(6).collect();
        assert_eq!((found.as_str(), begin), ("Needle", AROUND));
        assert_eq!(shown.chars().count(), 2 * AROUND + 6);
        assert_eq!(
            snippet("a \u{e4}", "\u{e4}"),
            Some(("a \u{e4}".to_owned(), 2))
        );
        assert_eq!(snippet("short", "longer than that"), None);
    }

    #[test]
    fn signs_of_patterns_and_of_json_are_plain_letters() {
        assert_eq!(pattern("50%_\\").unwrap(), "%50\\%\\_\\\\\\\\%");
        assert_eq!(pattern("a\"b\n").unwrap(), "%a\\\\\"b\\\\n%");
        assert_eq!(pattern("\"").unwrap(), "%\\\\\"%");
    }
}
