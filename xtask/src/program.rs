//! Running other programs, with errors that name the command.

use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use crate::failure::Failure;

/// Runs to the end with this terminal's input and output.
pub(crate) fn status(command: &mut Command) -> Result<ExitStatus, Failure> {
    command
        .status()
        .map_err(|error| not_started(command, error))
}

/// Like [`status`]; anything but success is a failure.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    let status = status(command)?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "`{}` ended with {status}",
        line(command)
    )))
}

/// Runs to the end and gives what it printed; its standard error joins the failure.
pub(crate) fn output(command: &mut Command) -> Result<String, Failure> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| not_started(command, error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let failure = Failure::new(format!("`{}` ended with {}", line(command), output.status));
    Err(if said.is_empty() {
        failure
    } else {
        failure.because(said)
    })
}

/// Whether the program can be started at all.
pub(crate) fn is_installed(name: &str) -> bool {
    Command::new(name)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Another program's exit code as our own; death by signal counts as failure.
pub(crate) fn exit_code(status: ExitStatus) -> ExitCode {
    match status.code().map(u8::try_from) {
        Some(Ok(code)) => ExitCode::from(code),
        _ => ExitCode::FAILURE,
    }
}

/// The command as a person would type it: the program by its name alone.
pub(crate) fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_stem().unwrap_or(program.as_os_str());
    let words = std::iter::once(name).chain(command.get_args());
    let words: Vec<_> = words.map(|word| quoted(&word.to_string_lossy())).collect();
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "-_./=:@+,\\".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn not_started(command: &Command, error: std::io::Error) -> Failure {
    Failure::new(format!("cannot start `{}`", line(command))).because(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_quoted_where_needed() {
        let mut command = Command::new("/somewhere/orchestra");
        command.args(["session", "new", "--prompt", "it's new", ""]);
        assert_eq!(
            line(&command),
            r"orchestra session new --prompt 'it'\''s new' ''"
        );
    }
}
