//! A table for each kind of secret.

use std::borrow::Cow;

use orchestra_core::redact::{Redactor, Secret};

use super::{plain_redactor, redactor, streamed};

fn check(redactor: &Redactor, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(redactor.redact(text), *expected, "{text}");
        let by_byte = streamed(redactor, text.as_bytes(), vec![1; text.len()]);
        assert_eq!(
            String::from_utf8_lossy(&by_byte),
            *expected,
            "byte by byte: {text}"
        );
    }
}

#[test]
fn tokens() {
    check(
        &plain_redactor(),
        &[
            ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "***"),
            (
                "open https://example.com/cli-login?authToken=QUJDREVGR0g-1&port=1 now",
                "open https://example.com/cli-login***&port=1 now",
            ),
            ("?authToken=abc", "?authToken=abc"),
            (
                "GH_TOKEN=gho_16C7e42F292c6912E7710c838347Ae178B4a;",
                "GH_TOKEN=***;",
            ),
            (
                "ghs_1234567_eyJhbGciOiJI.eyJpc3MiOjEyMzQ1fQ.c2lnbmF0dXJl ok",
                "*** ok",
            ),
            ("a ghu_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "a ***"),
            ("tokenghr_16C7e42F292c6912E7710c838347Ae178B4a", "token***"),
            (
                "github_pat_11ABCDEFG0aBcDeFgHiJkL_mnopqrstuvwxyz0123456789",
                "***",
            ),
            (
                "{\"key\":\"sgamp_user_01JABCDEF_0123456789abcdef\"}",
                "{\"key\":\"***\"}",
            ),
            ("sk-ant-api03-abcdefghijklmnopqrst_uvwxyz-AA", "***"),
            ("OPENAI=sk-proj-abcdEFGH1234abcdEFGH1234", "OPENAI=***"),
            (
                "line\\nsk-abcdEFGH1234abcdEFGH1234\\nend",
                "line\\n***\\nend",
            ),
            (
                "\u{1b}[31msk-abcdEFGH1234abcdEFGH1234\u{1b}[0m",
                "\u{1b}[31m***\u{1b}[0m",
            ),
            ("key%3Dsk-abcdEFGH1234abcdEFGH1234&x", "key%3D***&x"),
            ("xoxb-123456789012-abcdefABCDEF", "***"),
            (
                "AKIAIOSFODNN7EXAMPLE and ASIAIOSFODNN7EXAMPLE.",
                "*** and ***.",
            ),
        ],
    );
}

#[test]
fn web_tokens() {
    check(
        &plain_redactor(),
        &[
            (
                "t=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN; x",
                "t=***; x",
            ),
            (
                "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4In0..48V1_ALb6US04U3b.5eym8TW_c8SuK0ltJ3rpYI",
                "***",
            ),
            ("eyJhbGciOiJIUzI1NiJ9 alone", "eyJhbGciOiJIUzI1NiJ9 alone"),
        ],
    );
}

#[test]
fn urls() {
    check(
        &plain_redactor(),
        &[
            (
                "https://user:pass@example.com/a",
                "https://***@example.com/a",
            ),
            (
                "https://x-access-token:abc@github.com/o/r.git",
                "https://***@github.com/o/r.git",
            ),
            (
                "redis://:secret@127.0.0.1:6379",
                "redis://***@127.0.0.1:6379",
            ),
            ("postgres://me:p@ss@w@db:5432/x", "postgres://***@db:5432/x"),
            (
                "https:\\/\\/user:pass@example.com\\/a",
                "https:\\/\\/***@example.com\\/a",
            ),
            (
                "ssh://git@example.com:22/x http://localhost:3000/@me",
                "ssh://git@example.com:22/x http://localhost:3000/@me",
            ),
            (
                "`${scheme}://${user}:${password}@${host}`",
                "`${scheme}://${user}:${password}@${host}`",
            ),
            ("://([^:]+):([^@]+)@", "://([^:]+):([^@]+)@"),
        ],
    );
}

#[test]
fn authorization() {
    check(
        &plain_redactor(),
        &[
            (
                "Authorization: Bearer abcdefgh",
                "Authorization: Bearer ***",
            ),
            (
                "> AUTHORIZATION: basic dXNlcjpwYXNz\r\n",
                "> AUTHORIZATION: basic ***\r\n",
            ),
            (
                "{\"Proxy-Authorization\": \"Bearer 1|abc.def:ghi\"}",
                "{\"Proxy-Authorization\": \"Bearer ***\"}",
            ),
            (
                "{\\\"authorization\\\":\\\"token 0123456789\\\"}",
                "{\\\"authorization\\\":\\\"token ***\\\"}",
            ),
            (
                "'authorization' => 'Bearer abcdefgh1'",
                "'authorization' => 'Bearer ***'",
            ),
            (
                "Authorization: Bearer ${token}",
                "Authorization: Bearer ${token}",
            ),
            (
                "Authorization: Bearer <token>, Authorization: Bearer token",
                "Authorization: Bearer <token>, Authorization: Bearer token",
            ),
            (
                "Authorization: Basic authentication",
                "Authorization: Basic authentication",
            ),
            (
                "authorization basic abcdefgh1",
                "authorization basic abcdefgh1",
            ),
        ],
    );
}

