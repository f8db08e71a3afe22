//! The demo's directory, and programs that see nothing of the user outside it.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::files;

/// What programs need from the caller's environment: where programs are, what the terminal can do, and what Windows
/// cannot start a program without.
const KEPT: [&str; 9] = [
    "COLORTERM",
    "COMSPEC",
    "LANG",
    "NO_COLOR",
    "PATHEXT",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TERM",
    "WINDIR",
];

const GIT_SETTINGS: &str =
    "[user]\n\tname = Demo User\n\temail = demo@example.invalid\n[init]\n\tdefaultBranch = main\n";

#[derive(Debug)]
pub(super) struct Place {
    root: PathBuf,
    binaries: PathBuf,
}

impl Place {
    /// Makes the directory with a home and git settings of its own. The data directory is left to Orchestra, which makes it
    /// private.
    pub(super) fn create(binaries: PathBuf) -> Result<Self, Failure> {
        let directory = tempfile::Builder::new().prefix("orchestra-demo-").tempdir();
        let directory = directory
            .map_err(|error| Failure::new("cannot make a temporary directory").because(error))?;
        let place = Self {
            root: directory.keep(),
            binaries,
        };
        for folder in [place.home(), place.temporary(), place.repository()] {
            files::create_directory(&folder)?;
        }
        files::write(&place.home().join(".gitconfig"), GIT_SETTINGS)?;
        Ok(place)
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn repository(&self) -> PathBuf {
        self.root.join("tally")
    }

    pub(super) fn scenarios(&self) -> PathBuf {
        self.root.join("scenarios")
    }

    /// A program in the sample repository with the demo's environment only.
    pub(super) fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.current_dir(self.repository()).env_clear();
        for name in KEPT {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.env("PATH", self.search_path());
        command.envs(self.variables());
        command
    }

    pub(super) fn orchestra(&self) -> Command {
        self.command(self.binaries.join(format!("orchestra{EXE_SUFFIX}")))
    }

    pub(super) fn binaries(&self) -> &Path {
        &self.binaries
    }

    /// What sets this place apart, to be set for every command that looks at it.
    pub(super) fn variables(&self) -> Vec<(&'static str, PathBuf)> {
        let mut variables = vec![
            ("HOME", self.home()),
            ("ORCHESTRA_HOME", self.data()),
            ("TMPDIR", self.temporary()),
        ];
        if cfg!(windows) {
            for name in ["USERPROFILE", "APPDATA", "LOCALAPPDATA"] {
                variables.push((name, self.home()));
            }
            variables.extend([("TEMP", self.temporary()), ("TMP", self.temporary())]);
        }
        variables
    }

    pub(super) fn remove(&self) -> Result<(), Failure> {
        files::remove_directory(&self.root)
    }

    fn search_path(&self) -> OsString {
        let known = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(self.binaries.clone()).chain(std::env::split_paths(&known));
        std::env::join_paths(paths).unwrap_or(known)
    }

    fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }
}
