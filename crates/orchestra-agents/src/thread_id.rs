//! Names of conversations.

const LONGEST: usize = 200;

/// The name that an agent gives its conversation. It becomes an argument of the next turn, so it must not look like an option
/// or like anything else than a name.
pub(crate) fn thread_id(text: &str) -> Option<String> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
    let begins = text
        .as_bytes()
        .first()
        .is_some_and(u8::is_ascii_alphanumeric);
    let is_name = begins && text.len() <= LONGEST && text.bytes().all(is_part);
    is_name.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_name_is_an_id() {
        for id in ["T-01", "5f0c", "ses_1", "a.b:c"] {
            assert_eq!(thread_id(id).as_deref(), Some(id));
        }
        for text in [
            "",
            "-x",
            "--dangerously-allow-all",
            "a b",
            "a\n",
            "../a",
            ":a",
        ] {
            assert_eq!(thread_id(text), None, "{text}");
        }
        assert_eq!(thread_id(&"a".repeat(LONGEST + 1)), None);
    }
}
