//! `cargo xtask dev`: the debug binaries, at hand.

use std::process::{Command, ExitCode};

use crate::failure::Failure;
use crate::program;
use crate::workspace::{Profile, Workspace};

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Arguments for `orchestra`; without any, how to use the binaries is printed
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// Builds, then runs `orchestra` where the caller stands and ends as it ends.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode, Failure> {
    program::run(&mut workspace.build_shipped(Profile::Debug))?;
    if options.arguments.is_empty() {
        print_usage(workspace);
        return Ok(ExitCode::SUCCESS);
    }
    let mut orchestra = Command::new(workspace.binary(Profile::Debug, "orchestra"));
    let status = program::status(orchestra.args(&options.arguments))?;
    Ok(program::exit_code(status))
}

fn print_usage(workspace: &Workspace) {
    let directory = workspace.binaries(Profile::Debug);
    println!("built: {}", workspace.shipped_binaries().join(", "));
    println!("\nuse them in this shell:");
    if cfg!(windows) {
        println!("  $env:PATH = \"{};$env:PATH\"", directory.display());
    } else {
        println!("  export PATH=\"{}:$PATH\"", directory.display());
    }
    println!("\nor build and run in one step:");
    println!("  cargo xtask dev -- session list");
}
