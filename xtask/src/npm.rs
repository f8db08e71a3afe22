//! Packages of npm in folders of the project: installed as their lock files say, and their scripts.

use std::path::Path;
use std::process::Command;

use crate::failure::Failure;
use crate::program;

/// A script of a folder's package, with this terminal's output.
pub(crate) fn run(folder: &Path, script: &str) -> Result<(), Failure> {
    program::run(command(folder).args(["run", "--silent", script]))
}

/// What the lock file says, unless it is there already.
pub(crate) fn install(folder: &Path) -> Result<(), Failure> {
    let installed = folder.join("node_modules/.package-lock.json");
    let written = |path: &Path| path.metadata().and_then(|it| it.modified());
    let is_current = match (
        written(&installed),
        written(&folder.join("package-lock.json")),
    ) {
        (Ok(installed), Ok(wanted)) => installed >= wanted,
        _ => false,
    };
    if is_current {
        return Ok(());
    }
    program::output(command(folder).arg("ci")).map(drop)
}

/// npm in a folder.
pub(crate) fn command(folder: &Path) -> Command {
    let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.current_dir(folder);
    npm
}
