//! New values for variables of an env file. Everything else stays as it is, byte for byte.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The text with new values, and the variables that it has.
pub(super) fn rewrite(
    text: &[u8],
    values: &BTreeMap<String, String>,
) -> (Vec<u8>, BTreeSet<String>) {
    let (mut written, mut names) = (Vec::new(), BTreeSet::new());
    let mut rest = text;
    while !rest.is_empty() {
        let assignment = Assignment::at_start_of(rest);
        let known = assignment.as_ref().and_then(|it| {
            let (name, value) = values.get_key_value(it.name)?;
            Some((name, value, it))
        });
        if let Some((name, value, assignment)) = known {
            written.extend(&rest[..assignment.value.start]);
            written.extend(quoted(value, assignment.quote(rest)).into_bytes());
            rest = &rest[assignment.value.end..];
            names.insert(name.clone());
        } else if let Some(assignment) = assignment {
            written.extend(&rest[..assignment.value.end]);
            rest = &rest[assignment.value.end..];
        }
        let end = line_end(rest);
        written.extend(&rest[..end]);
        rest = &rest[end..];
    }
    (written, names)
}

/// Variables that have another value than they would get, with the one they have.
pub(super) fn differing(text: &[u8], values: &BTreeMap<String, String>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(assignment) = Assignment::at_start_of(rest) {
            let has = String::from_utf8_lossy(&rest[assignment.value.clone()]);
            let would_have = values.get(assignment.name);
            if would_have.is_some_and(|value| quoted(value, assignment.quote(rest)) != has) {
                found.push((assignment.name.to_owned(), has.into_owned()));
            }
            rest = &rest[assignment.value.end..];
        }
        rest = &rest[line_end(rest)..];
    }
    found
}

/// `NAME=value`, where the value may go on for several lines if it is quoted.
#[derive(Debug, PartialEq, Eq)]
struct Assignment<'a> {
    name: &'a str,
    /// With its quotes.
    value: Range<usize>,
}

impl<'a> Assignment<'a> {
    fn at_start_of(text: &'a [u8]) -> Option<Self> {
        let mark = text.starts_with(BYTE_ORDER_MARK);
        let start = blank_from(text, if mark { BYTE_ORDER_MARK.len() } else { 0 });
        let (name, mut end) = name_at(text, start)?;
        let (name, after) = match name_at(text, blank_from(text, end)) {
            Some((exported, after)) if name == "export" => (exported, after),
            _ => (name, end),
        };
        end = blank_from(text, after);
        (text.get(end) == Some(&b'=')).then(|| Self {
            name,
            value: value_at(text, end + 1),
        })
    }

    fn quote(&self, text: &[u8]) -> Option<char> {
        let first = text[self.value.clone()].first();
        first.copied().filter(is_quote).map(char::from)
    }
}

fn name_at(text: &[u8], start: usize) -> Option<(&str, usize)> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let length = text[start..]
        .iter()
        .take_while(|byte| is_part(byte))
        .count();
    let name = std::str::from_utf8(&text[start..start + length]).ok()?;
    (length > 0).then_some((name, start + length))
}

fn value_at(text: &[u8], after_sign: usize) -> Range<usize> {
    let start = blank_from(text, after_sign);
    if let Some(quote) = text.get(start).copied().filter(is_quote)
        && let Some(end) = closing_quote(text, start, quote)
    {
        return start..end;
    }
    let line = &text[start..start + content_end(&text[start..])];
    let is_comment = |at: usize| line[at] == b'#' && at > 0 && is_blank(line[at - 1]);
    let end = (0..line.len()).find(|at| is_comment(*at));
    let value = line[..end.unwrap_or(line.len())].trim_ascii_end();
    // A comment, or nothing at all: the value is empty and stands right behind the sign.
    let is_empty = value.is_empty() || (start > after_sign && value[0] == b'#');
    match is_empty {
        true => after_sign..after_sign,
        false => start..start + value.len(),
    }
}

/// Behind the quote that ends a value: only blanks or a comment may follow on its line. A value goes on in the next line only
/// if its own line has no other quote.
fn closing_quote(text: &[u8], start: usize, quote: u8) -> Option<usize> {
    let own_line = start + line_end(&text[start..]);
    let mut escaped = false;
    let mut in_own_line = false;
    for (at, byte) in text.iter().enumerate().skip(start + 1) {
        if at >= own_line && in_own_line {
            return None;
        }
        if *byte == quote && !escaped {
            if ends_value(&text[at + 1..]) {
                return Some(at + 1);
            }
            in_own_line |= at < own_line;
        }
        escaped = quote == b'"' && *byte == b'\\' && !escaped;
    }
    None
}

fn ends_value(rest: &[u8]) -> bool {
    let line = rest[..content_end(rest)].trim_ascii_start();
    line.is_empty() || line[0] == b'#'
}

/// The value in the quotes it had, or in others where it would not survive those.
fn quoted(value: &str, quote: Option<char>) -> String {
    let is_plain = !value.contains(|char: char| {
        char.is_whitespace() || char.is_control() || "#'\"`$\\".contains(char)
    });
    let is_literal = |quote: char| !value.contains(quote) && !value.contains(char::is_control);
    match quote {
        None if is_plain => value.to_owned(),
        Some(quote) if is_plain || (quote != '"' && is_literal(quote)) => {
            format!("{quote}{value}{quote}")
        }
        Some('"') if is_literal('"') && !value.contains(['$', '`', '\\']) => format!("\"{value}\""),
        _ if is_literal('\'') => format!("'{value}'"),
        _ => format!("\"{}\"", escaped(value)),
    }
}

