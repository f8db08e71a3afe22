//! What may be a secret: a place in the text from which a rule is being followed byte by byte.
//!
//! A candidate never looks ahead. It asks for bytes to be held back until it knows, within bounds, and from then on
//! takes bytes as they come, so a secret may be longer than anything held in memory.

use super::authorization::Authorization;
use super::pem::Pem;
use super::token::{Glued, TOKENS, is_beyond_words};
use super::url::UserInfo;

/// A JSON header beyond this is some other base64 text, such as an inline source map.
const MAX_JWT_HEADER: usize = 8 * 1024;
const MIN_JWT_PART: usize = 10;
const MAX_GLUED_WORDS: usize = 256;

/// What a candidate makes of the next byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Not known yet.
    Hold,
    /// All that was held, and this byte, is secret.
    Take,
    /// All that was held is secret, but this byte is not.
    TakeBefore,
    /// What was held is not secret; a secret may begin with this byte.
    Restart,
    /// The candidate ends before this byte, and what it held is not secret.
    Drop,
}

/// A rule being followed.
pub(super) struct Candidate {
    /// The first byte whose fate is open.
    pub(super) from: usize,
    pub(super) shape: Shape,
}

pub(super) enum Shape {
    Token {
        rule: usize,
        len: usize,
        needs_proof: bool,
    },
    Known {
        index: usize,
        len: usize,
    },
    Jwt {
        has_header: bool,
        len: usize,
    },
    Url(UserInfo),
    Authorization(Authorization),
    Pem(Pem),
}

impl Candidate {
    /// `text` is what is held in memory, `at` the place of `byte` in it.
    pub(super) fn step(&mut self, byte: u8, text: &[u8], at: usize, known: &[Vec<u8>]) -> Step {
        match &mut self.shape {
            Shape::Token {
                rule,
                len,
                needs_proof,
            } => step_token(byte, *rule, len, needs_proof),
            Shape::Known { index, len } => step_known(byte, &known[*index], len),
            Shape::Jwt { has_header, len } => step_jwt(byte, has_header, len),
            Shape::Url(info) => info.step(byte),
            Shape::Authorization(header) => header.step(byte, &text[self.from..at]),
            Shape::Pem(pem) => pem.step(byte, &text[self.from..at]),
        }
    }

    /// Whether this one already covers all that the other could find, having begun earlier.
    pub(super) fn covers(&self, other: &Shape) -> bool {
        match (&self.shape, other) {
            (Shape::Token { rule, .. }, Shape::Token { rule: other, .. }) => rule == other,
            (Shape::Jwt { .. }, Shape::Jwt { .. }) | (Shape::Pem(_), Shape::Pem(_)) => true,
            _ => false,
        }
    }
}

impl Shape {
    pub(super) fn token(rule: usize, is_glued: bool) -> Option<Self> {
        let glued = TOKENS[rule].glued;
        let needs_proof = is_glued && glued == Glued::UnlessWords;
        (!is_glued || glued != Glued::Refuse).then_some(Self::Token {
            rule,
            len: 0,
            needs_proof,
        })
    }
}

fn step_token(byte: u8, rule: usize, len: &mut usize, needs_proof: &mut bool) -> Step {
    let rule = &TOKENS[rule];
    if !(rule.body)(byte) {
        return Step::Drop;
    }
    *len += 1;
    *needs_proof &= !is_beyond_words(byte);
    match *len {
        len if *needs_proof && len > MAX_GLUED_WORDS => Step::Drop,
        len if *needs_proof || len < rule.min_len => Step::Hold,
        _ => Step::Take,
    }
}

fn step_known(byte: u8, value: &[u8], len: &mut usize) -> Step {
    if value.get(*len) != Some(&byte) {
        return Step::Drop;
    }
    *len += 1;
    if *len == value.len() {
        Step::Take
    } else {
        Step::Hold
    }
}

/// The second part may be empty, as in an encrypted token, so the dots after the header count like its characters.
fn step_jwt(byte: u8, has_header: &mut bool, len: &mut usize) -> Step {
    let is_digit = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    match byte {
        b'.' if !*has_header && *len >= MIN_JWT_PART => {
            *has_header = true;
            *len = 0;
            return Step::Hold;
        }
        b'.' if *has_header => {}
        _ if is_digit => {}
        _ => return Step::Drop,
    }
    *len += 1;
    match *len {
        len if !*has_header && len > MAX_JWT_HEADER => Step::Drop,
        len if *has_header && len >= MIN_JWT_PART => Step::Take,
        _ => Step::Hold,
    }
}

/// Holds up to `max` bytes, then gives up.
pub(super) fn hold_up_to(max: usize, len: &mut usize) -> Step {
    *len += 1;
    if *len <= max { Step::Hold } else { Step::Drop }
}
