//! The forms in which a known secret may appear: as it is, and as base64, URL-encoded or JSON text.

use std::collections::BTreeSet;

use super::MIN_SECRET_LEN;

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const UNRESERVED: &[u8] = b"-_.~";
/// What `encodeURIComponent` leaves as it is.
const UNRESERVED_IN_SCRIPTS: &[u8] = b"-_.~!'()*";

/// Every form of the value, without doubles. Nothing for a value too short to look for.
pub(super) fn forms(value: &str) -> BTreeSet<Vec<u8>> {
    let value = value.trim();
    let mut forms = BTreeSet::new();
    if value.len() < MIN_SECRET_LEN {
        return forms;
    }
    forms.insert(value.as_bytes().to_vec());
    for alphabet in [STANDARD, URL_SAFE] {
        forms.extend((0..3).map(|offset| base64_core(value.as_bytes(), offset, alphabet)));
    }
    for plain in [UNRESERVED, UNRESERVED_IN_SCRIPTS] {
        for hex in [b"0123456789ABCDEF", b"0123456789abcdef"] {
            forms.extend(["%20", "+"].map(|space| url_encoded(value, plain, space, hex)));
        }
    }
    for ascii_only in [false, true] {
        let once = json_escaped(value, ascii_only);
        forms.insert(json_escaped(&once, ascii_only).into_bytes());
        forms.insert(once.replace('/', "\\/").into_bytes());
        forms.insert(once.into_bytes());
    }
    forms
}

/// The base64 digits that depend on the value alone when `offset` bytes (modulo three) come before it.
fn base64_core(value: &[u8], offset: usize, alphabet: &[u8; 64]) -> Vec<u8> {
    let first_bit = (offset * 8).next_multiple_of(6) - offset * 8;
    let digits = (value.len() * 8 - first_bit) / 6;
    (0..digits)
        .map(|digit| alphabet[six_bits(value, first_bit + digit * 6)])
        .collect()
}

fn six_bits(value: &[u8], bit: usize) -> usize {
    let first = u16::from(value[bit / 8]) << 8;
    let second = value.get(bit / 8 + 1).copied().map_or(0, u16::from);
    usize::from(((first | second) >> (10 - bit % 8)) & 0x3f)
}

fn url_encoded(value: &str, plain: &[u8], space: &str, hex: &[u8; 16]) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(value.len() * 3);
    for &byte in value.as_bytes() {
        match byte {
            _ if byte.is_ascii_alphanumeric() || plain.contains(&byte) => encoded.push(byte),
            b' ' => encoded.extend_from_slice(space.as_bytes()),
            _ => encoded.extend([
                b'%',
                hex[usize::from(byte >> 4)],
                hex[usize::from(byte & 15)],
            ]),
        }
    }
    encoded
}

fn json_escaped(value: &str, ascii_only: bool) -> String {
    let mut escaped = String::with_capacity(value.len() + 8);
    for char in value.chars() {
        match char {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            _ if char.is_ascii_control() || (ascii_only && !char.is_ascii()) => {
                push_unicode_escape(char, &mut escaped)
            }
            _ => escaped.push(char),
        }
    }
    escaped
}

fn push_unicode_escape(char: char, escaped: &mut String) {
    for unit in char.encode_utf16(&mut [0; 2]) {
        escaped.push_str(&format!("\\u{unit:04x}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(value: &str, form: &str) -> bool {
        forms(value).contains(form.as_bytes())
    }

    #[test]
    fn base64_is_found_at_each_alignment() {
        // The whole texts are "x-access-token:hunter2-pass", "uu:hunter2-pass" and "u:hunter2-pass".
        assert!(has("hunter2-pass", "aHVudGVyMi1wYXNz"));
        assert!("eC1hY2Nlc3MtdG9rZW46aHVudGVyMi1wYXNz".contains("aHVudGVyMi1wYXNz"));
        assert!(has("hunter2-pass", "h1bnRlcjItcGFzc"));
        assert!("eHg6eDpodW50ZXIyLXBhc3M=".contains("odW50ZXIyLXBhc3"));
        assert!(has("hunter2-pass", "odW50ZXIyLXBhc3"));
    }

    #[test]
    fn other_forms() {
        assert!(has("a b/c?d=é", "a%20b%2Fc%3Fd%3D%C3%A9"));
        assert!(has("a b/c?d=é", "a+b%2fc%3fd%3d%c3%a9"));
        assert!(has("it's/(me)", "it's%2F(me)"));
        assert!(has("it's/(me)", "it%27s%2F%28me%29"));
        assert!(has("it's/(me)", "it's\\/(me)"));
        assert!(has("say \"hi\"\n", "say \\\"hi\\\""));
        assert!(has("say \"hi\"\n", "say \\\\\\\"hi\\\\\\\""));
        assert!(has("naïve-😀-key", "na\\u00efve-\\ud83d\\ude00-key"));
    }

    #[test]
    fn short_values_are_left_alone() {
        assert!(forms("1234567").is_empty());
        assert!(forms("  123456  ").is_empty());
        assert!(forms("12345678").len() > 1);
    }
}