#[test]
fn private_keys() {
    let line = "MIIEowIBAAKCAQEAvRzJcVVXx0123456789abcdefghijklmnopqrstuvwxyz+/A";
    let block = format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{line}\n{line}\nx3==\n-----END RSA PRIVATE KEY-----"
    );
    let fields = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0011";
    let cases = [
        (format!("a\n{block}\nb"), "a\n***\nb"),
        (
            format!("{{\"k\":\"{}\\n\"}}", block.replace('\n', "\\n")),
            "{\"k\":\"***\\n\"}",
        ),
        (
            format!("{{\"k\":\"{}\"}}", block.replace('\n', "\\\\n")),
            "{\"k\":\"***\"}",
        ),
        (
            format!("key: |\n    {}\n", block.replace('\n', "\n    ")),
            "key: |\n    ***\n",
        ),
        (
            block.replace("KEY-----\nM", &format!("KEY-----\n{fields}\n\nM")),
            "***",
        ),
        (format!("+{}", block.replace('\n', "\r\n+")), "+***"),
        (format!("-{}\n", block.replace('\n', "\n-")), "-***\n"),
        (
            format!("[\"{}\"]", block.replace('\n', "\", \"")),
            "[\"***\"]",
        ),
        (
            format!("{{\"cut\":\"-----BEGIN PRIVATE KEY-----\\n{line}\"}}"),
            "{\"cut\":\"***\"}",
        ),
        (
            block.replace("RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"),
            "***",
        ),
    ];
    let cases: Vec<_> = cases
        .iter()
        .map(|(text, expected)| (text.as_str(), *expected))
        .collect();
    check(&plain_redactor(), &cases);
}

#[test]
fn public_parts_stay() {
    let line = "MIIEowIBAAKCAQEAvRzJcVVXx0123456789abcdefghijklmnopqrstuvwxyz+/A";
    for text in [
        format!("-----BEGIN CERTIFICATE-----\n{line}\n-----END CERTIFICATE-----\n"),
        format!("-----BEGIN PUBLIC KEY-----\n{line}\n-----END PUBLIC KEY-----\n"),
        "if text.contains(\"-----BEGIN RSA PRIVATE KEY-----\") { return Err(Refused); }\n"
            .to_owned(),
    ] {
        assert!(
            matches!(plain_redactor().redact(&text), Cow::Borrowed(_)),
            "{text}"
        );
    }
}

#[test]
fn known_values_and_their_forms() {
    check(
        &redactor(),
        &[
            ("is hunter2-and-more here", "is *** here"),
            ("hunter2-and-mor", "hunter2-and-mor"),
            ("aaaaaaaaaaaaaaaab", "aaaaa***"),
            (
                "Basic eC1hY2Nlc3MtdG9rZW46aHVudGVyMi1hbmQtbW9yZQ==",
                "Basic eC1hY2Nlc3MtdG9rZW46***Q==",
            ),
            ("u=aHVudGVyMi1hbmQtbW9yZQ", "u=***Q"),
            (
                "{\"p\":\"pässwörd \\\"quoted\\\"\\\\x\"}",
                "{\"p\":\"***\"}",
            ),
            ("?p=p%C3%A4ssw%C3%B6rd+%22quoted%22%5Cx&", "?p=***&"),
            ("hunter2-and-morehunter2-and-more", "***"),
            ("Hunter2-and-more", "Hunter2-and-more"),
        ],
    );
}

#[test]
fn patterns_of_the_user() {
    check(
        &redactor(),
        &[
            (
                "see INTERNAL-abc123 and pin=1234\nnext pin=1",
                "see *** and ***\nnext ***",
            ),
            ("internal-12345", "internal-12345"),
        ],
    );
    let long = format!(
        "{}pin={} rest{}",
        "x".repeat(61_430),
        "7".repeat(200_000),
        " .".repeat(70_000)
    );
    let expected = format!("{}*** rest{}", "x".repeat(61_430), " .".repeat(70_000));
    assert!(
        redactor().redact(&long) == expected,
        "a match longer than any window"
    );
}

#[test]
fn patterns_that_cannot_be_used_are_refused() {
    let code = |pattern| Redactor::new(&[], [pattern]).unwrap_err().code();
    assert_eq!(code("("), "redact.invalid_pattern");
    assert_eq!(code("x*"), "redact.empty_match");
    assert!(Redactor::new(&[Secret::new("short")], [r"(?i)\bkey-\w+"]).is_ok());
}

#[test]
fn bytes_that_are_no_text() {
    let text = b"\xff\xfe\0 ghp_16C7e42F292c6912E7710c838347Ae178B4a\xff\x80 hunter2-and-more\0";
    assert_eq!(
        redactor().redact_bytes(text).as_ref(),
        b"\xff\xfe\0 ***\xff\x80 ***\0"
    );
    assert!(matches!(
        redactor().redact_bytes(b"\xff\xfe\0"),
        Cow::Borrowed(_)
    ));
}

#[test]
fn redacting_twice_changes_nothing() {
    let once = redactor()
        .redact("https://u:hunter2-and-more@h Authorization: Bearer abcdefgh1")
        .into_owned();
    assert_eq!(redactor().redact(&once), once);
}
