//! `cargo xtask coverage`: line coverage of the crates that must not lose work.

mod goals;
mod lcov;
mod tarpaulin;

use std::process::ExitCode;

use crate::failure::Failure;
use crate::files;
use crate::workspace::Workspace;

/// Measures, writes `target/coverage/summary.txt`, and fails when a goal is missed.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode, Failure> {
    let folder = workspace.target().join("coverage");
    let report = tarpaulin::measure(workspace, &folder)?;
    let measured = lcov::parse(&files::read(&report)?, workspace.root()).map_err(|error| {
        Failure::new(format!("cannot read {}", report.display())).because(error)
    })?;
    let results = goals::judge(&measured);
    let summary = goals::summary(&results);
    let path = folder.join("summary.txt");
    files::write(&path, &summary)?;
    print!("{summary}");
    println!("written to {}", path.display());
    if results.iter().all(goals::Reached::is_met) {
        return Ok(ExitCode::SUCCESS);
    }
    Err(Failure::new("coverage is under its goal"))
}
