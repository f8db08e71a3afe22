//! Opening a session's directory in an editor or a shell.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use orchestra_config::{Kind, command_words, variables};
use orchestra_core::{Session, SessionId};
use orchestra_process::{CommandSpec, Exit, Stdin, run_attached, spawn_apart, spawn_detached};

use crate::landing::require_not_in_trash;
use crate::places::open_append_only;
use crate::{Engine, EngineError};

impl Engine {
    /// Opens the session's directory in an editor: the one named, the setting's, or VS Code.
    ///
    /// # Errors
    /// If the directory is missing or the editor cannot be started.
    pub fn open_editor(&self, id: &SessionId, editor: Option<&str>) -> Result<Exit, EngineError> {
        let session = self.require_directory(id)?;
        let words = match (editor, &self.config().ui.editor) {
            (Some(editor), _) => command_words(editor).ok_or_else(|| EngineError::Invalid {
                problem: format!("the editor must be {}", Kind::Words.expected()),
                way_out: Some("such as --editor \"code -n\"".to_owned()),
            })?,
            (None, Some(words)) => words.clone(),
            (None, None) => vec!["code".to_owned()],
        };
        self.run_in(
            &session.worktree,
            id,
            &words,
            &[session.worktree.clone().into_os_string()],
        )
    }

    /// Opens a file in the user's editor and waits until it is closed.
    ///
    /// # Errors
    /// If the editor cannot be started.
    pub fn edit_file(&self, file: &Path) -> Result<Exit, EngineError> {
        let words = self
            .config()
            .ui
            .editor
            .clone()
            .unwrap_or_else(|| vec!["vi".to_owned()]);
        let directory = file.parent().unwrap_or(Path::new("/"));
        let nothing = BTreeMap::new();
        self.attach(directory, &words, &[file.as_os_str().to_owned()], &nothing)
    }

    /// Opens a shell in the session's directory.
    ///
    /// # Errors
    /// If the directory is missing or the shell cannot be started.
    pub fn open_shell(&self, id: &SessionId) -> Result<Exit, EngineError> {
        let session = self.require_directory(id)?;
        let shell = self
            .environment
            .find(variables::SHELL)
            .and_then(|shell| shell.to_str());
        let shell = shell
            .unwrap_or(if cfg!(windows) { "cmd" } else { "/bin/sh" })
            .to_owned();
        self.run_in(&session.worktree, id, &[shell], &[])
    }

    /// Shows a page in the user's browser, which goes on by itself.
    ///
    /// # Errors
    /// If the program that opens pages cannot be started.
    pub fn open_in_browser(&self, page: &Path) -> Result<(), EngineError> {
        let (program, first): (&str, &[&str]) = match std::env::consts::OS {
            "macos" => ("open", &[]),
            "windows" => ("cmd", &["/C", "start", ""]),
            _ => ("xdg-open", &[]),
        };
        let log = open_append_only(&self.dirs.logs().join("browser.log"))
            .map_err(|source| EngineError::io("open the log of the browser", source))?;
        let spec = CommandSpec::new(program, self.dirs.root())
            .args(first)
            .arg(page)
            .envs(self.environment.iter());
        spawn_apart(&spec, log)?;
        Ok(())
    }

    /// Starts this program again, to go on by itself. It has to leave the terminal first thing. Answers where its output is.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start_detached(&self, arguments: &[String]) -> Result<PathBuf, EngineError> {
        let path = self.dirs.logs().join("server.log");
        let log = open_append_only(&path)
            .map_err(|source| EngineError::io("open the log of the server", source))?;
        let spec = CommandSpec::new(&self.program, self.dirs.root())
            .args(arguments)
            .envs(self.environment.iter());
        spawn_detached(&spec, log)?;
        Ok(path)
    }

    /// The session, if its directory is there to be looked at.
    ///
    /// # Errors
    /// If the directory is missing or in the trash.
    pub fn require_directory(&self, id: &SessionId) -> Result<Session, EngineError> {
        let session = self.session(id)?.session;
        require_not_in_trash(&session)?;
        if session.worktree.is_dir() {
            return Ok(session);
        }
        Err(EngineError::WorktreeMissing {
            session: id.clone(),
            worktree: session.worktree,
        })
    }

    fn run_in(
        &self,
        directory: &Path,
        id: &SessionId,
        words: &[String],
        more: &[OsString],
    ) -> Result<Exit, EngineError> {
        let mut told = self.session_environment(id)?.variables;
        told.insert(variables::ORCHESTRA_SESSION.to_owned(), id.to_string());
        self.attach(directory, words, more, &told)
    }

    /// The user's own program on the user's own terminal gets the user's own environment.
    fn attach(
        &self,
        directory: &Path,
        words: &[String],
        more: &[OsString],
        told: &BTreeMap<String, String>,
    ) -> Result<Exit, EngineError> {
        let Some((program, leading)) = words.split_first() else {
            return Err(EngineError::Invalid {
                problem: "no editor is set".to_owned(),
                way_out: Some("orchestra config set ui.editor \"code --wait\"".to_owned()),
            });
        };
        let spec = CommandSpec::new(program, directory)
            .args(leading)
            .args(more)
            .envs(self.environment.iter())
            .envs(told)
            .stdin(Stdin::Inherit);
        Ok(run_attached(&spec)?)
    }
}
