//! A stream gives what the whole text gives, in bounded memory.

use proptest::prelude::*;

use super::{plain_redactor, redactor, streamed};

/// Texts made of what the rules look at, so that beginnings, ends and overlaps of all kinds occur.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let words = prop::sample::select(vec![
        "ghp_",
        "github_pat_",
        "sgamp_",
        "sk-",
        "xoxb-",
        "AKIA",
        "eyJ",
        ".",
        "eyJhbGciOiJI.",
        "://",
        "user:",
        "pass",
        "@",
        "authorization",
        ": ",
        "Bearer ",
        "basic ",
        "-----BEGIN ",
        "RSA PRIVATE KEY",
        "-----",
        "-----END ",
        "hunter2-",
        "and-more",
        "aHVudGVyMi1h",
        "bmQtbW9yZQ",
        "aaaaaaa",
        "aaaab",
        "pin=",
        "internal-",
        "12345678",
        "ABCDEFGHIJKLMNOP",
        "abcdefghijklmnopqrstuvwxyz",
        "\n",
        "\\n",
        "\"",
        " ",
        "\u{1b}[0m",
        "é",
        "task-",
        "high",
        "{}",
    ]);
    let part = prop_oneof![
        8 => words.prop_map(|word| word.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_make_no_difference(text in text(), lengths in prop::collection::vec(0_usize..20, 0..40)) {
        let redactor = redactor();
        let whole = redactor.redact_bytes(&text).into_owned();
        prop_assert_eq!(&streamed(&redactor, &text, lengths), &whole);
        prop_assert_eq!(&streamed(&redactor, &text, vec![1; text.len()]), &whole);
        prop_assert_eq!(whole.windows(16).filter(|bytes| bytes == b"hunter2-and-more").count(), 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn long_texts_make_no_difference(text in text(), lengths in prop::collection::vec(1_usize..900, 1..40)) {
        let words = b"ta\\nsk-abcdefghijklmnopqrstuvwxyz task-abcdefghijklmnopqrstuvwxyz \n";
        let text = [&text, &words[..]].concat().repeat(200);
        let redactor = redactor();
        let pieces = lengths.into_iter().cycle().take(text.len());
        prop_assert!(streamed(&redactor, &text, pieces) == redactor.redact_bytes(&text).as_ref());
    }
}

#[test]
fn endless_secrets_are_swallowed_in_bounded_memory() {
    let body = "aB3".repeat(100_000);
    let key_line = format!("{}\n", "aB3d".repeat(16));
    for (prefix, body, suffix, expected) in [
        ("ghp_", body.clone(), " end", "*** end"),
        ("eyJhbGciOiJIUzI1NiJ9.", body.clone(), " end", "*** end"),
        (
            "Authorization: Bearer ",
            body.clone(),
            " end",
            "Authorization: Bearer *** end",
        ),
        ("https://me:", body, "@host end", "https://***@host end"),
        (
            "-----BEGIN PRIVATE KEY-----\n",
            key_line.repeat(900),
            "-----END PRIVATE KEY-----\nend",
            "***\nend",
        ),
    ] {
        let text = format!("{prefix}{body}{suffix}");
        let (mut stream, mut out) = (plain_redactor().stream(), Vec::new());
        let mut most_held = 0;
        for piece in text.as_bytes().chunks(777) {
            stream.push(piece, &mut out);
            most_held = most_held.max(stream.held_len());
        }
        stream.finish(&mut out);
        assert_eq!(String::from_utf8_lossy(&out), expected);
        assert!(most_held < 32 * 1024, "{prefix}: {most_held}");
    }
}

#[test]
fn a_huge_line_does_not_fill_memory() {
    let (mut stream, mut out) = (redactor().stream(), Vec::new());
    let mut most_held = 0;
    for _ in 0..500 {
        stream.push(&[b'x'; 10_000], &mut out);
        most_held = most_held.max(stream.held_len());
    }
    stream.push(b" pin=1234 hunter2-and-more", &mut out);
    stream.finish(&mut out);
    assert_eq!(out.len(), 5_000_000 + " *** ***".len());
    assert!(most_held < 96 * 1024, "{most_held}");
}

#[test]
fn whole_lines_come_out_at_once() {
    let (mut stream, mut out) = (redactor().stream(), Vec::new());
    stream.push(b"{\"type\":\"result\"}\n", &mut out);
    assert_eq!(out, b"{\"type\":\"result\"}\n");
    stream.finish(&mut out);
    stream.push(b"again hunter2-and-more", &mut out);
    stream.finish(&mut out);
    assert_eq!(out, b"{\"type\":\"result\"}\nagain ***");
}
