//! What Amp does when nobody is logged in: it waits at a prompt nobody answers.

use std::process::ExitCode;

use super::build::Build;
use super::knobs::{self, Knobs};
use super::terminal;

/// Prints the prompt on standard output, waits, and gives up. Signals kill it.
pub(crate) fn prompt(knobs: &Knobs, build: Build) -> ExitCode {
    let server = knobs::server_url();
    let server = server.trim_end_matches('/');
    terminal::answer(&format!(
        "No API key found. Starting login flow...\n\
         {server}/auth/cli-login?authToken=0000-not-a-token-0000&callbackPort=0\n\
         When prompted, paste your code here:\n"
    ));
    std::thread::sleep(knobs.login_wait());
    terminal::complain(build, "Login failed: Login timed out");
    ExitCode::FAILURE
}

/// What thread commands do: the newest build asks the server at once, older ones prompt.
pub(crate) fn refuse(knobs: &Knobs, build: Build) -> ExitCode {
    if build == Build::New {
        return terminal::fail(build, super::faults::NO_KEY);
    }
    prompt(knobs, build)
}
