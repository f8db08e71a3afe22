//! The release programs, where they were built.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Outcome;
use crate::world::World;

/// The programs users get.
#[derive(Debug)]
pub(crate) struct Product {
    pub(crate) orchestra: PathBuf,
    pub(crate) fake_amp: PathBuf,
}

impl Product {
    /// The given program, or the one beside this program; `None` if it was not built.
    pub(crate) fn find(given: Option<&Path>) -> Outcome<Option<Self>> {
        let beside = std::env::current_exe()?.with_file_name(format!("orchestra{EXE_SUFFIX}"));
        let orchestra = match given {
            Some(given) => given.canonicalize()?,
            None if beside.is_file() => beside,
            None => return Ok(None),
        };
        let fake_amp = orchestra.with_file_name(format!("fake-amp{EXE_SUFFIX}"));
        Ok(Some(Self {
            orchestra,
            fake_amp,
        }))
    }

    /// Lets the sessions of a world work with the scripted agent.
    pub(crate) fn prepare_agent(&self, world: &mut World, scenario: &str) -> Outcome<()> {
        let file = world.path("scenario.toml");
        std::fs::write(&file, scenario)?;
        let command = format!(
            "'{}' --fake-home '{}' --fake-pace-ms 0 --fake-scenario '{}'",
            self.fake_amp.display(),
            world.path("agent").display(),
            file.display()
        );
        world.set("ORCHESTRA_AGENTS_AMP_COMMAND", command);
        world.set("AMP_API_KEY", "placeholder-key-for-benchmarks");
        Ok(())
    }

    /// `orchestra` in the main checkout of a world.
    pub(crate) fn command(&self, world: &World, arguments: &[&str]) -> Command {
        let mut command = in_checkout(world, &self.orchestra);
        command.args(arguments);
        command
    }

    /// The same on a terminal of its own.
    pub(crate) fn command_on_terminal(&self, world: &World, words: &str) -> Command {
        let line = format!("exec '{}' {words}", self.orchestra.display());
        let mut command = in_checkout(world, Path::new("script"));
        command
            .env("TERM", "xterm")
            .args(["--quiet", "--command", &line, "/dev/null"]);
        command
    }

    /// Runs `orchestra`, which must succeed, and answers what it prints.
    pub(crate) fn run(&self, world: &World, arguments: &[&str]) -> Outcome<String> {
        let output = self.command(world, arguments).output()?;
        if !output.status.success() {
            let words = String::from_utf8_lossy(&output.stderr);
            return Err(format!("orchestra {}: {}", arguments.join(" "), words.trim()).into());
        }
        Ok(String::from_utf8(output.stdout)?)
    }
}

/// A program in the main checkout of a world, with nothing of whoever runs the benchmark.
fn in_checkout(world: &World, program: &Path) -> Command {
    let environment = world.environment().iter();
    let mut command = Command::new(program);
    command
        .env_clear()
        .envs(environment.map(|(name, value)| (name, value)))
        .current_dir(world.repository())
        .stdin(Stdio::null());
    command
}

/// Why the rows that need the program are missing.
pub(crate) fn missing() -> Box<dyn std::error::Error + Send + Sync> {
    "the release program `orchestra` is not built".into()
}
