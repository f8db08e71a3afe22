//! What an agent says it changed, line by line. What really changed is told by git.

use std::time::Duration;

use orchestra_core::{ToldEdit, visible_line};
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use super::screen;
use crate::printer::{DIM, GREEN, RED};

/// More lines than this are counted.
const MOST_LINES: usize = 30;
const WIDTH: usize = 160;
/// Unchanged lines around a change.
const AROUND: usize = 2;
/// A longer search for the shortest way to say it is not worth it.
const PATIENCE: Duration = Duration::from_millis(100);
const MOST_BYTES: usize = 512 * 1024;

/// The lines that a tool's arguments say it takes away and brings.
pub(super) fn of_call(input: &Value) -> Option<String> {
    Some(match ToldEdit::of(input)? {
        ToldEdit::Patch(patch) => of_patch(patch),
        ToldEdit::Texts { old, new } => between(old, new),
    })
}

/// The lines by which one text differs from another.
pub(super) fn between(old: &str, new: &str) -> String {
    if old.len() + new.len() > MOST_BYTES {
        let (gone, come) = (old.lines().count(), new.lines().count());
        return format!("  {DIM}{gone} lines become {come}{DIM:#}");
    }
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    let groups = diff.grouped_ops(AROUND);
    let changes = groups.iter().flatten();
    let changes = changes.flat_map(|operation| diff.iter_changes(operation));
    let lines = changes.map(|change| {
        let sign = match change.tag() {
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
            ChangeTag::Equal => ' ',
        };
        (sign, change.value().trim_end_matches(['\r', '\n']))
    });
    folded(lines.collect())
}

fn of_patch(patch: &str) -> String {
    let lines = patch.lines().filter(|line| {
        let is_frame = line.starts_with("*** Begin") || line.starts_with("*** End");
        !is_frame
    });
    let split = lines.map(|line| match line.chars().next() {
        Some(sign @ ('+' | '-' | ' ')) => (sign, &line[1..]),
        _ => (' ', line),
    });
    folded(split.collect())
}

fn folded(lines: Vec<(char, &str)>) -> String {
    let more = lines.len().saturating_sub(MOST_LINES);
    let mut shown: Vec<String> = lines
        .into_iter()
        .take(MOST_LINES)
        .map(|(sign, text)| line(sign, text))
        .collect();
    if more > 0 {
        shown.push(format!("  {DIM}(+{more} lines){DIM:#}"));
    }
    shown.join("\n")
}

fn line(sign: char, text: &str) -> String {
    let text = visible_line(text);
    let text = screen::cut(&text, WIDTH).unwrap_or(text);
    match sign {
        '+' => format!("  {GREEN}+{text}{GREEN:#}"),
        '-' => format!("  {RED}-{text}{RED:#}"),
        _ => format!("  {DIM} {text}{DIM:#}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn edits_of_every_agent_are_shown_as_lines() {
        let edit = json!({"path": "a", "old_str": "one\ntwo\n", "new_str": "one\nTWO\n"});
        let claude = json!({"file_path": "a", "old_string": "two", "new_string": "TWO"});
        let patch =
            json!({"patch": "*** Begin Patch\n*** Update File: a\n-two\n+TWO\n*** End Patch"});
        let new = json!({"path": "a", "content": "one\n"});
        let shown = |input: &Value| plain(&of_call(input).unwrap());
        assert_eq!(shown(&edit), "   one\n  -two\n  +TWO");
        assert_eq!(shown(&claude), "  -two\n  +TWO");
        assert_eq!(shown(&patch), "   *** Update File: a\n  -two\n  +TWO");
        assert_eq!(shown(&new), "  +one");
        for other in [json!({"cmd": "ls"}), json!({"path": "a"}), Value::Null] {
            assert_eq!(of_call(&other), None, "{other}");
        }
    }

    #[test]
    fn many_lines_are_folded_and_escapes_made_visible() {
        let new: String = (0..40).map(|number| format!("{number}\n")).collect();
        let shown = plain(&between("", &new));
        assert!(shown.ends_with("  +29\n  (+10 lines)"), "{shown}");
        assert!(!between("", "\u{1b}[2J").contains("\u{1b}[2J"));
        let huge = "x\n".repeat(MOST_BYTES);
        assert_eq!(
            plain(&between("", &huge)),
            format!("  0 lines become {MOST_BYTES}")
        );
    }
}
