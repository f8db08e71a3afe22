//! A prompt that the user writes in an editor: private while it is written, removed after, kept if the session it was for
//! could not be made.

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_config::DataDirs;
use orchestra_process::ProcessIdentity;

use crate::engine::random_hex;
use crate::{Engine, EngineError};

const FILE: &str = "PROMPT.md";

impl Engine {
    /// Lets the user write a text in an editor, which begins as the template says, and answers what the file has then.
    ///
    /// # Errors
    /// If the editor cannot be started or fails, or the file cannot be written or read.
    pub fn write_prompt(&self, template: &str) -> Result<String, EngineError> {
        let fail = |source| EngineError::io("write the prompt file", source);
        let place = self.dirs.editing();
        self.create_private_dir(&place)?;
        let me = ProcessIdentity::current();
        let directory = tempfile::Builder::new()
            .prefix(&format!("{}-{}-", me.pid, me.started))
            .tempdir_in(&place)
            .map_err(fail)?;
        let file = directory.path().join(FILE);
        fs::write(&file, template).map_err(fail)?;
        let exit = self.edit_file(&file)?;
        if !exit.is_success() {
            return Err(EngineError::Invalid {
                problem: format!("the editor ended with {exit}, so nothing was created"),
                way_out: Some(
                    "save and leave it without an error, give the text with --prompt, or choose another editor with ui.editor"
                        .to_owned(),
                ),
            });
        }
        fs::read_to_string(&file).map_err(|source| EngineError::io("read the prompt file", source))
    }

    /// Keeps a text that could not be used, without secrets, where only its owner can read it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn keep_prompt(&self, text: &str) -> Result<PathBuf, EngineError> {
        let place = self.dirs.prompts();
        self.create_private_dir(&place)?;
        let file = place.join(format!("{}.md", random_hex()?));
        fs::write(&file, self.redact(text))
            .map_err(|source| EngineError::io("keep the prompt", source))?;
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
        .filter(|path| writer(path).is_some_and(|writer| !writer.is_alive()));
    for path in abandoned {
        if let Err(error) = fs::remove_dir_all(&path) {
            tracing::debug!(%error, path = %path.display(), "cannot remove an old prompt file");
        }
    }
}

fn writer(directory: &Path) -> Option<ProcessIdentity> {
    let mut parts = directory.file_name()?.to_str()?.split('-');
    let (pid, started) = (parts.next()?, parts.next()?);
    Some(ProcessIdentity {
        pid: pid.parse().ok()?,
        started: started.parse().ok()?,
    })
}
