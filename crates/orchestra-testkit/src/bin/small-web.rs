//! The small web application as a program.

use std::process::ExitCode;

fn main() -> ExitCode {
    orchestra_testkit::small_web::run()
}
