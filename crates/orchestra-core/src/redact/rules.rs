//! The rules of a redactor, compiled: which texts begin a candidate, and the automaton that finds them.

use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::{Anchored, MatchKind, StartKind, dfa};
use regex::bytes::{Regex, RegexBuilder};

use super::authorization::Authorization;
use super::candidate::Shape;
use super::forms::forms;
use super::left::is_glued;
use super::pem::Pem;
use super::token::TOKENS;
use super::url::UserInfo;
use super::{MIN_SECRET_LEN, RedactorError, Secret};

/// Shorter than the shortest known value, so that a candidate is left with something to read.
const KNOWN_PREFIX: usize = MIN_SECRET_LEN - 1;

/// All that a redactor looks for.
pub(super) struct Rules {
    automaton: dfa::DFA,
    start: StateID,
    triggers: Vec<Trigger>,
    /// Every form of every known secret.
    pub(super) known: Vec<Vec<u8>>,
    /// What the user added.
    pub(super) patterns: Vec<Regex>,
}

/// A text that may begin a secret.
struct Trigger {
    text: Vec<u8>,
    rule: Rule,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Token(usize),
    Known(usize),
    Jwt,
    Url,
    Authorization,
    Pem,
}

impl Rules {
    pub(super) fn new<'secrets>(
        secrets: impl IntoIterator<Item = &'secrets Secret>,
        patterns: impl IntoIterator<Item: AsRef<str>>,
    ) -> Result<Self, RedactorError> {
        let patterns = patterns
            .into_iter()
            .map(|pattern| compile(pattern.as_ref()))
            .collect::<Result<_, _>>()?;
        let mut known: Vec<_> = secrets
            .into_iter()
            .flat_map(|secret| forms(secret.expose()))
            .collect();
        known.sort_unstable();
        known.dedup();
        let triggers = triggers(&known);
        // Only `authorization` is wanted in any case; the others are compared once more when they are found.
        let automaton = dfa::Builder::new()
            .match_kind(MatchKind::Standard)
            .start_kind(StartKind::Unanchored)
            .ascii_case_insensitive(true)
            .prefilter(false)
            .build(triggers.iter().map(|trigger| &trigger.text))
            .map_err(|error| RedactorError::Search(Box::new(error)))?;
        let start = automaton
            .start_state(Anchored::No)
            .map_err(|error| RedactorError::Search(Box::new(error)))?;
        Ok(Self {
            automaton,
            start,
            triggers,
            known,
            patterns,
        })
    }

    /// The state of a search that has seen nothing.
    pub(super) fn start(&self) -> StateID {
        self.start
    }

    /// The state after one more byte, and whether a trigger ends there.
    pub(super) fn advance(&self, state: &mut StateID, byte: u8) -> bool {
        *state = self.automaton.next_state(Anchored::No, *state, byte);
        self.automaton.is_special(*state) && self.automaton.is_match(*state)
    }

    /// How many bytes there are up to and including the end of the next trigger.
    pub(super) fn find(&self, state: &mut StateID, text: &[u8]) -> Option<usize> {
        text.iter()
            .position(|&byte| self.advance(state, byte))
            .map(|last| last + 1)
    }

    /// How many bytes at the end of the text may be the beginning of a trigger.
    pub(super) fn unfinished(&self, text: &[u8]) -> usize {
        let tail = &text[text.len().saturating_sub(self.automaton.max_pattern_len())..];
        let mut state = self.start;
        let mut unfinished = tail.len();
        for (index, &byte) in tail.iter().enumerate() {
            self.advance(&mut state, byte);
            if state == self.start {
                unfinished = tail.len() - index - 1;
            }
        }
        unfinished
    }

    /// The candidates that begin with the triggers ending at `end`, each with its first byte.
    pub(super) fn begun(
        &self,
        state: StateID,
        text: &[u8],
        end: usize,
    ) -> impl Iterator<Item = (usize, Shape)> {
        (0..self.automaton.match_len(state)).filter_map(move |index| {
            let trigger = &self.triggers[self.automaton.match_pattern(state, index).as_usize()];
            trigger.begin(text, end)
        })
    }
}

impl Trigger {
    fn begin(&self, text: &[u8], end: usize) -> Option<(usize, Shape)> {
        let start = end - self.text.len();
        if self.rule != Rule::Authorization && text[start..end] != self.text {
            return None;
        }
        Some(match self.rule {
            Rule::Token(rule) => (start, Shape::token(rule, is_glued(&text[..start]))?),
            Rule::Known(index) => (
                start,
                Shape::Known {
                    index,
                    len: self.text.len(),
                },
            ),
            Rule::Jwt => (
                start,
                Shape::Jwt {
                    has_header: false,
                    len: 0,
                },
            ),
            Rule::Url => (end, Shape::Url(UserInfo::new())),
            Rule::Authorization => (end, Shape::Authorization(Authorization::new())),
            Rule::Pem => (start, Shape::Pem(Pem::new())),
        })
    }
}

fn triggers(known: &[Vec<u8>]) -> Vec<Trigger> {
    let tokens = TOKENS.iter().enumerate();
    let tokens = tokens.flat_map(|(rule, token)| {
        token
            .prefixes
            .iter()
            .map(move |text| (*text, Rule::Token(rule)))
    });
    let shapes = [
        ("eyJ", Rule::Jwt),
        ("://", Rule::Url),
        (":\\/\\/", Rule::Url),
        ("authorization", Rule::Authorization),
        ("-----BEGIN ", Rule::Pem),
    ];
    let fixed = tokens.chain(shapes).map(|(text, rule)| Trigger {
        text: text.as_bytes().to_vec(),
        rule,
    });
    // The first bytes are enough to notice a known value; this keeps the automaton small however long the values are.
    let known = known.iter().enumerate();
    let known = known.map(|(index, form)| Trigger {
        text: form[..KNOWN_PREFIX].to_vec(),
        rule: Rule::Known(index),
    });
    fixed.chain(known).collect()
}

/// Without Unicode tables a pattern means bytes, so `(?i)` and `\w` concern ASCII only.
fn compile(pattern: &str) -> Result<Regex, RedactorError> {
    let regex = RegexBuilder::new(pattern).unicode(false).build();
    let regex = regex.map_err(|error| RedactorError::InvalidPattern {
        pattern: pattern.to_owned(),
        source: Box::new(error),
    })?;
    if regex.is_match(b"") {
        return Err(RedactorError::EmptyMatch {
            pattern: pattern.to_owned(),
        });
    }
    Ok(regex)
}
