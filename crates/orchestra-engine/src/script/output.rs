//! What a run of a script printed, a window of bytes at a time.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use orchestra_core::ScriptRun;

use crate::kept_output::whole_characters;
use crate::{Engine, EngineError};

/// A part of what a run printed, redacted as its log is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptOutput {
    /// Where it begins.
    pub offset: u64,
    /// The bytes; no character is cut at the end.
    pub bytes: Vec<u8>,
    /// How long the log is.
    pub total: u64,
}

impl Engine {
    /// Reads the log of a run from an offset on, at most `limit` bytes. One that is not there, or was removed, is empty.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn script_output(
        &self,
        run: &ScriptRun,
        offset: u64,
        limit: u64,
    ) -> Result<ScriptOutput, EngineError> {
        window(&self.script_log(run), |total| offset.min(total), limit)
            .map_err(|source| EngineError::io("read the log of a script", source))
    }

    /// The same for the last bytes.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn last_script_output(
        &self,
        run: &ScriptRun,
        limit: u64,
    ) -> Result<ScriptOutput, EngineError> {
        let mut last = window(
            &self.script_log(run),
            |total| total.saturating_sub(limit),
            limit,
        )
        .map_err(|source| EngineError::io("read the log of a script", source))?;
        let is_rest = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
        let cut = match last.offset {
            0 => 0,
            // A character has at most three more bytes.
            _ => last.bytes.iter().take(3).take_while(is_rest).count(),
        };
        last.bytes.drain(..cut);
        last.offset += cut as u64;
        Ok(last)
    }
}

fn window(path: &Path, begin: impl FnOnce(u64) -> u64, limit: u64) -> io::Result<ScriptOutput> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(ScriptOutput {
                offset: 0,
                bytes: Vec::new(),
                total: 0,
            });
        }
        opened => opened?,
    };
    let total = file.metadata()?.len();
    let offset = begin(total);
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    bytes.truncate(whole_characters(&bytes));
    Ok(ScriptOutput {
        offset,
        total: total.max(offset + bytes.len() as u64),
        bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_follow_one_another_and_cut_no_character() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("log");
        let text = "a\u{e4}\u{1f600}b\u{e4}".repeat(20);
        std::fs::write(&log, &text).unwrap();
        let (mut joined, mut offset) = (String::new(), 0);
        while offset < text.len() as u64 {
            let part = window(&log, |_| offset, 5).unwrap();
            assert_eq!((part.offset, part.total), (offset, text.len() as u64));
            joined += std::str::from_utf8(&part.bytes).unwrap();
            offset += part.bytes.len() as u64;
        }
        assert_eq!(joined, text);
        let none = window(&directory.path().join("none"), |_| 7, 5).unwrap();
        assert_eq!((none.offset, none.total), (0, 0));
    }
}
