//! Measures with cargo-tarpaulin.
//!
//! Its LLVM engine reads the counters by itself and needs no LLVM tools. The other engine, ptrace, crashes tests that
//! fork, which most of ours do.
//!
//! Most of the engine runs in programs that tests start. Those are built with counters too and add them to the files
//! that tarpaulin collects for the test: the test kit passes the name of the file on. A program that was not told the
//! name, because it starts with an empty environment, keeps its counters to itself: see `untold.c`.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::goals;
use crate::failure::Failure;
use crate::workspace::Workspace;
use crate::{files, program};

const PROGRAM: &str = "cargo-tarpaulin";
const VERSION: &str = "0.37.5";

/// Linked into everything that is measured.
const UNTOLD: &str = "xtask/src/coverage/untold.c";

/// The crates whose tests run besides: those of the command line drive the engine through the real binary, and those of
/// the test kit come with the scripted agent that it starts.
const TESTED: [&str; 2] = ["orchestra-testkit", "orchestra-cli"];

/// Seconds one test program may take: code with counters is slow.
const TIMEOUT: &str = "1800";

/// Runs the tests with counters and gives the path of the lcov report.
pub(super) fn measure(workspace: &Workspace, folder: &Path) -> Result<PathBuf, Failure> {
    let tarpaulin = find_or_install(workspace)?;
    let mut command = Command::new(tarpaulin);
    command.current_dir(workspace.root()).arg("tarpaulin");
    command.args([
        "--engine",
        "llvm",
        "--skip-clean",
        "--implicit-test-threads",
    ]);
    command.args(["--timeout", TIMEOUT, "--out", "Lcov", "--output-dir"]);
    command.arg(folder);
    command.arg("--target-dir").arg(folder.join("build"));
    let untold = workspace.root().join(UNTOLD);
    command.arg(format!("--rustflags=-Clink-arg={}", untold.display()));
    for name in goals::CRATES.iter().chain(&TESTED) {
        command.args(["--packages", name]);
    }
    for name in goals::CRATES {
        command.args(["--include-files", &format!("crates/{name}/src/*")]);
    }
    files::create_directory(folder)?;
    program::run(&mut command)?;
    Ok(folder.join("lcov.info"))
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
