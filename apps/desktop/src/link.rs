//! Links that other programs open: `orchestra://session/<id>` and the pages of the app.

/// Pages that a link may name.
const PAGES: [&str; 4] = ["new", "dashboard", "conflicts", "manage"];
const SCHEME: &str = "orchestra://";
/// Names and ids of sessions are shorter.
const LONGEST: usize = 128;

/// The page a link leads to; `None` if it is no link of ours. Links come from anywhere, so nothing of them is kept but a name.
pub(crate) fn page(link: &str) -> Option<String> {
    let rest = link.strip_prefix(SCHEME)?.trim_end_matches('/');
    match rest.split_once('/') {
        Some(("session" | "sessions", id)) if is_plain(id) => Some(format!("/sessions/{id}")),
        None if rest.is_empty() => Some("/".to_owned()),
        None if PAGES.contains(&rest) => Some(format!("/{rest}")),
        _ => None,
    }
}

fn is_plain(id: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !id.is_empty() && id.len() <= LONGEST && id.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_a_page_or_nowhere() {
        let cases = [
            ("orchestra://session/7py67r", Some("/sessions/7py67r")),
            ("orchestra://session/7py67r/", Some("/sessions/7py67r")),
            ("orchestra://new", Some("/new")),
            ("orchestra://", Some("/")),
            ("orchestra://session/../manage", None),
            ("orchestra://session/a?b", None),
            ("orchestra://session/", None),
            ("orchestra://session/a%2fb", None),
            ("orchestra://api/v1/sessions", None),
            ("https://example.com/", None),
            ("--background", None),
        ];
        for (link, expected) in cases {
            assert_eq!(page(link).as_deref(), expected, "{link}");
        }
    }
}