fn escaped(value: &str) -> String {
    let mut text = String::new();
    for char in value.chars() {
        match char {
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '"' | '\\' | '$' | '`' => text.extend(['\\', char]),
            char => text.push(char),
        }
    }
    text
}

fn blank_from(text: &[u8], start: usize) -> usize {
    let blanks = text[start..].iter().take_while(|byte| is_blank(**byte));
    start + blanks.count()
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_quote(byte: &u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Behind the first line break.
fn line_end(text: &[u8]) -> usize {
    let line_break = text.iter().position(|byte| *byte == b'\n');
    line_break.map_or(text.len(), |at| at + 1)
}

/// Before the first line break.
fn content_end(text: &[u8]) -> usize {
    let line_break = text.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
    line_break.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str, value: &str) -> String {
        let values = BTreeMap::from([("PORT".to_owned(), value.to_owned())]);
        String::from_utf8(rewrite(text.as_bytes(), &values).0).unwrap()
    }

    #[test]
    fn only_the_value_changes() {
        for (before, after) in [
            ("PORT=1", "PORT=2"),
            ("PORT=1\r\nA=1\r\n", "PORT=2\r\nA=1\r\n"),
            (
                "A=1\n\n# PORT=1\nPORT = 1 # why\n",
                "A=1\n\n# PORT=1\nPORT = 2 # why\n",
            ),
            ("export PORT=\"1\"\n", "export PORT=\"2\"\n"),
            ("  export\tPORT='1' # x", "  export\tPORT='2' # x"),
            ("PORT=`1`", "PORT=`2`"),
            ("PORT=", "PORT=2"),
            ("PORT=  \n", "PORT=2  \n"),
            ("PORT= # none\n", "PORT=2 # none\n"),
            ("PORT=#1\n", "PORT=2\n"),
            ("PORT=1#2 #3\n", "PORT=2 #3\n"),
            ("\u{feff}PORT=1\n", "\u{feff}PORT=2\n"),
            ("PORT=1\nPORT=3\n", "PORT=2\nPORT=2\n"),
            (
                "PORTS=1\nMY_PORT=1\nXPORT=1\n",
                "PORTS=1\nMY_PORT=1\nXPORT=1\n",
            ),
            ("PORT\nexport\nPORT: 1\n", "PORT\nexport\nPORT: 1\n"),
            ("export=1\nPORT=1", "export=1\nPORT=2"),
        ] {
            assert_eq!(rewritten(before, "2"), after, "{before:?}");
        }
    }

    #[test]
    fn values_of_several_lines_are_one_value() {
        let key = "KEY=\"begin\nPORT=1\nend\"\nPORT=1\n";
        assert_eq!(rewritten(key, "2"), "KEY=\"begin\nPORT=1\nend\"\nPORT=2\n");
        let own = "PORT='1\n2'\nA=1\n";
        assert_eq!(rewritten(own, "2"), "PORT='2'\nA=1\n");
        let escaped = "A=\"x\\\" # y\"\nPORT=1\n";
        assert_eq!(rewritten(escaped, "2"), "A=\"x\\\" # y\"\nPORT=2\n");
    }

    #[test]
    fn odd_quotes_do_not_swallow_what_follows() {
        for start in [
            "A=it's\n",
            "A=\"x\"y\n",
            "A='it\\'s'\n",
            "A='C:\\'\n",
            "A=\"open\n",
            "A='\n",
        ] {
            let text = format!("{start}PORT=1\n");
            assert_eq!(
                rewritten(&text, "2"),
                format!("{start}PORT=2\n"),
                "{start:?}"
            );
        }
        assert_eq!(rewritten("PORT='it\\'s'\nA=1", "2"), "PORT='2'\nA=1");
    }

    #[test]
    fn a_value_survives_its_quotes() {
        for (before, value, after) in [
            ("PORT=1", "a b", "PORT='a b'"),
            ("PORT=1", "a#b", "PORT='a#b'"),
            ("PORT=\"1\"", "a b", "PORT=\"a b\""),
            ("PORT=\"1\"", "pa$s", "PORT='pa$s'"),
            ("PORT='1'", "it's", "PORT=\"it's\""),
            ("PORT=1", "it's $1", "PORT=\"it's \\$1\""),
            ("PORT=1", "a\nb", "PORT=\"a\\nb\""),
            ("PORT=`1`", "a b", "PORT=`a b`"),
            (
                "PORT=1",
                "postgres://u@h:5/d?a=1&b=%20",
                "PORT=postgres://u@h:5/d?a=1&b=%20",
            ),
        ] {
            assert_eq!(rewritten(before, value), after, "{before} {value}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_stay() {
        let text = b"\xff\xfe=1\nPORT=\xff\n\x00\n";
        let values = BTreeMap::from([("PORT".to_owned(), "2".to_owned())]);
        let (written, names) = rewrite(text, &values);
        assert_eq!(written, b"\xff\xfe=1\nPORT=2\n\x00\n");
        assert_eq!(names, BTreeSet::from(["PORT".to_owned()]));
    }
}
