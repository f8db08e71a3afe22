//! A child on the user's terminal: an editor, a shell.

use std::process::Stdio;

use crate::children;
use crate::error::ProcessError;
use crate::exit::Exit;
use crate::spec::CommandSpec;

/// Runs `spec` on our own input, output and terminal, and waits for it.
///
/// The child stays in our process group, so that Ctrl-C and Ctrl-Z reach it as they would from a
/// shell. They reach us as well: a caller that wants to outlive Ctrl-C has its own handler.
pub fn run_attached(spec: &CommandSpec) -> Result<Exit, ProcessError> {
    let mut command = children::command(spec)?;
    command
        .stdin(Stdio::inherit())
        .stdout(Stdio::inherit())
        .stderr(Stdio::inherit());
    let mut child = children::spawn(&mut command, spec)?;
    let status = children::wait(&mut child).map_err(|source| ProcessError::Io {
        action: "wait for the program",
        source,
    })?;
    Ok(status.into())
}
