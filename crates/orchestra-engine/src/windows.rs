//! Windows of other programs that show a session's worktree: an editor, or a terminal with the session's own environment.

use std::path::{Path, PathBuf};

use orchestra_config::variables;
use orchestra_core::SessionId;
use orchestra_process::{CommandSpec, find_program, spawn_apart};

use crate::places::open_append_only;
use crate::{Engine, EngineError};

/// What a window shows a worktree with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// The user's editor, or VS Code.
    Editor,
    /// A shell as `session shell` gives it.
    Terminal,
}

/// Terminals of Linux desktops, the user's choice first, with the words before the command that they run.
const TERMINALS: &[&[&str]] = &[
    &["x-terminal-emulator", "-e"],
    &["gnome-terminal", "--"],
    &["ptyxis", "--"],
    &["kgx", "--"],
    &["konsole", "-e"],
    &["xfce4-terminal", "-x"],
    &["mate-terminal", "-x"],
    &["kitty"],
    &["alacritty", "-e"],
    &["foot"],
    &["wezterm", "start", "--"],
    &["xterm", "-e"],
];

/// Editors that draw into a terminal and have no window of their own.
const IN_TERMINALS: [&str; 8] = ["vi", "vim", "nvim", "nano", "micro", "hx", "helix", "kak"];

impl Engine {
    /// Opens a window that goes on by itself. Answers the program that was started.
    ///
    /// # Errors
    /// If the directory is missing, there is no desktop, or no program that could show it.
    pub fn open_window(&self, id: &SessionId, window: Window) -> Result<PathBuf, EngineError> {
        let session = self.require_directory(id)?;
        let words = match window {
            Window::Editor => self.editor_words(id, &session.worktree)?,
            Window::Terminal => self.terminal_words(&["session", "shell", id.as_str()]),
        };
        self.require_desktop(id)?;
        let (program, arguments) = words.split_first().ok_or_else(|| no_terminal(id))?;
        let found = self.find(program).ok_or_else(|| EngineError::NoWindow {
            problem: format!("there is no program `{program}`"),
            way_out: way_out(id),
        })?;
        let log = open_append_only(&self.dirs.logs().join("windows.log"))
            .map_err(|source| EngineError::io("open the log of windows", source))?;
        let told = self.session_environment(id)?.variables;
        let spec = CommandSpec::new(&found, &session.worktree)
            .args(arguments)
            .envs(self.environment.iter())
            .envs(&told)
            .env(variables::ORCHESTRA_SESSION, id.as_str());
        spawn_apart(&spec, log)?;
        Ok(found)
    }

    fn editor_words(&self, id: &SessionId, worktree: &Path) -> Result<Vec<String>, EngineError> {
        let worktree = worktree.to_str().ok_or_else(|| EngineError::NoWindow {
            problem: "the worktree's path is no text".to_owned(),
            way_out: way_out(id),
        })?;
        let mut words = match &self.config().ui.editor {
            Some(words) => words.clone(),
            None => vec!["code".to_owned()],
        };
        let name = words.first().map(Path::new).and_then(Path::file_stem);
        if name.is_some_and(|name| IN_TERMINALS.iter().any(|it| name == *it)) {
            return Ok(self.terminal_words(&["session", "open", id.as_str()]));
        }
        words.push(worktree.to_owned());
        Ok(words)
    }

    /// A terminal that runs a command of this program; nothing if there is none.
    fn terminal_words(&self, command: &[&str]) -> Vec<String> {
        let program = self.program.to_string_lossy().into_owned();
        let command: Vec<String> = std::iter::once(program)
            .chain(command.iter().map(|word| (*word).to_owned()))
            .collect();
        if let Some(words) = &self.config().ui.terminal {
            return [words.as_slice(), &command].concat();
        }
        match std::env::consts::OS {
            "macos" => apple_script(&command),
            "windows" => [words(&["cmd", "/C", "start", ""]), command].concat(),
            _ => match TERMINALS.iter().find(|it| self.find(it[0]).is_some()) {
                Some(terminal) => [words(terminal), command].concat(),
                None => Vec::new(),
            },
        }
    }

    fn find(&self, program: &str) -> Option<PathBuf> {
        find_program(Path::new(program), self.environment.find(variables::PATH))
    }

    /// Without a desktop a window could only fail where nobody sees it.
    fn require_desktop(&self, id: &SessionId) -> Result<(), EngineError> {
        let is_there = cfg!(any(target_os = "macos", windows))
            || ["DISPLAY", "WAYLAND_DISPLAY"]
                .iter()
                .any(|name| self.environment.find(name).is_some());
        if is_there {
            return Ok(());
        }
        Err(EngineError::NoWindow {
            problem: "there is no desktop here to open a window on".to_owned(),
            way_out: way_out(id),
        })
    }
}

fn no_terminal(id: &SessionId) -> EngineError {
    EngineError::NoWindow {
        problem: "no terminal program was found".to_owned(),
        way_out: format!(
            "name yours with the setting ui.terminal; or {}",
            way_out(id)
        ),
    }
}

fn way_out(id: &SessionId) -> String {
    format!("`orchestra session shell {id}` opens a shell in a terminal that is there")
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Terminal.app runs what a script tells it.
fn apple_script(command: &[String]) -> Vec<String> {
    let line = shell_words::join(command)
        .replace('\\', "\\\\")
        .replace('"', "\\\"");
    let script = format!("tell application \"Terminal\" to do script \"{line}\"");
    words(&[
        "osascript",
        "-e",
        &script,
        "-e",
        "tell application \"Terminal\" to activate",
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_for_a_terminal_keeps_words_apart() {
        let command = words(&["/a b/orchestra", "session", "shell", "say \"hi\""]);
        let told = apple_script(&command);
        assert_eq!(
            told[2],
            r#"tell application "Terminal" to do script "'/a b/orchestra' session shell 'say \"hi\"'""#
        );
    }
}
