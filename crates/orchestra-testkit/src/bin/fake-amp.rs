//! The scripted agent as a program.

use std::process::ExitCode;

fn main() -> ExitCode {
    orchestra_testkit::fake_amp::run()
}
