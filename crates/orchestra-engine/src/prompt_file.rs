//! A text that the user writes in an editor, such as a prompt: private while it is written, removed after, kept if what it
//! was for could not be made.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use orchestra_config::DataDirs;
use orchestra_process::ProcessIdentity;

use crate::engine::random_hex;
use crate::places::write_private;
use crate::{Engine, EngineError};

const FILE: &str = "PROMPT.md";

impl Engine {
    /// Lets the user write a text in an editor, which begins as the template says, and answers what the file has then.
    ///
    /// # Errors
    /// If the editor cannot be started or fails, or the file cannot be written or read.
    pub fn write_prompt(&self, template: &str) -> Result<String, EngineError> {
        self.write_in_editor(FILE, template)
    }

    /// The same for a file with another name, by which editors know what is in it.
    pub(crate) fn write_in_editor(&self, name: &str, start: &str) -> Result<String, EngineError> {
        let fail = |source| EngineError::io(format!("write {name}"), source);
        let place = self.dirs.editing();
        self.create_private_dir(&place)?;
        let directory = tempfile::Builder::new()
            .prefix(&of_this_process())
            .tempdir_in(&place)
            .map_err(fail)?;
        let file = directory.path().join(name);
        write_private(&file, start.as_bytes(), 0o600).map_err(fail)?;
        let exit = self.edit_file(&file)?;
        if !exit.is_success() {
            return Err(EngineError::Invalid {
                problem: format!("the editor ended with {exit}, so nothing was done"),
                way_out: Some(
                    "save and leave it without an error, or choose another editor with ui.editor"
                        .to_owned(),
                ),
            });
        }
        fs::read_to_string(&file).map_err(|source| EngineError::io(format!("read {name}"), source))
    }

    /// Keeps a text that could not be used, without secrets, where only its owner can read it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn keep_prompt(&self, text: &str) -> Result<PathBuf, EngineError> {
        self.keep_text(text, "md")
    }

    /// The same for a file with another ending.
    pub(crate) fn keep_text(&self, text: &str, ending: &str) -> Result<PathBuf, EngineError> {
        let place = self.dirs.prompts();
        self.create_private_dir(&place)?;
        let file = place.join(format!("{}.{ending}", random_hex()?));
        write_private(&file, self.redact(text).as_bytes(), 0o600)
            .map_err(|source| EngineError::io("keep the text", source))?;
        Ok(file)
    }
}

/// Removes what editors left whose command died, for example with its terminal.
pub(crate) fn remove_abandoned(dirs: &DataDirs) {
    let Ok(entries) = fs::read_dir(dirs.editing()) else {
        return;
    };
    let abandoned = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| is_abandoned(path.file_name().unwrap_or_default()));
    for path in abandoned {
        if let Err(error) = fs::remove_dir_all(&path) {
            tracing::debug!(%error, path = %path.display(), "cannot remove an old prompt file");
        }
    }
}

/// What the name of something unfinished begins with, so that it is known whose it is.
pub(crate) fn of_this_process() -> String {
    let me = ProcessIdentity::current();
    format!("{}-{}-", me.pid, me.started)
}

/// Whether whoever gave this name to something unfinished is gone.
pub(crate) fn is_abandoned(name: &OsStr) -> bool {
    writer(name).is_some_and(|writer| !writer.is_alive())
}

fn writer(name: &OsStr) -> Option<ProcessIdentity> {
    let mut parts = name.to_str()?.split('-');
    let (pid, started) = (parts.next()?, parts.next()?);
    Some(ProcessIdentity {
        pid: pid.parse().ok()?,
        started: started.parse().ok()?,
    })
}
