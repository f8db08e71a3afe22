//! Output of other programs on a terminal: colours pass, everything else a terminal obeys is shown instead.
//!
//! A diff has what the agent wrote, and a script runs it; neither may move the cursor or reach the clipboard. Output that
//! goes to a file or a pipe never comes here.

use std::path::Path;

use orchestra_core::visible_line;

/// A path as it may be shown: its names can be anything.
pub(crate) fn path(path: &Path) -> String {
    visible_line(&path.display().to_string())
}

/// The beginning of a text that has more characters than this; `None` if it fits.
pub(crate) fn cut(text: &str, most: usize) -> Option<String> {
    text.char_indices().nth(most)?;
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    Some(format!("{kept}\u{2026}"))
}

const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();
/// No colour needs more.
const LONGEST: usize = 32;

/// Filters a stream that arrives in pieces; what a piece ends within is finished by the next one.
#[derive(Debug, Default)]
pub(crate) struct ScreenFilter {
    /// The beginning of what may be a colour, or of a character outside ASCII.
    held: Vec<u8>,
}

impl ScreenFilter {
    /// The next piece as it may be shown.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> Vec<u8> {
        let mut shown = Vec::with_capacity(chunk.len());
        for &byte in chunk {
            self.take(byte, &mut shown);
        }
        shown
    }

    fn take(&mut self, byte: u8, shown: &mut Vec<u8>) {
        match (self.held.as_slice(), byte) {
            ([], 0x1b | 0xc2 | 0xe2) => self.held.push(byte),
            ([], byte) => show(byte, shown),
            ([0x1b], b'[') => self.held.push(byte),
            ([0x1b, b'[', ..], b'0'..=b'9' | b';' | b':') if self.held.len() < LONGEST => {
                self.held.push(byte);
            }
            ([0x1b, b'[', ..], b'm') => {
                shown.append(&mut self.held);
                shown.push(byte);
            }
            ([0xe2], 0x80 | 0x81) => self.held.push(byte),
            ([0xc2], 0x80..=0x9f)
            | ([0xe2, 0x80], 0x8e | 0x8f | 0xaa..=0xae)
            | ([0xe2, 0x81], 0xa6..=0xa9) => {
                self.held.clear();
                shown.extend_from_slice(REPLACEMENT);
            }
            _ => {
                self.give_up(shown);
                self.take(byte, shown);
            }
        }
    }

    /// What was held is no colour and no forbidden character: an escape is replaced, the rest is text.
    fn give_up(&mut self, shown: &mut Vec<u8>) {
        for byte in std::mem::take(&mut self.held) {
            show(byte, shown);
        }
    }
}

/// A carriage return stays: progress is shown with it, and it reaches no other line.
fn show(byte: u8, shown: &mut Vec<u8>) {
    match byte {
        b'\n' | b'\t' | b'\r' => shown.push(byte),
        0..=0x1f | 0x7f => shown.extend_from_slice(REPLACEMENT),
        byte => shown.push(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_pass_and_everything_else_is_shown_wherever_the_pieces_are_cut() {
        let cases = [
            (
                "\u{1b}[1;31mred\u{1b}[m\n\ttext\r\n",
                "\u{1b}[1;31mred\u{1b}[m\n\ttext\r\n",
            ),
            ("\u{1b}[2J\u{1b}[10A", "\u{fffd}[2J\u{fffd}[10A"),
            ("\u{1b}]52;c;eA==\u{7}", "\u{fffd}]52;c;eA==\u{fffd}"),
            ("\u{1b}\u{1b}[32mx", "\u{fffd}\u{1b}[32mx"),
            ("\u{9b}2J\u{8}\u{7f}", "\u{fffd}2J\u{fffd}\u{fffd}"),
            (
                "caf\u{e9} \u{2026}\u{a0}\u{20ac}",
                "caf\u{e9} \u{2026}\u{a0}\u{20ac}",
            ),
            ("a\u{202e}b\u{2067}c", "a\u{fffd}b\u{fffd}c"),
            ("\u{1b}[31", ""),
        ];
        for (text, expected) in cases {
            for size in 1..=text.len() {
                let mut filter = ScreenFilter::default();
                let shown: Vec<u8> = text
                    .as_bytes()
                    .chunks(size)
                    .flat_map(|chunk| filter.push(chunk))
                    .collect();
                assert_eq!(String::from_utf8_lossy(&shown), expected, "{text:?} {size}");
            }
        }
    }
}
