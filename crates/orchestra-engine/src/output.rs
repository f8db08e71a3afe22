//! The raw output of an agent or a script: redacted, appended to a file, cut into lines, handed on.
//!
//! Redaction comes first and sees the stream as a whole, so a secret that arrives in pieces is still found. The file gets
//! whole lines, as two streams may share it. Lines that do not fit into memory are only announced; the file has them, in
//! pieces.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::path::Path;

use orchestra_core::redact::{RedactingStream, Redactor};

use crate::places::open_append_only;

/// Longer lines are not decoded.
pub(crate) const MAX_LINE: usize = 8 * 1024 * 1024;

/// A line, redacted, without its line break.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// Too long to be decoded; the file has it.
    TooLong {
        /// Its length.
        bytes: u64,
    },
}

/// Where one output stream ends up.
pub(crate) struct OutputTap {
    file: File,
    stream: RedactingStream,
    clean: Vec<u8>,
    /// What the file does not have yet: the beginning of a line.
    unwritten: Vec<u8>,
    held: Vec<u8>,
    /// The length of a line that is too long to be held.
    long: Option<u64>,
    received: u64,
    /// The line that comes next is not written.
    skips_line: bool,
    /// Nothing more is kept.
    closed: bool,
}

/// Whoever takes the lines; a break closes the tap, and what follows that line is never kept.
type EachLine<'a> = dyn FnMut(Line<'_>) -> ControlFlow<()> + 'a;

impl OutputTap {
    pub(crate) fn open(path: &Path, redactor: &Redactor) -> io::Result<Self> {
        Ok(Self::into_file(open_append_only(path)?, redactor))
    }

    pub(crate) fn into_file(file: File, redactor: &Redactor) -> Self {
        Self {
            file,
            stream: redactor.stream(),
            clean: Vec::new(),
            unwritten: Vec::new(),
            held: Vec::new(),
            long: None,
            received: 0,
            skips_line: false,
            closed: false,
        }
    }

    /// Whoever read the stream until now was lost, perhaps in the middle of a secret. What is left of that line is handed
    /// on, but not written.
    pub(crate) fn after_gap(self) -> Self {
        Self {
            skips_line: true,
            ..self
        }
    }

    /// How many bytes came in.
    pub(crate) fn received(&self) -> u64 {
        self.received
    }

    /// Empties the file, and counts anew what comes in.
    pub(crate) fn start_over(&mut self) -> io::Result<()> {
        self.received = 0;
        self.file.set_len(0)
    }

    /// Takes the next piece and hands on every line it completes.
    pub(crate) fn push(&mut self, chunk: &[u8], each: &mut EachLine<'_>) -> io::Result<()> {
        self.received += chunk.len() as u64;
        self.stream.push(chunk, &mut self.clean);
        self.pass_on(each)
    }

    /// The stream ended: hands on a last line without a line break.
    pub(crate) fn finish(&mut self, each: &mut EachLine<'_>) -> io::Result<()> {
        self.stream.finish(&mut self.clean);
        let written = self.pass_on(each);
        if !self.closed && (!self.held.is_empty() || self.long.is_some()) {
            let _last = self.complete(each);
            if !self.skips_line {
                self.unwritten.push(b'\n');
                self.write_out()?;
            }
        }
        written?;
        self.file.sync_data()
    }

    /// Lines are handed on even if the file cannot be written, so that nothing is lost that could be kept elsewhere.
    fn pass_on(&mut self, each: &mut EachLine<'_>) -> io::Result<()> {
        let clean = std::mem::take(&mut self.clean);
        let mut kept = 0;
        for part in clean.split_inclusive(|byte| *byte == b'\n') {
            if self.closed {
                break;
            }
            kept += part.len();
            match part.strip_suffix(b"\n") {
                Some(end) => {
                    self.hold(end);
                    self.closed = self.complete(each).is_break();
                }
                None => self.hold(part),
            }
        }
        self.write_lines(&clean[..kept])
    }

    /// Writes the lines that are complete and waits for the end of the last one, unless it is too long to be held.
    fn write_lines(&mut self, kept: &[u8]) -> io::Result<()> {
        let kept = self.without_skipped(kept);
        let last = kept.iter().rposition(|byte| *byte == b'\n');
        let (lines, beginning) = kept.split_at(last.map_or(0, |at| at + 1));
        let mut written = Ok(());
        if !lines.is_empty() {
            self.unwritten.extend_from_slice(lines);
            written = self.write_out();
        }
        self.unwritten.extend_from_slice(beginning);
        if self.unwritten.len() > MAX_LINE {
            written = written.and(self.write_out());
        }
        written
    }

