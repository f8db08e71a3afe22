//! `orchestra`: everything.

fn main() -> std::process::ExitCode {
    orchestra_cli::orchestra()
}
