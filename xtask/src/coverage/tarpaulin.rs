//! Measures with cargo-tarpaulin.
//!
//! Its LLVM engine reads the counters by itself and needs no LLVM tools. The other engine, ptrace, crashes tests that
//! fork, which most of ours do.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::workspace::Workspace;
use crate::{files, program};

const PROGRAM: &str = "cargo-tarpaulin";
const VERSION: &str = "0.37.5";

/// The crates whose tests run. The command line's tests drive the engine through the real binary.
const TESTED: [&str; 5] = [
    "orchestra-core",
    "orchestra-git",
    "orchestra-store",
    "orchestra-engine",
    "orchestra-cli",
];

/// Seconds one test program may take: instrumented code is slow.
const TIMEOUT: &str = "1800";

/// Runs the tests with counters and gives the path of the lcov report.
pub(super) fn measure(workspace: &Workspace, folder: &Path) -> Result<PathBuf, Failure> {
    let tarpaulin = find_or_install(workspace)?;
    let build = folder.join("build");
    program::run(&mut build_binaries(workspace, &build))?;
    let mut command = Command::new(tarpaulin);
    command.current_dir(workspace.root()).arg("tarpaulin");
    command.args(["--engine", "llvm", "--follow-exec", "--skip-clean"]);
    command.args(["--timeout", TIMEOUT, "--out", "Lcov", "--output-dir"]);
    command.arg(folder).arg("--target-dir").arg(&build);
    for name in TESTED {
        command.args(["--packages", name]);
        command.args(["--include-files", &format!("crates/{name}/src/*")]);
    }
    files::create_directory(folder)?;
    program::run(&mut command)?;
    Ok(folder.join("lcov.info"))
}

/// The programs that tests start, where tests look for them. They come without counters, which the scripted agent
/// would write into worktrees.
fn build_binaries(workspace: &Workspace, build: &Path) -> Command {
    let mut command = workspace.cargo(["build", "--workspace", "--exclude", "xtask", "--bins"]);
    command.arg("--target-dir").arg(build);
    command
}

fn find_or_install(workspace: &Workspace) -> Result<PathBuf, Failure> {
    if program::is_installed(PROGRAM) {
        return Ok(PROGRAM.into());
    }
    let tools = workspace.target().join("tools");
    let installed = tools.join("bin").join(format!("{PROGRAM}{EXE_SUFFIX}"));
    if !installed.is_file() {
        let mut install = workspace.cargo(["install", PROGRAM, "--version", VERSION, "--locked"]);
        program::run(install.arg("--root").arg(&tools))?;
    }
    Ok(installed)
}
