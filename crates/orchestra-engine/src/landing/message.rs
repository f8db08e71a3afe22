//! The message of a commit that stands for a session's work.

const ISSUE: &str = "Issue";

/// The message with a trailer for the session's issue, unless it names that already.
pub(super) fn with_issue(message: &str, issue: Option<&str>) -> String {
    let text = message.trim();
    let Some(issue) = issue.map(str::trim).filter(|issue| !issue.is_empty()) else {
        return text.to_owned();
    };
    let names_it = |line: &str| {
        line.split_once(':').is_some_and(|(key, value)| {
            key.trim().eq_ignore_ascii_case(ISSUE) && value.trim() == issue
        })
    };
    if text.lines().any(names_it) {
        return text.to_owned();
    }
    let gap = if ends_with_trailers(text) {
        "\n"
    } else {
        "\n\n"
    };
    format!("{text}{gap}{ISSUE}: {issue}")
}

/// Whether the last paragraph has nothing but lines such as `Reviewed-by: somebody`. The first paragraph is the subject.
fn ends_with_trailers(text: &str) -> bool {
    let is_trailer = |line: &str| {
        let key = line.split_once(": ").map_or("", |(key, _)| key);
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !key.is_empty() && key.bytes().all(is_plain)
    };
    text.rsplit_once("\n\n")
        .is_some_and(|(_, last)| last.lines().all(is_trailer))
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
