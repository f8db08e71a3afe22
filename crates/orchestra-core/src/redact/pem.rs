//! Private keys in PEM blocks, on real lines or with their line breaks escaped.

use super::candidate::Step;

const PRIVATE: &[u8] = b"PRIVATE KEY";
const END: &[u8] = b"-----END";
const MAX_LABEL: usize = 48;
/// Digits in a row that count as key material; whole lines have 64 or more, and a short last line is followed by `END`.
const MIN_RUN: usize = 24;
/// How much else may stand between two lines of a key: header fields, indentation, quotes, line numbers.
const MAX_GAP: usize = 192;
/// A block without an end is believed for so long.
const MAX_BLOCK: usize = 64 * 1024;

/// A place inside what may be a private key, after its `-----BEGIN `.
pub(super) enum Pem {
    /// In the words after `BEGIN`.
    Label { len: usize },
    /// In the lines of the key.
    Body(Body),
    /// After `-----END`.
    End { len: usize, dashes: usize },
}

#[derive(Default)]
pub(super) struct Body {
    len: usize,
    run: usize,
    gap: usize,
    end_seen: usize,
}

impl Pem {
    pub(super) fn new() -> Self {
        Self::Label { len: 0 }
    }

    /// `label` is what is held back so far, from `-----BEGIN ` on.
    pub(super) fn step(&mut self, byte: u8, label: &[u8]) -> Step {
        match self {
            Self::Label { len } if is_label(byte) && *len < MAX_LABEL => {
                *len += 1;
                Step::Hold
            }
            Self::Label { .. } if byte == b'-' && is_private(label) => {
                *self = Self::Body(Body::default());
                Step::Hold
            }
            Self::Label { .. } => Step::Drop,
            Self::Body(body) => {
                let step = body.step(byte);
                if body.has_ended() {
                    *self = Self::End { len: 0, dashes: 0 };
                    return Step::Take;
                }
                step
            }
            Self::End { len, dashes } => step_end(byte, len, dashes),
        }
    }

    /// Another block begins within this one, whose end was cut off.
    pub(super) fn renew(&mut self) {
        if let Self::Body(body) = self {
            body.len = 0;
        }
    }
}

impl Body {
    fn has_ended(&self) -> bool {
        self.end_seen == END.len()
    }

    fn step(&mut self, byte: u8) -> Step {
        self.len += 1;
        self.gap += 1;
        self.end_seen = match self.end_seen {
            seen if byte == END[seen] => seen + 1,
            5 if byte == b'-' => 5,
            _ => usize::from(byte == b'-'),
        };
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' | b'=' => self.run += 1,
            b'\\' | b'\r' | b'\n' => {}
            _ => self.run = 0,
        }
        if self.run >= MIN_RUN {
            self.gap = 0;
        }
        match self.gap {
            _ if self.len > MAX_BLOCK => Step::Drop,
            0 => Step::Take,
            1..=MAX_GAP => Step::Hold,
            _ => Step::Drop,
        }
    }
}

fn step_end(byte: u8, len: &mut usize, dashes: &mut usize) -> Step {
    *len += 1;
    *dashes += usize::from(byte == b'-');
    let is_closing = byte == b'-' && *dashes <= 5;
    let is_named = is_label(byte) && *dashes == 0;
    if (is_closing || is_named) && *len <= MAX_LABEL {
        Step::Take
    } else {
        Step::Drop
    }
}

fn is_label(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' '
}

fn is_private(label: &[u8]) -> bool {
    label.windows(PRIVATE.len()).any(|words| words == PRIVATE)
}
