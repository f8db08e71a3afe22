//! `cargo xtask test-agents`: whole sessions with real agents from npm, against scripted providers on loopback.
//!
//! The agents are large and belong to others, so they are installed under `target` and are no part of the default tests.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::test::seconds;
use crate::workspace::{Profile, Workspace};
use crate::{files, program};

/// Tells the tests where the agents are.
const FOLDER: &str = "ORCHESTRA_TEST_AGENTS";

/// Each test waits more than it computes.
const AT_ONCE: &str = "--test-threads=2";

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The agents to try [default: all]
    #[arg(value_enum)]
    agents: Vec<Agent>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Agent {
    Amp,
    Codex,
    Opencode,
}

impl Agent {
    const ALL: [Self; 3] = [Self::Amp, Self::Codex, Self::Opencode];

    /// Also the module of its tests.
    fn name(self) -> &'static str {
        match self {
            Self::Amp => "amp",
            Self::Codex => "codex",
            Self::Opencode => "opencode",
        }
    }

    /// Newer builds of Amp keep the conversation with the model on their own server, which cannot be scripted.
    fn package(self) -> (&'static str, &'static str) {
        match self {
            Self::Amp => ("@sourcegraph/amp", "0.0.1767830505-ga62310"),
            Self::Codex => ("@openai/codex", "0.166.0"),
            Self::Opencode => ("opencode-ai", "1.18.33"),
        }
    }

    /// Whether it does not run before its install script did.
    fn needs_script(self) -> bool {
        self == Self::Opencode
    }
}

/// Tries every agent, also after one that failed, then sums up.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode, Failure> {
    let chosen = match options.agents.as_slice() {
        [] => &Agent::ALL[..],
        some => some,
    };
    program::run(&mut workspace.build_shipped(Profile::Debug))?;
    // Before the first agent, whose seconds it would add to.
    program::run(cargo_test(workspace).arg("--no-run"))?;
    let mut lines = Vec::new();
    let mut all_passed = true;
    for agent in chosen.iter().copied() {
        println!("\n==> {}", agent.name());
        let folder = install(workspace, agent)?;
        let start = Instant::now();
        let outcome = program::run(&mut tests(workspace, agent, &folder));
        all_passed &= outcome.is_ok();
        lines.push(line(agent, outcome.is_ok(), start.elapsed()));
    }
    println!("\n{}", lines.join("\n"));
    match all_passed {
        true => Ok(ExitCode::SUCCESS),
        false => Err(Failure::new("not every agent passed")),
    }
}

fn line(agent: Agent, passed: bool, took: Duration) -> String {
    let (package, version) = agent.package();
    let word = if passed { "passed" } else { "FAILED" };
    let package = format!("{package} {version}");
    format!(
        "  {:<10} {package:<40} {word:<8} {:>9}",
        agent.name(),
        seconds(took)
    )
}

/// Installs an agent once; its folder has nothing but it.
fn install(workspace: &Workspace, agent: Agent) -> Result<PathBuf, Failure> {
    let (package, version) = agent.package();
    let folder = workspace.target().join("agents").join(agent.name());
    let done = folder.join("installed");
    let wanted = format!("{package}@{version}");
    if files::read(&done).is_ok_and(|installed| installed == wanted) {
        return Ok(folder);
    }
    files::remove_directory(&folder)?;
    files::write(&folder.join("package.json"), "{ \"private\": true }\n")?;
    // What a package runs while it is installed is run only where nothing works without.
    program::run(npm(&folder).args(["install", "--ignore-scripts", "--save-exact", &wanted]))?;
    if agent.needs_script() {
        program::run(npm(&folder).args(["rebuild", package]))?;
    }
    files::write(&done, &wanted)?;
    println!("{wanted}: {} MB", size(&folder)? / 1_000_000);
    Ok(folder)
}

/// npm, in a folder, with nothing kept elsewhere.
fn npm(folder: &Path) -> Command {
    let mut command = Command::new("npm");
    command.current_dir(folder);
    command.args(["--no-audit", "--no-fund", "--no-progress", "--cache"]);
    command.arg(folder.with_file_name("cache"));
    command
}

fn size(folder: &Path) -> Result<u64, Failure> {
    let lengths = files::list(folder)?.into_iter();
    let lengths = lengths.filter_map(|file| folder.join(file).metadata().ok());
    Ok(lengths.map(|file| file.len()).sum())
}

fn cargo_test(workspace: &Workspace) -> Command {
    let mut command = workspace.cargo(["test", "--package", "orchestra-cli", "--test", "agents"]);
    command.args(["--features", "real-agents"]);
    command
}

/// They print what passed.
fn tests(workspace: &Workspace, agent: Agent, folder: &Path) -> Command {
    let mut command = cargo_test(workspace);
    command
        .args(["--", "--nocapture", AT_ONCE])
        .arg(format!("{}::", agent.name()))
        .env(FOLDER, folder);
    command
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn an_agent_is_told_with_its_version() {
        assert_eq!(
            line(Agent::Codex, true, Duration::from_millis(1500)),
            "  codex      @openai/codex 0.166.0                    passed       1.5 s"
        );
        let failed = line(Agent::Amp, false, Duration::ZERO);
        assert!(failed.contains("FAILED"), "{failed}");
    }

    #[test]
    fn versions_are_pinned() {
        for agent in Agent::ALL {
            let (_, version) = agent.package();
            assert!(version.starts_with(|char: char| char.is_ascii_digit()));
        }
    }
}
