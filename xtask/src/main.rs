//! The project's own commands: one file per command, run as `cargo xtask <command>`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "these commands drive cargo and other programs for a person at a terminal"
)]

mod api_check;
mod arrows;
mod bench;
mod browser;
mod coverage;
mod demo;
mod desktop;
mod dev;
mod dist;
mod failure;
mod files;
mod npm;
mod packages;
mod prices;
mod program;
mod reference;
mod test;
mod test_agents;
mod web;
mod web_types;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;
use workspace::Workspace;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about, version)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Run three sessions at once with the scripted agent in a temporary directory
    Demo(demo::Options),
    /// Check format, lints, arrows and generated files, and run every test
    Test(test::Options),
    /// Install agents from npm into target/agents and run whole sessions with them
    TestAgents(test_agents::Options),
    /// Build the debug binaries and run `orchestra` with the arguments after `--`
    Dev(dev::Options),
    /// Build the web page, so that `orchestra serve` has it
    Web,
    /// Try the web page in a browser
    Browser,
    /// Build the desktop app and its installers
    Desktop(desktop::Options),
    /// Build release binaries, completions and man pages into target/dist
    Build,
    /// Run the benchmarks with release binaries
    Bench(bench::Options),
    /// Measure line coverage and check it against the project's goals
    Coverage,
    /// Make the table of model prices anew
    Prices(prices::Options),
    /// Write docs/reference anew from the program itself
    Reference,
}

fn main() -> ExitCode {
    match run(&Arguments::parse().task) {
        Ok(code) => code,
        Err(failure) => {
            eprint!("{}", failure.report());
            ExitCode::FAILURE
        }
    }
}

fn run(task: &Task) -> Result<ExitCode, Failure> {
    let workspace = Workspace::load()?;
    match task {
        Task::Demo(options) => demo::run(&workspace, options),
        Task::Test(options) => test::run(&workspace, options),
        Task::TestAgents(options) => test_agents::run(&workspace, options),
        Task::Dev(options) => dev::run(&workspace, options),
        Task::Web => web::build(&workspace),
        Task::Browser => browser::run(&workspace).map(|()| ExitCode::SUCCESS),
        Task::Desktop(options) => desktop::bundle(&workspace, options),
        Task::Build => dist::run(&workspace),
        Task::Bench(options) => bench::run(&workspace, options),
        Task::Coverage => coverage::run(&workspace),
        Task::Prices(options) => prices::run(&workspace, options),
        Task::Reference => reference::write(&workspace),
    }
}
