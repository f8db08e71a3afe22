//! The log of a script run, shown as it grows.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use orchestra_core::{ScriptRun, visible};

use super::screen::ScreenFilter;
use crate::context::Context;
use crate::error::CliError;

/// As much of a log as is worth showing to whoever comes later.
const LATE: u64 = 16 * 1024;

/// A log, and how much of it was shown.
pub(crate) struct ShownLog {
    path: PathBuf,
    filter: ScreenFilter,
    position: u64,
}

impl ShownLog {
    pub(crate) fn new(context: &Context, run: &ScriptRun) -> Self {
        Self {
            path: context.engine.script_log(run),
            filter: ScreenFilter::default(),
            position: 0,
        }
    }

    /// Only the end of what was said so far, from the beginning of a line.
    pub(crate) fn of_the_last_lines(context: &Context, run: &ScriptRun) -> Self {
        let mut log = Self::new(context, run);
        // A log that cannot be read is told when it is shown.
        log.position = start_of_last_lines(&log.path).unwrap_or_default();
        log
    }

    /// Shows what came since the last time; an answer in JSON has no place for it.
    pub(crate) fn show_new(&mut self, context: &Context) -> Result<(), CliError> {
        if context.printer.json {
            return Ok(());
        }
        self.pass_on(context)
            .map_err(|source| CliError::io("read the script's log", &source))
    }

    fn pass_on(&mut self, context: &Context) -> io::Result<()> {
        let mut file = match File::open(&self.path) {
            // The script has not begun yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            opened => opened?,
        };
        if file.metadata()?.len() < self.position {
            // The log of a server begins anew when it has become too long.
            self.position = 0;
        }
        file.seek(SeekFrom::Start(self.position))?;
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let count = file.read(&mut buffer)?;
            if count == 0 {
                return Ok(());
            }
            self.position += count as u64;
            context.printer.foreign(&mut self.filter, &buffer[..count]);
        }
    }
}

/// The last lines of a log, fit for the screen.
pub(crate) fn last_lines(path: &Path, count: usize) -> io::Result<String> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(start_of_last_lines(path)?))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len().saturating_sub(count)..];
    Ok(visible(&last.join("\n")))
}

fn start_of_last_lines(path: &Path) -> io::Result<u64> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let Some(start) = length.checked_sub(LATE).filter(|start| *start > 0) else {
        return Ok(0);
    };
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(LATE).read_to_end(&mut bytes)?;
    let line_break = bytes.iter().position(|byte| *byte == b'\n');
    Ok(start + line_break.map_or(0, |at| at as u64 + 1))
}
