//! The second stage: patterns of the user's, which see one line at a time.
//!
//! A regular expression may want any amount of text. It gets a line of up to [`WINDOW`] bytes at once; a longer line is
//! read in windows that overlap, cut at places that depend on the line alone and not on how it arrived.

use std::ops::Range;

use regex::bytes::Regex;

use super::REPLACEMENT;

const WINDOW: usize = 64 * 1024;
const OVERLAP: usize = 4 * 1024;
/// How far a window advances within a long line.
const STRIDE: usize = WINDOW - OVERLAP;

#[derive(Default)]
pub(super) struct LineStage {
    held: Vec<u8>,
    /// Where the window begins; the byte before it, when it belongs to the same line, is context.
    begin: usize,
    is_within_line: bool,
    /// So many bytes of the window are known to have no line break.
    searched: usize,
    /// So many bytes of the window are known to be secret from the one before.
    covered: usize,
    /// The secret ran into the end of the last window, so it goes on to the next space or quote.
    is_open: bool,
    ends_redacted: bool,
    has_redacted: bool,
}

impl LineStage {
    pub(super) fn push(&mut self, patterns: &[Regex], text: &[u8], out: &mut Vec<u8>) {
        self.held.extend_from_slice(text);
        while let Some(window) = self.next_window() {
            self.redact(patterns, window, out);
        }
        let written = self.begin.saturating_sub(1);
        self.held.drain(..written);
        self.begin -= written;
    }

    pub(super) fn finish(&mut self, patterns: &[Regex], out: &mut Vec<u8>) {
        let length = self.held.len() - self.begin;
        if length > 0 {
            self.redact(
                patterns,
                Window {
                    length,
                    written: length,
                    ends_line: true,
                },
                out,
            );
        }
    }

    pub(super) fn has_redacted(&self) -> bool {
        self.has_redacted
    }

    pub(super) fn held_len(&self) -> usize {
        self.held.len()
    }

    fn next_window(&mut self) -> Option<Window> {
        let ahead = &self.held[self.begin..];
        let ahead = &ahead[..ahead.len().min(WINDOW)];
        let line_break = ahead[self.searched..]
            .iter()
            .position(|&byte| byte == b'\n');
        if let Some(length) = line_break.map(|length| self.searched + length) {
            return Some(Window {
                length,
                written: length + 1,
                ends_line: true,
            });
        }
        self.searched = ahead.len();
        (ahead.len() == WINDOW).then_some(Window {
            length: WINDOW,
            written: STRIDE,
            ends_line: false,
        })
    }

    fn redact(&mut self, patterns: &[Regex], window: Window, out: &mut Vec<u8>) {
        let end = self.begin + window.length;
        let mut secret = self.matches(patterns, end);
        secret.extend(self.carried(end));
        secret.sort_unstable_by_key(|range| range.start);
        let covered_to = secret.iter().map(|range| range.end).max().unwrap_or(0);
        let next = self.begin + window.written;
        self.write(&secret, next, out);
        self.begin = next;
        self.searched = 0;
        self.is_within_line = !window.ends_line;
        self.covered = if window.ends_line {
            0
        } else {
            covered_to.saturating_sub(next)
        };
        self.is_open = !window.ends_line && covered_to == end;
    }

    fn matches(&self, patterns: &[Regex], end: usize) -> Vec<Range<usize>> {
        let context = self.begin - usize::from(self.is_within_line);
        let (line, first) = (&self.held[context..end], self.begin - context);
        let mut matches = Vec::new();
        for pattern in patterns {
            let mut at = first;
            while let Some(found) = pattern.find_at(line, at) {
                matches.push(context + found.start()..context + found.end());
                at = found.end().max(found.start() + 1);
                if at > line.len() {
                    break;
                }
            }
        }
        matches.retain(|range| !range.is_empty());
        matches
    }

    /// The rest of a secret that began in the window before.
    fn carried(&self, end: usize) -> Option<Range<usize>> {
        let mut to = (self.begin + self.covered).min(end);
        if self.is_open {
            let rest = self.held[to..end].iter();
            to += rest
                .take_while(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\''))
                .count();
        }
        (to > self.begin).then_some(self.begin..to)
    }

    fn write(&mut self, secret: &[Range<usize>], end: usize, out: &mut Vec<u8>) {
        let mut at = self.begin;
        for range in secret.iter().filter(|range| range.start < end) {
            self.write_plain(at, range.start, out);
            if !self.ends_redacted {
                out.extend_from_slice(REPLACEMENT.as_bytes());
            }
            (self.ends_redacted, self.has_redacted) = (true, true);
            at = at.max(range.end.min(end));
        }
        self.write_plain(at, end, out);
    }

    fn write_plain(&mut self, from: usize, to: usize, out: &mut Vec<u8>) {
        if to > from {
            out.extend_from_slice(&self.held[from..to]);
            self.ends_redacted = false;
        }
    }
}

/// The next part of the text to look at, counted from its first byte.
#[derive(Clone, Copy)]
struct Window {
    length: usize,
    /// How much of it is certain afterwards, with the line break.
    written: usize,
    ends_line: bool,
}
