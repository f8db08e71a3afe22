//! Steps that change files or connect to one, shown as the tools of the build.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Value, json};

use super::super::build::Build;
use super::super::cancel::Halt;
use super::super::scenario::Step;
use super::{Performer, shell_result};

/// Whether a step is done here.
pub(super) fn changes_files(step: &Step) -> bool {
    matches!(
        step,
        Step::Edit { .. }
            | Step::Write { .. }
            | Step::Append { .. }
            | Step::Delete { .. }
            | Step::Rename { .. }
            | Step::Chmod { .. }
            | Step::Symlink { .. }
            | Step::Mkdir { .. }
            | Step::MainCheckout { .. }
            | Step::Connect { .. }
    )
}

impl Performer<'_> {
    pub(super) fn change_files(&mut self, step: &Step) -> Result<(), Halt> {
        let edit = edit_tool(self.build, self.cwd, step);
        let is_edit = edit.is_some();
        let (tool, input) = edit.unwrap_or_else(|| {
            let input = self.shell_input(&command(step));
            (self.build.shell_tool(), input)
        });
        let Some(id) = self.call(tool, &input)? else {
            return Ok(());
        };
        let outcome = change(self.cwd, step);
        let (result, is_error) = match &outcome {
            Ok(()) => ("Done".to_owned(), false),
            Err(error) => (error.clone(), true),
        };
        if is_edit {
            self.transcript.tool_result(id, result, is_error)?;
        } else {
            let result = shell_result(&result, i32::from(is_error));
            self.transcript.tool_result(id, result, false)?;
        }
        outcome.map_err(Halt::Failed)
    }
}

fn change(cwd: &Path, step: &Step) -> Result<(), String> {
    let at = |path: &Path| cwd.join(path);
    match step {
        Step::Edit { path, old, new } => edit(&at(path), old, new),
        Step::Write { path, text } | Step::MainCheckout { path, text } => {
            told(path, with_parents(&at(path), |path| fs::write(path, text)))
        }
        Step::Append { path, text } => {
            told(path, with_parents(&at(path), |path| append(path, text)))
        }
        Step::Delete { path } => told(path, delete(&at(path))),
        Step::Rename { from, to } => {
            told(from, with_parents(&at(to), |to| fs::rename(at(from), to)))
        }
        Step::Chmod { path, mode } => told(path, chmod(&at(path), mode)),
        Step::Symlink { path, target } => {
            told(path, with_parents(&at(path), |path| symlink(target, path)))
        }
        Step::Mkdir { path } => told(path, fs::create_dir_all(at(path))),
        Step::Connect { path } => told(path, connect(&at(path))),
        _ => Ok(()),
    }
}

fn edit(path: &Path, old: &str, new: &str) -> Result<(), String> {
    let text = fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    if !text.contains(old) {
        return Err(format!("text to replace not found in {}", path.display()));
    }
    told(path, fs::write(path, text.replacen(old, new, 1)))
}

fn append(path: &Path, text: &str) -> io::Result<()> {
    let mut file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)?;
    io::Write::write_all(&mut file, text.as_bytes())
}

fn delete(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}

fn with_parents(path: &Path, act: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    act(path)
}

fn told(path: &Path, outcome: io::Result<()>) -> Result<(), String> {
    outcome.map_err(|error| format!("cannot change {}: {error}", path.display()))
}

#[cfg(unix)]
fn chmod(path: &Path, mode: &str) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = u32::from_str_radix(mode, 8).map_err(|error| io::Error::other(error.to_string()))?;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn chmod(path: &Path, mode: &str) -> io::Result<()> {
    let mut permissions = fs::metadata(path)?.permissions();
    let owner = mode.chars().rev().nth(2).unwrap_or('6');
    permissions.set_readonly(!matches!(owner, '2' | '3' | '6' | '7'));
    fs::set_permissions(path, permissions)
}

#[cfg(unix)]
fn symlink(target: &Path, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(not(unix))]
fn symlink(target: &Path, path: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(target, path)
}

#[cfg(unix)]
fn connect(path: &Path) -> io::Result<()> {
    std::os::unix::net::UnixStream::connect(path).map(drop)
}

#[cfg(not(unix))]
fn connect(_path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The editing tool and its arguments; other changes are shell commands.
fn edit_tool(build: Build, cwd: &Path, step: &Step) -> Option<(&'static str, Value)> {
    let (path, old, new) = match step {
        Step::Edit { path, old, new } => (path, Some(old.as_str()), new),
        Step::Append { path, text } => (path, Some(""), text),
        Step::Write { path, text } | Step::MainCheckout { path, text } => (path, None, text),
        _ => return None,
    };
    let path = cwd.join(path);
    let path = path.to_string_lossy();
    Some(match (build, old) {
        (Build::New, _) => ("apply_patch", json!({ "patch": patch(&path, old, new) })),
        (_, Some(old)) => (
            "edit_file",
            json!({ "path": path, "old_str": old, "new_str": new }),
        ),
        (_, None) => ("create_file", json!({ "path": path, "content": new })),
    })
}

fn patch(path: &str, old: Option<&str>, new: &str) -> String {
    let verb = if old.is_some() { "Update" } else { "Add" };
    let removed = old.unwrap_or_default().lines();
    let removed = removed.map(|line| format!("-{line}\n"));
    let added = new.lines().map(|line| format!("+{line}\n"));
    let body: String = removed.chain(added).collect();
    format!("*** Begin Patch\n*** {verb} File: {path}\n{body}*** End Patch")
}

fn command(step: &Step) -> String {
    match step {
        Step::Delete { path } => format!("rm -r {}", path.display()),
        Step::Rename { from, to } => format!("mv {} {}", from.display(), to.display()),
        Step::Chmod { path, mode } => format!("chmod {mode} {}", path.display()),
        Step::Symlink { path, target } => format!("ln -s {} {}", target.display(), path.display()),
        Step::Mkdir { path } => format!("mkdir -p {}", path.display()),
        Step::Connect { path } => format!("nc -U {}", path.display()),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_that_finds_nothing_fails() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "one two one").unwrap();
        let edit = |old: &str, new: &str| Step::Edit {
            path: "a".into(),
            old: old.to_owned(),
            new: new.to_owned(),
        };
        assert!(change(folder.path(), &edit("three", "3")).is_err());
        change(folder.path(), &edit("one", "1")).unwrap();
        assert_eq!(
            fs::read_to_string(folder.path().join("a")).unwrap(),
            "1 two one"
        );
    }
}
