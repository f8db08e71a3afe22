//! Redaction of text that arrives in pieces.

use std::fmt;
use std::sync::Arc;

use super::left::LOOK_BEHIND;
use super::lines::LineStage;
use super::rules::Rules;
use super::scan::{Output, Scanner};

/// Larger pieces are read in parts of this size, so that memory does not grow with them.
const PART: usize = 64 * 1024;
/// Written bytes are let go of in lots, since moving the rest has its price.
const LOT: usize = 4 * 1024;

/// Redacts text that arrives in pieces: the output is that of the whole text, wherever the pieces are cut.
///
/// Bytes are held back only while they may be the beginning of a secret: for ordinary text a few, and never more than
/// the longest known secret or about 8 KiB. Patterns of the user's need whole lines, of which up to 64 KiB are held.
pub struct RedactingStream {
    rules: Arc<Rules>,
    held: Vec<u8>,
    scanner: Scanner,
    output: Output,
    lines: LineStage,
    scanned: Vec<u8>,
}

impl RedactingStream {
    pub(super) fn new(rules: Arc<Rules>) -> Self {
        let scanner = Scanner::new(&rules);
        let (output, lines) = (Output::default(), LineStage::default());
        Self {
            rules,
            held: Vec::new(),
            scanner,
            output,
            lines,
            scanned: Vec::new(),
        }
    }

    /// Takes the next piece and appends to `out` all that is certain.
    pub fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        for part in chunk.chunks(PART) {
            self.held.extend_from_slice(part);
            self.scanner.scan(&self.rules, &self.held);
            let settled = self.scanner.settled(&self.rules, &self.held);
            self.write(settled, out);
            self.let_go();
        }
    }

    /// The text is complete: appends what was held back. The stream can then be used for another text.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.write(self.held.len(), out);
        if !self.rules.patterns.is_empty() {
            self.lines.finish(&self.rules.patterns, out);
        }
        *self = Self::new(Arc::clone(&self.rules));
    }

    /// How many bytes are held in memory.
    #[must_use]
    pub fn held_len(&self) -> usize {
        self.held.len() + self.lines.held_len()
    }

    fn write(&mut self, end: usize, out: &mut Vec<u8>) {
        if self.rules.patterns.is_empty() {
            self.output
                .write(&self.held, end, self.scanner.found_mut(), out);
            return;
        }
        self.scanned.clear();
        self.output
            .write(&self.held, end, self.scanner.found_mut(), &mut self.scanned);
        self.lines.push(&self.rules.patterns, &self.scanned, out);
    }

    fn let_go(&mut self) {
        let count = self.output.written().saturating_sub(LOOK_BEHIND);
        if count >= LOT {
            self.held.drain(..count);
            self.scanner.forget(count);
            self.output.forget(count);
        }
    }
}

impl fmt::Debug for RedactingStream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RedactingStream")
            .field("held_len", &self.held_len())
            .finish_non_exhaustive()
    }
}
