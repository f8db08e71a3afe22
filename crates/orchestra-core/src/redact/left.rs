//! What stands to the left of a token: a word that goes on, or something that ends before it.

/// How far back [`is_glued`] looks.
pub(super) const LOOK_BEHIND: usize = 32;

/// Whether the text continues an identifier or a word, so that `sk-` may be the end of `task-`.
///
/// An escape such as `\n`, `\u001b`, `%3D` or the end of a terminal colour also ends in a letter or a digit, but a token
/// behind it stands free.
pub(super) fn is_glued(before: &[u8]) -> bool {
    let before = &before[before.len().saturating_sub(LOOK_BEHIND)..];
    before.last().is_some_and(u8::is_ascii_alphanumeric)
        && !ends_in_escape(before)
        && !ends_in_colour(before)
}

fn ends_in_escape(before: &[u8]) -> bool {
    match before {
        [
            ..,
            b'\\',
            b'n' | b'r' | b't' | b'b' | b'f' | b'v' | b'e' | b'0',
        ] => true,
        [.., b'%', high, low] | [.., b'\\', b'x', high, low] => is_hex(&[*high, *low]),
        [.., b'\\', b'u', a, b, c, d] => is_hex(&[*a, *b, *c, *d]),
        _ => false,
    }
}

fn is_hex(digits: &[u8]) -> bool {
    digits.iter().all(u8::is_ascii_hexdigit)
}

/// A control sequence such as `ESC [ 0 ; 31 m`, however the escape character itself is written.
fn ends_in_colour(before: &[u8]) -> bool {
    let Some((b'm' | b'K', parameters)) = before.split_last() else {
        return false;
    };
    let digits = parameters
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b'0'..=b'9' | b';'))
        .count();
    parameters[..parameters.len() - digits].ends_with(b"[")
}

#[cfg(test)]
mod tests {
    use super::is_glued;

    #[test]
    fn words_are_glued_and_escapes_are_not() {
        for glued in ["ta", "disk", "x9", "\\\\un", "100%Z", "[am", "é1"] {
            assert!(is_glued(glued.as_bytes()), "{glued}");
        }
        for free in [
            "",
            " ",
            "=",
            "\"",
            "line\\n",
            "a\\u001b",
            "%3D",
            "\\x1b",
            "\u{1b}[0;31m",
            "\\u001b[m",
            "_",
            "é",
        ] {
            assert!(!is_glued(free.as_bytes()), "{free}");
        }
    }
}
