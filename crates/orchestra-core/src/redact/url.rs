//! Names and passwords in URLs.

use super::candidate::{Step, hold_up_to};

const MAX_NAME: usize = 256;
/// A password beyond this is taken without waiting for its `@`.
const MAX_PASSWORD: usize = 8 * 1024;

/// A place after `://`.
pub(super) enum UserInfo {
    Name { len: usize },
    Password { len: usize },
    Host { len: usize },
}

impl UserInfo {
    pub(super) fn new() -> Self {
        Self::Name { len: 0 }
    }

    pub(super) fn step(&mut self, byte: u8) -> Step {
        match (self, byte) {
            (_, byte) if !is_user_info(byte) => Step::Drop,
            (Self::Name { .. } | Self::Password { len: 0 }, b'@') => Step::Drop,
            (state @ Self::Name { .. }, b':') => {
                *state = Self::Password { len: 0 };
                Step::Hold
            }
            // A second `@` shows that the first belonged to the password.
            (state @ (Self::Password { .. } | Self::Host { .. }), b'@') => {
                *state = Self::Host { len: 0 };
                Step::TakeBefore
            }
            (Self::Name { len } | Self::Host { len }, _) => hold_up_to(MAX_NAME, len),
            (Self::Password { len }, _) => {
                *len += 1;
                if *len <= MAX_PASSWORD {
                    Step::Hold
                } else {
                    Step::Take
                }
            }
        }
    }
}

/// Brackets and quotes are left out, though some passwords have them: code that builds or matches a URL has them too.
fn is_user_info(byte: u8) -> bool {
    let is_delimiter = matches!(
        byte,
        b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'\\' | 0x7f
    );
    let is_bracket = matches!(byte, b'<' | b'>' | b'{' | b'}' | b'[' | b']');
    byte > b' ' && !is_delimiter && !is_bracket
}
