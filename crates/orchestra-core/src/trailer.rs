//! Trailers: lines such as `Reviewed-by: somebody` at the end of a commit's message.

use crate::mentions_issue;

const ISSUE: &str = "Issue";

/// The message with a trailer for the session's issue, unless it mentions that already.
#[must_use]
pub fn with_issue(message: &str, issue: Option<&str>) -> String {
    let issue = issue.map(str::trim).filter(|issue| !issue.is_empty());
    let missing = issue.filter(|issue| !mentions_issue(message, issue));
    let trailers: Vec<_> = missing
        .map(|issue| format!("{ISSUE}: {issue}"))
        .into_iter()
        .collect();
    with_trailers(message, &trailers)
}

/// The message with more trailers, which join those it has.
#[must_use]
pub fn with_trailers(message: &str, trailers: &[String]) -> String {
    let text = message.trim();
    if trailers.is_empty() {
        return text.to_owned();
    }
    let gap = match ends_with_trailers(text) {
        true => "\n",
        false => "\n\n",
    };
    format!("{text}{gap}{}", trailers.join("\n"))
}

/// The paragraph where trailers may be. The first one is the subject, whatever it looks like.
#[must_use]
pub fn last_paragraph(message: &str) -> Option<&str> {
    message.trim().rsplit_once("\n\n").map(|(_, last)| last)
}

fn ends_with_trailers(text: &str) -> bool {
    let is_trailer = |line: &str| {
        let key = line.split_once(": ").map_or("", |(key, _)| key);
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !key.is_empty() && key.bytes().all(is_plain)
    };
    last_paragraph(text).is_some_and(|last| last.lines().all(is_trailer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_issue_is_named_once() {
        let cases = [
            ("Add a\n", None, "Add a"),
            ("Add a", Some(" "), "Add a"),
            ("Add a", Some("42"), "Add a\n\nIssue: 42"),
            ("Add: a", Some("42"), "Add: a\n\nIssue: 42"),
            ("Add a (#42)", Some("42"), "Add a (#42)"),
            (
                "Add a\n\nReviewed-by: B\nSee-also: c",
                Some("42"),
                "Add a\n\nReviewed-by: B\nSee-also: c\nIssue: 42",
            ),
            ("Add a\n\nissue:  42", Some("42"), "Add a\n\nissue:  42"),
            (
                "Add a\n\nIssue: 4",
                Some("42"),
                "Add a\n\nIssue: 4\nIssue: 42",
            ),
        ];
        for (message, issue, expected) in cases {
            assert_eq!(with_issue(message, issue), expected);
        }
    }
}
