//! `docs/reference` is printed by the program itself; here it is written and compared.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::failure::Failure;
use crate::workspace::{Profile, Workspace};
use crate::{files, program, web_types};

/// Writes the pages anew.
pub(crate) fn write(workspace: &Workspace) -> Result<ExitCode, Failure> {
    program::run(&mut workspace.build_shipped(Profile::Debug))?;
    let pages = pages(workspace);
    files::remove_directory(&pages)?;
    generate(workspace, &pages)?;
    web_types::write(workspace)?;
    println!("{} is current", pages.display());
    Ok(ExitCode::SUCCESS)
}

/// Fails when the pages are not what the built program prints. Without pages there is nothing to compare.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Failure> {
    let pages = pages(workspace);
    if !pages.is_dir() {
        println!("    no docs/reference");
        return Ok(());
    }
    let fresh = tempfile::tempdir()
        .map_err(|error| Failure::new("cannot make a temporary directory").because(error))?;
    generate(workspace, fresh.path())?;
    let stale = differences(fresh.path(), &pages)?;
    if stale.is_empty() {
        return Ok(());
    }
    let lines: Vec<_> = stale
        .iter()
        .map(|path| format!("\n  {}", path.display()))
        .collect();
    Err(
        Failure::new(format!("docs/reference is out of date:{}", lines.concat()))
            .hint("`cargo xtask reference` writes it anew"),
    )
}

fn pages(workspace: &Workspace) -> PathBuf {
    workspace.root().join("docs").join("reference")
}

fn generate(workspace: &Workspace, directory: &Path) -> Result<(), Failure> {
    files::create_directory(directory)?;
    let mut command = Command::new(workspace.binary(Profile::Debug, "orchestra"));
    program::run(command.arg("__reference").arg(directory))
}

/// The files that are in one of the directories only, or differ.
fn differences(expected: &Path, actual: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut names = files::list(expected)?;
    names.extend(files::list(actual)?);
    names.sort();
    names.dedup();
    let mut different = Vec::new();
    for name in names {
        if !is_same(&expected.join(&name), &actual.join(&name))? {
            different.push(name);
        }
    }
    Ok(different)
}

/// Line ends are not compared: a checkout on Windows may have its own.
fn is_same(left: &Path, right: &Path) -> Result<bool, Failure> {
    if !left.is_file() || !right.is_file() {
        return Ok(false);
    }
    Ok(files::read(left)?.replace("\r\n", "\n") == files::read(right)?.replace("\r\n", "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_missing_and_extra_files_are_found() {
        let expected = tempfile::tempdir().unwrap();
        let actual = tempfile::tempdir().unwrap();
        let put =
            |root: &Path, name: &str, text: &str| files::write(&root.join(name), text).unwrap();
        for (name, text) in [
            ("same.md", "a\nb\n"),
            ("changed.md", "new"),
            ("missing.md", "x"),
        ] {
            put(expected.path(), name, text);
        }
        for (name, text) in [
            ("same.md", "a\r\nb\r\n"),
            ("changed.md", "old"),
            ("cli/extra.md", "x"),
        ] {
            put(actual.path(), name, text);
        }
        let names = differences(expected.path(), actual.path()).unwrap();
        assert_eq!(
            names,
            ["changed.md", "cli/extra.md", "missing.md"].map(PathBuf::from)
        );
    }
}
