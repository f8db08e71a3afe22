//! The small MCP server as a program.

use std::process::ExitCode;

fn main() -> ExitCode {
    orchestra_testkit::small_mcp::run()
}
