//! Ordinary output of agents and tools has nothing to redact.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use super::plain_redactor;

const SAMPLES: &[&str] = &[
    r#"{"type":"assistant","session_id":"T-550e8400-e29b-41d4-a716-446655440000","message":{"content":[{"type":"text","text":"Done.\nI ran `cargo test`."}]}}"#,
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8\nAuthor: A U Thor <author@example.com>",
    "task-550e8400-e29b-41d4-a716-446655440000 desk-lamp-with-a-very-long-name risk-2024-01-01-assessment-report",
    "<li class=\"task-list-item-checkbox-container disk-usage-indicator-wrapper\">",
    "precision highp_something_that_is_quite_long laughs_and_coughs_and_sighs_all_day",
    "<img src=\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==\">",
    "//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbImEudHMiXX0=",
    "const url = new URL(`http://localhost:${port}/@vite/client`); // see https://example.com:8443/a?b=c@d",
    "\"integrity\": \"sha512-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789+/AbCdEfGhIjKlMnOpQrStUvWxYz0123456789+/==\"",
    "git@github.com:owner/name.git ssh://git@github.com/owner/name.git",
    "struct Authorization { scheme: String } // Authorization: see RFC 9110",
    "const EURASIA_AND_AFRICA: &str = \"CZECHOSLOVAKIA\"; let skiing = ask - me;",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1fX5Y3mQ3sUe1o8wqv0F7m2mYJm7mC1VQm1bXc9dEf me@host",
];

#[test]
fn samples_stay_as_they_are() {
    for sample in SAMPLES {
        assert!(
            matches!(plain_redactor().redact(sample), Cow::Borrowed(_)),
            "{}",
            plain_redactor().redact(sample)
        );
    }
}

#[test]
fn the_code_of_this_crate_stays_as_it_is() {
    let mut folders = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                assert_unchanged(&path);
                count += 1;
            }
        }
    }
    assert!(count > 10);
}

fn assert_unchanged(path: &Path) {
    let code = fs::read_to_string(path).unwrap();
    let redacted = plain_redactor().redact(&code).into_owned();
    let changed = code
        .lines()
        .zip(redacted.lines())
        .find(|(before, after)| before != after);
    assert_eq!(changed, None, "{}", path.display());
}
