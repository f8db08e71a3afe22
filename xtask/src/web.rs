//! `cargo xtask web`: the web page, built so that `orchestra serve` has it.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::failure::Failure;
use crate::npm;
use crate::workspace::Workspace;

/// Builds the page.
pub(crate) fn build(workspace: &Workspace) -> Result<ExitCode, Failure> {
    let folder = folder(workspace);
    npm::install(&folder)?;
    npm::run(&folder, "build")?;
    println!("{}", folder.join("dist").display());
    Ok(ExitCode::SUCCESS)
}

/// Reads, checks, tests and builds it.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Failure> {
    let folder = folder(workspace);
    npm::install(&folder)?;
    let mut scripts = ["lint", "typecheck", "test", "build"].into_iter();
    scripts.try_for_each(|script| npm::run(&folder, script))
}

/// Where the page is made.
pub(crate) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.root().join("apps").join("web")
}
