//! `cargo xtask test`: everything a change must pass, in one command.

use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::workspace::Workspace;
use crate::{arrows, program, reference};

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Run the tests that repeat faults and random inputs with their full counts
    #[arg(long)]
    long: bool,
}

/// Runs the steps in order up to the first that fails, then sums up.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode, Failure> {
    let mut records = Vec::new();
    let mut failure = None;
    for step in Step::ALL {
        println!("\n==> {}", step.name());
        let start = Instant::now();
        let outcome = step.run(workspace, options);
        let took = start.elapsed();
        println!("    {} took {}", step.name(), seconds(took));
        records.push((step, outcome.is_ok(), took));
        if let Err(error) = outcome {
            failure = Some(error);
            break;
        }
    }
    println!("\n{}", summary(&records));
    failure.map_or(Ok(ExitCode::SUCCESS), Err)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Format,
    Lints,
    Arrows,
    Build,
    Reference,
    Tests,
}

impl Step {
    const ALL: [Self; 6] = [
        Self::Format,
        Self::Lints,
        Self::Arrows,
        Self::Build,
        Self::Reference,
        Self::Tests,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Lints => "lints",
            Self::Arrows => "arrows",
            Self::Build => "build",
            Self::Reference => "generated files",
            Self::Tests => "tests",
        }
    }

    fn run(self, workspace: &Workspace, options: &Options) -> Result<(), Failure> {
        match self {
            Self::Format => program::run(&mut workspace.cargo(["fmt", "--all", "--check"]))
                .map_err(|failure| failure.hint("`cargo fmt --all` formats everything")),
            Self::Lints => program::run(&mut lints(workspace)),
            Self::Arrows => arrows::check(workspace),
            Self::Build => program::run(&mut build(workspace)),
            Self::Reference => reference::check(workspace),
            Self::Tests => program::run(&mut tests(workspace, options)),
        }
    }
}

fn lints(workspace: &Workspace) -> Command {
    let mut command = workspace.cargo(["clippy", "--workspace", "--all-targets"]);
    command.args(["--", "-D", "warnings"]);
    command
}

/// Tests start the binaries themselves, so they are built first. This program is left out: it is running, and Windows
/// cannot replace a running program.
fn build(workspace: &Workspace) -> Command {
    workspace.cargo(["build", "--workspace", "--exclude", "xtask", "--bins"])
}

fn tests(workspace: &Workspace, options: &Options) -> Command {
    let mut command = workspace.cargo(["test", "--workspace"]);
    if options.long {
        command.env("ORCHESTRA_TEST_LONG", "1");
    }
    command
}

fn summary(records: &[(Step, bool, Duration)]) -> String {
    let mut lines: Vec<_> = records
        .iter()
        .map(|(step, passed, took)| {
            let word = if *passed { "passed" } else { "FAILED" };
            format!("  {:<16} {word:<8} {:>9}", step.name(), seconds(*took))
        })
        .collect();
    let missing = Step::ALL.iter().skip(records.len());
    lines.extend(missing.map(|step| format!("  {:<16} not run", step.name())));
    let total = records.iter().map(|record| record.2).sum();
    lines.push(format!(
        "  {:<16} {:<8} {:>9}",
        "in all",
        "",
        seconds(total)
    ));
    lines.join("\n")
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn steps_after_a_failure_are_named() {
        let records = [
            (Step::Format, true, Duration::from_millis(1500)),
            (Step::Lints, false, Duration::from_secs(62)),
        ];
        assert_eq!(
            summary(&records),
            "  format           passed       1.5 s\n  \
               lints            FAILED      62.0 s\n  \
               arrows           not run\n  \
               build            not run\n  \
               generated files  not run\n  \
               tests            not run\n  \
               in all                       63.5 s"
        );
    }
}
