//! Bare git: the reference, and the tool to build and clear repositories.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::Outcome;

/// Runs git, which must succeed, and answers what it prints.
pub(crate) fn git(
    environment: &[(OsString, OsString)],
    directory: &Path,
    arguments: &[&str],
) -> Outcome<String> {
    let output = command(environment, directory, arguments).output()?;
    require_success(arguments, &output)?;
    Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
}

/// Runs git with something to read.
pub(crate) fn git_with_input(
    environment: &[(OsString, OsString)],
    directory: &Path,
    arguments: &[&str],
    write: impl FnOnce(&mut dyn Write) -> Outcome<()>,
) -> Outcome<()> {
    let mut child = command(environment, directory, arguments)
        .stdin(Stdio::piped())
        .spawn()?;
    let written = match child.stdin.take() {
        Some(stdin) => write(&mut std::io::BufWriter::new(stdin)),
        None => Err("git has no standard input".into()),
    };
    let output = child.wait_with_output()?;
    require_success(arguments, &output)?;
    written
}

pub(crate) fn version() -> Outcome<String> {
    let output = Command::new("git").arg("--version").output()?;
    Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
}

fn command(environment: &[(OsString, OsString)], directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command
        .env_clear()
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .current_dir(directory)
        .args(arguments.iter().map(OsStr::new))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn require_success(arguments: &[&str], output: &Output) -> Outcome<()> {
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    Err(format!("git {}: {}", arguments.join(" "), words.trim()).into())
}
