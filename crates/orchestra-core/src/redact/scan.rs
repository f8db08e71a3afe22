//! The scanner: reads text byte by byte, follows candidates and notes which bytes are secret.

use std::ops::Range;

use aho_corasick::automaton::StateID;

use super::REPLACEMENT;
use super::candidate::{Candidate, Shape, Step};
use super::rules::Rules;

/// A reading of one text. Places count from the first byte the caller still holds.
pub(super) struct Scanner {
    state: StateID,
    /// How far the text has been read.
    read: usize,
    candidates: Vec<Candidate>,
    found: Found,
}

/// The secret ranges, in order, without overlaps.
#[derive(Default)]
pub(super) struct Found(Vec<Range<usize>>);

/// The writing side: what has been written, and whether it ended in a replacement.
#[derive(Default)]
pub(super) struct Output {
    written: usize,
    ends_redacted: bool,
}

impl Scanner {
    pub(super) fn new(rules: &Rules) -> Self {
        Self {
            state: rules.start(),
            read: 0,
            candidates: Vec::new(),
            found: Found::default(),
        }
    }

    /// Reads on to the end of `text`, of which the part already read may not have changed.
    pub(super) fn scan(&mut self, rules: &Rules, text: &[u8]) {
        while let Some(&byte) = text.get(self.read) {
            let is_trigger = if self.candidates.is_empty() {
                let length = rules.find(&mut self.state, &text[self.read..]);
                self.read = length.map_or(text.len(), |length| self.read + length);
                length.is_some()
            } else {
                self.follow(byte, text, &rules.known);
                self.read += 1;
                rules.advance(&mut self.state, byte)
            };
            if is_trigger {
                self.begin(rules, text);
            }
        }
    }

    /// Up to where it is certain which bytes are secret, whatever comes next.
    pub(super) fn settled(&self, rules: &Rules, text: &[u8]) -> usize {
        let held = self.candidates.iter().map(|candidate| candidate.from);
        held.chain([self.read - rules.unfinished(&text[..self.read])])
            .min()
            .unwrap_or(self.read)
    }

    /// The caller has let go of so many bytes at the front.
    pub(super) fn forget(&mut self, count: usize) {
        self.read -= count;
        for candidate in &mut self.candidates {
            candidate.from -= count;
        }
        for range in &mut self.found.0 {
            *range = range.start.saturating_sub(count)..range.end - count;
        }
    }

    pub(super) fn has_found_nothing(&self) -> bool {
        self.found.0.is_empty()
    }

    pub(super) fn found_mut(&mut self) -> &mut Found {
        &mut self.found
    }

    fn begin(&mut self, rules: &Rules, text: &[u8]) {
        for (from, shape) in rules.begun(self.state, text, self.read) {
            match self
                .candidates
                .iter_mut()
                .find(|candidate| candidate.covers(&shape))
            {
                Some(Candidate {
                    shape: Shape::Pem(pem),
                    ..
                }) => pem.renew(),
                Some(_) => {}
                None => self.candidates.push(Candidate { from, shape }),
            }
        }
    }

    fn follow(&mut self, byte: u8, text: &[u8], known: &[Vec<u8>]) {
        let (at, found) = (self.read, &mut self.found);
        self.candidates.retain_mut(|candidate| {
            let (end, next) = match candidate.step(byte, text, at, known) {
                Step::Hold => return true,
                Step::Drop => return false,
                Step::Take => (at + 1, at + 1),
                Step::TakeBefore => (at, at),
                Step::Restart => (candidate.from, at),
            };
            found.add(candidate.from..end);
            candidate.from = next;
            true
        });
    }
}

impl Found {
    /// Ranges arrive in the order of their ends, so only the last ones can touch a new one.
    fn add(&mut self, mut range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        while let Some(last) = self.0.pop_if(|last| last.end >= range.start) {
            range = last.start.min(range.start)..last.end.max(range.end);
        }
        self.0.push(range);
    }
}

impl Output {
    /// How much of the held text has been written.
    pub(super) fn written(&self) -> usize {
        self.written
    }

    /// Writes the text up to `end`, with one replacement for each secret. Secrets that touch become one.
    pub(super) fn write(&mut self, text: &[u8], end: usize, found: &mut Found, out: &mut Vec<u8>) {
        for range in found.0.iter().take_while(|range| range.start < end) {
            self.write_plain(text, range.start, out);
            if !self.ends_redacted {
                out.extend_from_slice(REPLACEMENT.as_bytes());
                self.ends_redacted = true;
            }
            self.written = self.written.max(range.end.min(end));
        }
        self.write_plain(text, end, out);
        found.0.retain(|range| range.end > end);
    }

    /// The caller has let go of so many bytes at the front.
    pub(super) fn forget(&mut self, count: usize) {
        self.written -= count;
    }

    fn write_plain(&mut self, text: &[u8], end: usize, out: &mut Vec<u8>) {
        if end > self.written {
            out.extend_from_slice(&text[self.written..end]);
            self.written = end;
            self.ends_redacted = false;
        }
    }
}