    fn without_skipped<'a>(&mut self, kept: &'a [u8]) -> &'a [u8] {
        if !self.skips_line {
            return kept;
        }
        match kept.iter().position(|byte| *byte == b'\n') {
            Some(end) => {
                self.skips_line = false;
                &kept[end + 1..]
            }
            None => &[],
        }
    }

    /// All at once, so that nothing of another stream comes between.
    fn write_out(&mut self) -> io::Result<()> {
        let written = self.file.write_all(&self.unwritten);
        self.unwritten.clear();
        written
    }

    fn hold(&mut self, part: &[u8]) {
        if let Some(bytes) = &mut self.long {
            *bytes += part.len() as u64;
        } else if self.held.len() + part.len() > MAX_LINE {
            self.long = Some((self.held.len() + part.len()) as u64);
            self.held = Vec::new();
        } else {
            self.held.extend_from_slice(part);
        }
    }

    fn complete(&mut self, each: &mut EachLine<'_>) -> ControlFlow<()> {
        let flow = match self.long.take() {
            Some(bytes) => each(Line::TooLong { bytes }),
            None => each(Line::Whole(&self.held)),
        };
        self.held.clear();
        flow
    }
}

/// Reads a file written by [`OutputTap`] back, line by line.
pub(crate) fn read_lines(path: &Path, each: &mut dyn FnMut(Line<'_>)) -> io::Result<()> {
    let mut reader = BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    loop {
        line.clear();
        let bytes = read_bounded(&mut reader, &mut line)?;
        if bytes == 0 {
            return Ok(());
        }
        let content = bytes - u64::from(line.ends_with(b"\n") || bytes > line.len() as u64);
        if content > MAX_LINE as u64 {
            each(Line::TooLong { bytes: content });
        } else {
            each(Line::Whole(line.strip_suffix(b"\n").unwrap_or(&line)));
        }
    }
}

/// Reads one line, keeping at most [`MAX_LINE`] bytes and its break in memory. Answers its full length.
fn read_bounded(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<u64> {
    let mut total = 0;
    loop {
        let available = reader.fill_buf()?;
        let (part, ended) = match available.iter().position(|byte| *byte == b'\n') {
            Some(end) => (&available[..=end], true),
            None => (available, available.is_empty()),
        };
        let room = (MAX_LINE + 1).saturating_sub(line.len()).min(part.len());
        line.extend_from_slice(&part[..room]);
        let used = part.len();
        total += used as u64;
        reader.consume(used);
        if ended {
            return Ok(total);
        }
    }
}

/// Takes the secrets out of a file that another program wrote; one that cannot be made clean is removed.
pub(crate) fn redact_file(path: &Path, redactor: &Redactor) -> io::Result<()> {
    if !path.exists() {
        return Ok(());
    }
    let clean = path.with_extension("clean");
    let replaced = redact_into(path, &clean, redactor).and_then(|()| fs::rename(&clean, path));
    if replaced.is_err() {
        fs::remove_file(&clean).ok();
        fs::remove_file(path)?;
    }
    replaced
}

fn redact_into(from: &Path, to: &Path, redactor: &Redactor) -> io::Result<()> {
    let mut reader = BufReader::new(File::open(from)?);
    fs::remove_file(to).ok();
    let mut tap = OutputTap::open(to, redactor)?;
    loop {
        let chunk = reader.fill_buf()?;
        let length = chunk.len();
        if length == 0 {
            return tap.finish(&mut |_| ControlFlow::Continue(()));
        }
        tap.push(chunk, &mut |_| ControlFlow::Continue(()))?;
        reader.consume(length);
    }
}

/// The last `most` bytes of a file as text, from the start of a line where possible.
pub(crate) fn tail(path: &Path, most: u64) -> io::Result<String> {
    tail_since(path, 0, most)
}

/// The same of what came after the first `since` bytes; of all of it if the file was cut since.
pub(crate) fn tail_since(path: &Path, since: u64, most: u64) -> io::Result<String> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let since = if since > length { 0 } else { since };
    let from = length.saturating_sub(most).max(since);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    match text.split_once('\n') {
        Some((_, rest)) if from > since => Ok(rest.to_owned()),
        _ => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

    fn redactor() -> Redactor {
        Redactor::new([], [""; 0]).unwrap()
    }

    fn collect(chunks: &[&[u8]]) -> (Vec<String>, Vec<u8>) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        let mut tap = OutputTap::open(&path, &redactor()).unwrap();
        let mut lines = Vec::new();
        let mut each = |line: Line<'_>| {
            lines.push(match line {
                Line::Whole(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                Line::TooLong { bytes } => format!("too long: {bytes}"),
            });
            ControlFlow::Continue(())
        };
        for chunk in chunks {
            tap.push(chunk, &mut each).unwrap();
        }
        tap.finish(&mut each).unwrap();
        let mut again = Vec::new();
        read_lines(&path, &mut |line| match line {
            Line::Whole(bytes) => again.push(String::from_utf8_lossy(bytes).into_owned()),
            Line::TooLong { bytes } => again.push(format!("too long: {bytes}")),
        })
        .unwrap();
        assert_eq!(lines, again);
        (lines, std::fs::read(&path).unwrap())
    }

    #[test]
    fn lines_are_cut_wherever_the_pieces_end() {
        let (lines, file) = collect(&[b"on", b"e\ntw", b"o\n\nthree"]);
        assert_eq!(lines, ["one", "two", "", "three"]);
        assert_eq!(file, b"one\ntwo\n\nthree\n");
    }

    #[test]
    fn a_secret_cut_anywhere_is_not_written() {
        let line = format!("token {TOKEN} end\n");
        for cut in 0..line.len() {
            let (start, end) = line.as_bytes().split_at(cut);
            let (lines, file) = collect(&[start, end]);
            assert!(!lines[0].contains("0123456789"), "{lines:?}");
            assert!(!String::from_utf8(file).unwrap().contains("0123456789"));
        }
    }

    #[test]
    fn a_line_larger_than_memory_allows_is_kept_in_the_file() {
        let half = vec![b'x'; MAX_LINE / 2 + 1];
        let (lines, file) = collect(&[&half, &half, TOKEN.as_bytes(), b"\nnext\n"]);
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("too long: "), "{}", lines[0]);
        assert_eq!(lines[1], "next");
        assert!(file.len() > MAX_LINE);
    }

    #[test]
    fn streams_that_share_a_file_never_share_a_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        let mut each = |_: Line<'_>| ControlFlow::Continue(());
        let mut first = OutputTap::open(&path, &redactor()).unwrap();
        let mut second = OutputTap::open(&path, &redactor()).unwrap();
        first.push(b"one\nno new", &mut each).unwrap();
        second.push(b"two\nun", &mut each).unwrap();
        first.push(b"line", &mut each).unwrap();
        second.push(b"finished", &mut each).unwrap();
        first.finish(&mut each).unwrap();
        second.finish(&mut each).unwrap();
        let written = std::fs::read_to_string(&path).unwrap();
        assert_eq!(written, "one\ntwo\nno newline\nunfinished\n");
    }

    #[test]
    fn the_rest_of_a_line_that_was_lost_is_heard_but_not_written() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        let mut heard = Vec::new();
        let mut each = |line: Line<'_>| {
            if let Line::Whole(line) = line {
                heard.push(line.to_vec());
            }
            ControlFlow::Continue(())
        };
        let mut tap = OutputTap::open(&path, &redactor()).unwrap().after_gap();
        for chunk in [&b"of a"[..], b" secret\nnext\nla", b"st"] {
            tap.push(chunk, &mut each).unwrap();
        }
        tap.finish(&mut each).unwrap();
        assert_eq!(heard, [&b"of a secret"[..], b"next", b"last"]);
        assert_eq!(std::fs::read(&path).unwrap(), b"next\nlast\n");
        let mut tap = OutputTap::open(&path, &redactor()).unwrap().after_gap();
        tap.push(b"nothing more", &mut |_| ControlFlow::Continue(()))
            .unwrap();
        tap.finish(&mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"next\nlast\n");
    }

    #[test]
    fn nothing_after_a_break_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        let mut tap = OutputTap::open(&path, &redactor()).unwrap();
        let mut count = 0;
        let mut each = |_: Line<'_>| {
            count += 1;
            ControlFlow::Break(())
        };
        tap.push(b"last\nsecret\nmore", &mut each).unwrap();
        tap.push(b" secret\n", &mut each).unwrap();
        tap.finish(&mut each).unwrap();
        assert_eq!(count, 1);
        assert_eq!(std::fs::read(&path).unwrap(), b"last\n");
    }

    #[test]
    fn the_tail_starts_at_a_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        std::fs::write(&path, "first line\nsecond\nthird\n").unwrap();
        assert_eq!(tail(&path, 16).unwrap(), "second\nthird\n");
        assert_eq!(tail(&path, 1000).unwrap(), "first line\nsecond\nthird\n");
        assert_eq!(tail_since(&path, 11, 1000).unwrap(), "second\nthird\n");
        assert_eq!(tail_since(&path, 11, 8).unwrap(), "third\n");
        assert_eq!(tail_since(&path, 99, 8).unwrap(), "third\n");
    }
}
