//! `cargo xtask test`: everything a change must pass, in one command.

use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::workspace::{Profile, Workspace};
use crate::{api_check, arrows, browser, desktop, packages, program, reference, web, web_types};

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Run the tests that repeat faults and random inputs with their full counts, and kill release binaries too
    #[arg(long)]
    long: bool,
}

/// Runs the steps in order up to the first that fails, then sums up.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode, Failure> {
    let mut records = Vec::new();
    let mut failure = None;
    let steps = Step::of(options);
    for step in steps.iter().copied() {
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
    println!("\n{}", summary(&steps, &records));
    failure.map_or(Ok(ExitCode::SUCCESS), Err)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Packages,
    Format,
    Lints,
    Arrows,
    Build,
    Reference,
    WebTypes,
    Web,
    ApiCheck,
    Tests,
    Browser,
    Desktop,
    ReleaseBuild,
    ReleaseKills,
}

impl Step {
    const ALWAYS: [Self; 11] = [
        Self::Packages,
        Self::Format,
        Self::Lints,
        Self::Arrows,
        Self::Build,
        Self::Reference,
        Self::WebTypes,
        Self::Web,
        Self::ApiCheck,
        Self::Tests,
        Self::Browser,
    ];

    fn of(options: &Options) -> Vec<Self> {
        let mut steps = Self::ALWAYS.to_vec();
        if options.long {
            steps.extend([Self::Desktop, Self::ReleaseBuild, Self::ReleaseKills]);
        }
        steps
    }

    fn name(self) -> &'static str {
        match self {
            Self::Packages => "packages",
            Self::Format => "format",
            Self::Lints => "lints",
            Self::Arrows => "arrows",
            Self::Build => "build",
            Self::Reference => "generated files",
            Self::WebTypes => "web types",
            Self::Web => "web page",
            Self::ApiCheck => "API against its document",
            Self::Tests => "tests",
            Self::Browser => "web page in a browser",
            Self::Desktop => "desktop app",
            Self::ReleaseBuild => "release build",
            Self::ReleaseKills => "release kills",
        }
    }

    fn run(self, workspace: &Workspace, options: &Options) -> Result<(), Failure> {
        match self {
            Self::Packages => {
                packages::install();
                Ok(())
            }
            Self::Format => program::run(&mut workspace.cargo(["fmt", "--all", "--check"]))
                .map_err(|failure| failure.hint("`cargo fmt --all` formats everything")),
            Self::Lints => program::run(&mut lints(workspace)),
            Self::Arrows => arrows::check(workspace),
            Self::Build => program::run(&mut build(workspace)),
            Self::Reference => reference::check(workspace),
            Self::WebTypes => web_types::check(workspace),
            Self::Web => web::check(workspace),
            Self::ApiCheck => api_check::run(workspace, options.long),
            Self::Tests => program::run(&mut tests(workspace, options)),
            Self::Browser => browser::run(workspace),
            Self::Desktop => desktop::check(workspace),
            Self::ReleaseBuild => program::run(&mut workspace.build_shipped(Profile::Release)),
            Self::ReleaseKills => program::run(&mut release_kills(workspace)),
        }
    }
}

fn lints(workspace: &Workspace) -> Command {
    let mut command = workspace.cargo(["clippy", "--workspace", "--all-targets"]);
    // Tests that this command does not run are still read.
    command.args(["--features", "orchestra-cli/real-agents"]);
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

/// The same tests as before, against the programs that users get; they print what they counted.
fn release_kills(workspace: &Workspace) -> Command {
    let mut command = workspace.cargo(["test", "--package", "orchestra-cli", "--test", "it"]);
    command
        .args(["--", "--nocapture", "--exact"])
        .arg("crash::random::no_kill_at_any_time_loses_anything")
        .arg("crash::landing::no_kill_of_a_landing_command_loses_anything")
        .env("ORCHESTRA_TEST_LONG", "1")
        .env(
            "ORCHESTRA_TEST_BINARIES",
            workspace.binaries(Profile::Release),
        );
    command
}

fn summary(steps: &[Step], records: &[(Step, bool, Duration)]) -> String {
    let mut lines: Vec<_> = records
        .iter()
        .map(|(step, passed, took)| {
            let word = if *passed { "passed" } else { "FAILED" };
            format!("  {:<26} {word:<8} {:>9}", step.name(), seconds(*took))
        })
        .collect();
    let missing = steps.iter().skip(records.len());
    lines.extend(missing.map(|step| format!("  {:<26} not run", step.name())));
    let total = records.iter().map(|record| record.2).sum();
    lines.push(format!(
        "  {:<26} {:<8} {:>9}",
        "in all",
        "",
        seconds(total)
    ));
    lines.join("\n")
}

pub(crate) fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn steps_after_a_failure_are_named() {
        let records = [
            (Step::Packages, true, Duration::ZERO),
            (Step::Format, true, Duration::from_millis(1500)),
            (Step::Lints, false, Duration::from_secs(62)),
        ];
        assert_eq!(
            summary(&Step::ALWAYS, &records),
            "  packages                   passed       0.0 s\n  \
               format                     passed       1.5 s\n  \
               lints                      FAILED      62.0 s\n  \
               arrows                     not run\n  \
               build                      not run\n  \
               generated files            not run\n  \
               web types                  not run\n  \
               web page                   not run\n  \
               API against its document   not run\n  \
               tests                      not run\n  \
               web page in a browser      not run\n  \
               in all                                 63.5 s"
        );
    }

    #[test]
    fn release_programs_are_killed_only_when_there_is_time() {
        let with = |long| Step::of(&Options { long });
        assert_eq!(with(false), Step::ALWAYS);
        assert_eq!(with(true).last(), Some(&Step::ReleaseKills));
    }
}
