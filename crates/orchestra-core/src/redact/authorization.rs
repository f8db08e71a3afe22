//! Values of `Authorization` headers, as sent, quoted or written in code.

use super::candidate::{Step, hold_up_to};
use super::token::is_beyond_words;

const SCHEMES: [&str; 3] = ["bearer", "basic", "token"];
const MAX_SCHEME: usize = 6;
const MAX_SEPARATOR: usize = 16;
const MIN_VALUE: usize = 8;
/// From here on a value is no word, even when it has lower-case letters only.
const MIN_WORDLESS: usize = 16;

/// A place after `authorization`.
pub(super) enum Authorization {
    Separator { len: usize, has_sign: bool },
    Scheme { len: usize },
    Space { len: usize, is_bearer: bool },
    Value { len: usize, may_be_word: bool },
}

impl Authorization {
    pub(super) fn new() -> Self {
        Self::Separator {
            len: 0,
            has_sign: false,
        }
    }

    /// `word` is what is held back so far.
    pub(super) fn step(&mut self, byte: u8, word: &[u8]) -> Step {
        match self {
            Self::Separator { len, has_sign } if is_separator(byte) => {
                *has_sign |= matches!(byte, b':' | b'=');
                hold_up_to(MAX_SEPARATOR, len)
            }
            Self::Separator { has_sign: true, .. } if byte.is_ascii_alphabetic() => {
                self.restart(Self::Scheme { len: 1 })
            }
            Self::Scheme { len } if byte.is_ascii_alphabetic() => hold_up_to(MAX_SCHEME, len),
            Self::Scheme { .. } if is_space(byte) && is_scheme(word) => {
                *self = Self::Space {
                    len: 0,
                    is_bearer: word.eq_ignore_ascii_case(b"bearer"),
                };
                Step::Hold
            }
            Self::Space { len, .. } if is_space(byte) => hold_up_to(MAX_SEPARATOR, len),
            Self::Space { is_bearer, .. } if is_value(byte) => {
                let may_be_word = !*is_bearer && !is_beyond_words(byte);
                self.restart(Self::Value {
                    len: 1,
                    may_be_word,
                })
            }
            Self::Value { len, may_be_word } if is_value(byte) => {
                *len += 1;
                *may_be_word &= *len < MIN_WORDLESS && !is_beyond_words(byte);
                if *may_be_word || *len < MIN_VALUE {
                    Step::Hold
                } else {
                    Step::Take
                }
            }
            Self::Separator { .. }
            | Self::Scheme { .. }
            | Self::Space { .. }
            | Self::Value { .. } => Step::Drop,
        }
    }

    fn restart(&mut self, next: Self) -> Step {
        *self = next;
        Step::Restart
    }
}

fn is_separator(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b':' | b'=' | b'>' | b'"' | b'\'' | b'\\')
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_scheme(word: &[u8]) -> bool {
    SCHEMES
        .iter()
        .any(|scheme| word.eq_ignore_ascii_case(scheme.as_bytes()))
}

/// Without the signs that make it a place-holder or code, such as `<token>` and `${token}`.
fn is_value(byte: u8) -> bool {
    let is_delimiter = matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b',' | b';' | b'$');
    let is_bracket = matches!(byte, b'<' | b'>' | b'{' | b'}' | b'(' | b')');
    byte.is_ascii_graphic() && !is_delimiter && !is_bracket
}
