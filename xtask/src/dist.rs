//! `cargo xtask build`: what a user installs, gathered in `target/dist`.

use std::path::Path;
use std::process::{Command, ExitCode};

use crate::failure::Failure;
use crate::workspace::{Profile, Workspace};
use crate::{files, program};

/// Shells with the name their completion file must have.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "orchestra.bash"),
    ("elvish", "orchestra.elv"),
    ("fish", "orchestra.fish"),
    ("powershell", "_orchestra.ps1"),
    ("zsh", "_orchestra"),
];

/// Builds with the release profile and starts the folder anew, so that nothing old stays in it.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode, Failure> {
    program::run(&mut workspace.build_shipped(Profile::Release))?;
    let folder = workspace.target().join("dist");
    files::remove_directory(&folder)?;
    copy_binaries(workspace, &folder.join("bin"))?;
    let orchestra = workspace.binary(Profile::Release, "orchestra");
    write_completions(&orchestra, &folder.join("completions"))?;
    write_manual(&orchestra, &folder.join("man").join("man1"))?;
    for file in files::list(&folder)? {
        println!("{}", folder.join(file).display());
    }
    Ok(ExitCode::SUCCESS)
}

fn copy_binaries(workspace: &Workspace, folder: &Path) -> Result<(), Failure> {
    files::create_directory(folder)?;
    for name in workspace.shipped_binaries() {
        let binary = workspace.binary(Profile::Release, name);
        let file = binary.file_name().unwrap_or(name.as_ref());
        files::copy(&binary, &folder.join(file))?;
    }
    Ok(())
}

fn write_completions(orchestra: &Path, folder: &Path) -> Result<(), Failure> {
    for (shell, file) in COMPLETIONS {
        let script = program::output(Command::new(orchestra).args(["completions", shell]))?;
        files::write(&folder.join(file), script)?;
    }
    Ok(())
}

fn write_manual(orchestra: &Path, folder: &Path) -> Result<(), Failure> {
    files::create_directory(folder)?;
    program::run(Command::new(orchestra).arg("man").arg(folder))
}
