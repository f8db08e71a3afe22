//! `cargo xtask build`: what a user installs, gathered in `target/dist`.

use std::path::Path;
use std::process::{Command, ExitCode};

use crate::failure::Failure;
use crate::workspace::{Profile, Workspace};
use crate::{files, program, web};

/// Shells with what stands before and after the program in the name of their completion file.
const COMPLETIONS: [(&str, &str, &str); 5] = [
    ("bash", "", ".bash"),
    ("elvish", "", ".elv"),
    ("fish", "", ".fish"),
    ("powershell", "_", ".ps1"),
    ("zsh", "_", ""),
];
const COMPLETED: [&str; 3] = ["orchestra", "amp-sessions", "ampsm"];

/// Builds the page and, with the release profile, the program that has it; then starts the folder anew, so that nothing old stays in it.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode, Failure> {
    web::build(workspace)?;
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
    for name in COMPLETED {
        for (shell, before, after) in COMPLETIONS {
            let words = ["completions", shell, "--program", name];
            let script = program::output(Command::new(orchestra).args(words))?;
            files::write(&folder.join(format!("{before}{name}{after}")), script)?;
        }
    }
    Ok(())
}

fn write_manual(orchestra: &Path, folder: &Path) -> Result<(), Failure> {
    files::create_directory(folder)?;
    program::run(Command::new(orchestra).arg("man").arg(folder))
}
