//! What an agent wrote, read back from the files that keep it.
//!
//! The transcript has what was understood of it; here is all of it, byte for byte, in pieces that fit into memory.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::str::FromStr;

use orchestra_core::{IterationNumber, SessionId};

use crate::{Engine, EngineError};

/// A longer line comes in several pieces.
const LONGEST_PIECE: usize = 1024 * 1024;

/// Where an agent writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl OutputStream {
    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

/// A line that an agent wrote, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputPiece<'a> {
    /// Where it was written.
    pub stream: OutputStream,
    /// The number of the line, as transcript items tell it.
    pub line: u64,
    /// The bytes, without the line break.
    pub bytes: &'a [u8],
    /// Whether a line break follows.
    pub ends_line: bool,
}

/// How far the output of an iteration was read. As a text, it is what a reader comes back with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputPlace {
    iteration: IterationNumber,
    stdout: FilePlace,
    stderr: FilePlace,
}

impl OutputPlace {
    /// The beginning.
    #[must_use]
    pub const fn start_of(iteration: IterationNumber) -> Self {
        Self {
            iteration,
            stdout: FilePlace::START,
            stderr: FilePlace::START,
        }
    }

    /// The iteration.
    #[must_use]
    pub const fn iteration(&self) -> IterationNumber {
        self.iteration
    }
}

impl Engine {
    /// Hands on what an agent wrote after a place, each stream in its order, and moves the place on.
    ///
    /// # Errors
    /// If a file or the store cannot be read.
    pub fn read_output(
        &self,
        session: &SessionId,
        place: &mut OutputPlace,
        each: &mut dyn FnMut(OutputPiece<'_>),
    ) -> Result<(), EngineError> {
        self.read_output_within(session, place, usize::MAX, each)
    }

    /// The same, but no piece is begun after this many bytes.
    ///
    /// # Errors
    /// If a file or the store cannot be read.
    pub fn read_output_within(
        &self,
        session: &SessionId,
        place: &mut OutputPlace,
        bytes: usize,
        each: &mut dyn FnMut(OutputPiece<'_>),
    ) -> Result<(), EngineError> {
        let mut room = bytes;
        let number = place.iteration;
        let attempts = self.store.read(|tx| {
            let iteration = tx.find_iteration(session, number)?;
            let attempts = iteration.map(|iteration| tx.attempts(iteration.key));
            Ok::<_, EngineError>(attempts.transpose()?.unwrap_or_default())
        })?;
        let files = self.output_files(session, number)?;
        let mut read = |path: &Path, stream, place: &mut FilePlace, attempts: &[u64]| {
            let mut told = |line, bytes: &[u8], ends_line| {
                each(OutputPiece {
                    stream,
                    line,
                    bytes,
                    ends_line,
                });
            };
            place.read_on(path, attempts, &mut room, &mut told)
        };
        read(
            &files.stdout,
            OutputStream::Stdout,
            &mut place.stdout,
            &attempts,
        )
        .and_then(|()| read(&files.stderr, OutputStream::Stderr, &mut place.stderr, &[]))
        .map_err(|source| EngineError::io("read the output file", source))
    }
}

impl fmt::Display for OutputPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            iteration,
            stdout,
            stderr,
        } = self;
        write!(formatter, "{iteration}.{stdout}.{stderr}")
    }
}

impl FromStr for OutputPlace {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<Self, EngineError> {
        let mut parts = text.split('.').map(str::parse::<u64>);
        let is_sane = |number: &u64| i64::try_from(*number).is_ok();
        let mut next = || parts.next()?.ok().filter(is_sane);
        let mut read = || {
            let iteration = IterationNumber(next()?.try_into().ok()?);
            let mut file = || {
                Some(FilePlace {
                    offset: next()?,
                    line: next()?,
                    is_within_line: next()? == 1,
                })
            };
            Some(Self {
                iteration,
                stdout: file()?,
                stderr: file()?,
            })
        };
        let place = read().filter(|place: &Self| place.to_string() == text);
        place.ok_or_else(|| EngineError::Invalid {
            problem: "this is no place in an agent's output".to_owned(),
            way_out: Some("give back what the last answer ended with".to_owned()),
        })
    }
}

/// How far a file was read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FilePlace {
    offset: u64,
    /// The number of the line read last.
    line: u64,
    is_within_line: bool,
}

impl fmt::Display for FilePlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { offset, line, .. } = self;
        write!(
            formatter,
            "{offset}.{line}.{}",
            u8::from(self.is_within_line)
        )
    }
}

/// Takes the number of a line, a part of it, and whether that ends it.
type EachPart<'a> = dyn FnMut(u64, &[u8], bool) + 'a;

impl FilePlace {
    const START: Self = Self {
        offset: 0,
        line: 0,
        is_within_line: false,
    };

    fn read_on(
        &mut self,
        path: &Path,
        attempts: &[u64],
        room: &mut usize,
        each: &mut EachPart<'_>,
    ) -> io::Result<()> {
        let mut file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            opened => opened?,
        };
        // A place that was made up may be beyond what can be sought.
        if self.offset >= file.metadata()?.len() {
            return Ok(());
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut reader = BufReader::new(file);
        self.read_from(&mut reader, LONGEST_PIECE, attempts, room, each)
    }

