//! The log of a script run, shown as it grows.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

use orchestra_core::ScriptRun;

use super::screen::ScreenFilter;
use crate::context::Context;
use crate::error::CliError;

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
