//! Standard output and error outside a transcript.

use std::io::Write;
use std::process::ExitCode;

use super::build::Build;

const ESCAPES: &str = "\u{1b}[=0u\u{1b}[<u\u{1b}[?25h";

/// Prints an answer and succeeds.
pub(crate) fn answer(text: &str) -> ExitCode {
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_closed) => ExitCode::FAILURE,
    }
}

/// Prints `Error: ...` and fails, the shape of every usage error.
pub(crate) fn fail(build: Build, message: &str) -> ExitCode {
    complain(build, &format!("Error: {message}"));
    ExitCode::FAILURE
}

/// Writes a line to standard error, with the escapes the older builds leave behind.
pub(crate) fn complain(build: Build, line: &str) {
    let tail = if build.leaves_escapes() { ESCAPES } else { "" };
    write_stderr(format!("{line}\n{tail}").as_bytes());
}

/// Writes bytes to standard error; when nobody listens there is nobody to tell.
pub(crate) fn write_stderr(bytes: &[u8]) {
    std::io::stderr().write_all(bytes).ok();
}
