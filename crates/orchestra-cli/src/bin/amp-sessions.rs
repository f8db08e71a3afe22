//! `amp-sessions`: the session commands on their own.

fn main() -> std::process::ExitCode {
    orchestra_cli::sessions("amp-sessions")
}