    fn read_from(
        &mut self,
        reader: &mut impl BufRead,
        longest: usize,
        attempts: &[u64],
        room: &mut usize,
        each: &mut EachPart<'_>,
    ) -> io::Result<()> {
        let mut piece = Vec::new();
        while *room > 0 {
            let more = longest.saturating_sub(piece.len()) as u64;
            reader.by_ref().take(more).read_until(b'\n', &mut piece)?;
            if piece.is_empty() {
                return Ok(());
            }
            let is_end_of_file = piece.len() < longest && !piece.ends_with(b"\n");
            let rest = match is_end_of_file {
                true => Vec::new(),
                false => piece.split_off(whole_characters(&piece)),
            };
            self.tell(&piece, attempts, each);
            *room = room.saturating_sub(piece.len());
            piece = rest;
        }
        Ok(())
    }

    fn tell(&mut self, piece: &[u8], attempts: &[u64], each: &mut EachPart<'_>) {
        if !self.is_within_line {
            self.line = line_after(self.line, attempts);
        }
        let line = piece.strip_suffix(b"\n");
        self.is_within_line = line.is_none();
        self.offset += piece.len() as u64;
        each(self.line, line.unwrap_or(piece), line.is_some());
    }
}

/// The end of an attempt counts as a line.
fn line_after(line: u64, attempts: &[u64]) -> u64 {
    let mut next = line + 1;
    while attempts.contains(&next) {
        next += 1;
    }
    next
}

/// Where a piece can be cut so that text stays text: before a character whose end is missing.
pub(crate) fn whole_characters(piece: &[u8]) -> usize {
    match std::str::from_utf8(piece) {
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => error.valid_up_to(),
        Ok(_) | Err(_) => piece.len(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Reads bytes as if they were a file that grows, and puts the lines together again.
    fn read(grown: &[&[u8]], longest: usize, attempts: &[u64]) -> (Vec<(u64, Vec<u8>)>, Vec<u8>) {
        let mut place = FilePlace::START;
        let (mut parts, mut joined) = (Vec::new(), Vec::new());
        let mut each = |line, bytes: &[u8], ends_line: bool| {
            parts.push((line, bytes.to_vec()));
            joined.extend_from_slice(bytes);
            joined.extend(ends_line.then_some(b'\n'));
        };
        for mut bytes in grown.iter().copied() {
            place
                .read_from(
                    &mut bytes,
                    longest,
                    attempts,
                    &mut { usize::MAX },
                    &mut each,
                )
                .unwrap();
        }
        (parts, joined)
    }

    proptest! {
        #[test]
        fn all_of_it_comes_back_however_the_file_grew(
            grown in vec(vec(prop_oneof![any::<u8>(), Just(b'\n')], 0..60), 0..4),
            longest in 4_usize..20,
        ) {
            let parts: Vec<&[u8]> = grown.iter().map(Vec::as_slice).collect();
            let (told, joined) = read(&parts, longest, &[]);
            prop_assert_eq!(joined, grown.concat());
            prop_assert!(told.iter().all(|(_, bytes)| bytes.len() <= longest));
        }

        #[test]
        fn text_stays_text_where_it_is_cut(text in "\\PC{0,80}") {
            let (told, _) = read(&[text.as_bytes()], 4, &[]);
            prop_assert!(told.iter().all(|(_, bytes)| std::str::from_utf8(bytes).is_ok()));
        }
    }

    #[test]
    fn a_page_ends_between_pieces_and_the_next_goes_on_there() {
        let text = b"one\ntwo\nlonger than a piece\nend";
        let (mut place, mut joined, mut pages) = (FilePlace::START, Vec::new(), 0);
        while (place.offset as usize) < text.len() {
            let mut rest = &text[place.offset as usize..];
            let mut each = |_, bytes: &[u8], ends_line: bool| {
                joined.extend_from_slice(bytes);
                joined.extend(ends_line.then_some(b'\n'));
            };
            place
                .read_from(&mut rest, 8, &[], &mut 5, &mut each)
                .unwrap();
            pages += 1;
        }
        assert_eq!((joined.as_slice(), pages), (&text[..], 4));
        assert_eq!((place.line, place.is_within_line), (4, true));
    }

    #[test]
    fn a_place_comes_back_from_its_text() {
        let place = OutputPlace {
            stdout: FilePlace {
                offset: 12,
                line: 3,
                is_within_line: true,
            },
            ..OutputPlace::start_of(IterationNumber(2))
        };
        assert_eq!(place.to_string(), "2.12.3.1.0.0.0");
        assert_eq!(place.to_string().parse::<OutputPlace>().unwrap(), place);
        for text in [
            "",
            "2",
            "2.1.1.1.1.1",
            "2.1.1.1.1.1.1.1",
            "2.-1.0.0.0.0.0",
            "2.1.1.7.0.0.0",
            "2.0.18446744073709551615.0.0.0.0",
        ] {
            assert!(text.parse::<OutputPlace>().is_err(), "{text}");
        }
    }

    #[test]
    fn lines_are_counted_as_in_the_transcript() {
        let numbers = |text: &str, attempts: &[u64]| {
            let (told, _) = read(&[text.as_bytes()], 4, attempts);
            told.into_iter().map(|(line, _)| line).collect::<Vec<_>>()
        };
        assert_eq!(numbers("a\n\nlonger\nb", &[]), [1, 2, 3, 3, 4]);
        assert_eq!(numbers("a\nb\nc\nd\n", &[3, 4]), [1, 2, 5, 6]);
    }
}
