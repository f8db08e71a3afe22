//! `cargo xtask bench`: measures the release binaries.

use std::process::ExitCode;

use crate::failure::Failure;
use crate::program;
use crate::workspace::{Profile, Workspace};

const HARNESS: &str = "orchestra-bench";

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Fewer repetitions and smaller repositories
    #[arg(long)]
    quick: bool,
    /// Arguments for the harness
    #[arg(last = true)]
    arguments: Vec<String>,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode, Failure> {
    let known = workspace
        .packages()
        .iter()
        .any(|package| package.name == HARNESS);
    if !known {
        return Err(Failure::new(format!(
            "the workspace has no crate `{HARNESS}`"
        )));
    }
    program::run(&mut workspace.build_shipped(Profile::Release))?;
    let mut command = workspace.cargo(["run", "--release", "--package", HARNESS, "--"]);
    if options.quick {
        command.arg("--quick");
    }
    let status = program::status(command.args(&options.arguments))?;
    Ok(program::exit_code(status))
}
