//! A program that is nothing but a guardian.

use std::process::ExitCode;

fn main() -> ExitCode {
    orchestra_process::guardian_main()
}
