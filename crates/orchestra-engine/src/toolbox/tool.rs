//! Asking a tool what it is, and letting it do its work: under a guardian, for a time, and for an amount of output.

use std::path::{Path, PathBuf};
use std::time::Duration;

use orchestra_agents::toolbox::{
    ACTION, BadInput, DESCRIBE, EXECUTE, ToolDescription, read_description, tool_input,
};
use orchestra_config::child_env::Variables;
use orchestra_process::{CommandSpec, Exit, Guardian, Marker, ProcessError, ResourceLimits, Stdin};
use serde_json::{Map, Value};

use super::bounded::{self, Bound, Bounded, Bounds};

/// Longest description, in bytes.
const LONGEST_DESCRIPTION: usize = 256 * 1024;
/// Longest answer of a tool, in bytes; more would fill the memory of any agent.
const LONGEST_ANSWER: usize = 4 * 1024 * 1024;

/// Runs the tools of one directory.
#[derive(Debug, Clone)]
pub struct ToolRunner {
    pub(crate) guardian: Guardian,
    pub(crate) environment: Variables,
    /// Where tools work.
    pub(crate) directory: PathBuf,
    pub(crate) marker: Marker,
    /// Longest time for one use.
    pub(crate) timeout: Duration,
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutput {
    /// What it printed.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// How it ended.
    pub exit: Exit,
}

/// Why a tool gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// It cannot be given what it takes.
    #[error(transparent)]
    Input(#[from] BadInput),
    /// It could not be started.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// It took too long.
    #[error("the tool took longer than {} s and was ended", .0.as_secs_f32())]
    TooSlow(Duration),
    /// It said too much.
    #[error("the tool printed more than 4 MiB and was ended")]
    TooMuch,
    /// Nobody knows how it ended.
    #[error("the tool could not be ended")]
    Stuck,
}

impl ToolRunner {
    /// What a tool tells of itself, or why it cannot be used.
    pub(crate) fn describe(&self, tool: &Path, time: Duration) -> Result<ToolDescription, String> {
        let spec = self.spec(tool, DESCRIBE);
        let bounds = Bounds {
            time,
            output: LONGEST_DESCRIPTION,
        };
        let done = self.run(&spec, bounds).map_err(|error| error.to_string())?;
        match done.hit {
            Some(Bound::Time) => {
                let limit = time.as_secs_f32();
                return Err(format!("it took longer than {limit} s to tell what it is"));
            }
            Some(Bound::Output) => return Err("its description has no end".to_owned()),
            None => {}
        }
        match done.ended {
            Some(ended) if !ended.exit.is_success() => {
                let exit = ended.exit;
                Err(format!("it ended with {exit} when asked what it is"))
            }
            Some(ended) if ended.swept > 0 => {
                Err("it left processes running when asked what it is".to_owned())
            }
            Some(_) => read_description(&done.stdout).map_err(|error| error.to_string()),
            None => Err("it could not be ended".to_owned()),
        }
    }

    /// Lets a tool do its work.
    pub(crate) fn execute(
        &self,
        tool: &Path,
        described: &ToolDescription,
        parameters: &Map<String, Value>,
    ) -> Result<ToolOutput, ToolError> {
        let input = tool_input(described, parameters)?;
        let spec = self.spec(tool, EXECUTE).stdin(Stdin::Bytes(input));
        let bounds = Bounds {
            time: self.timeout,
            output: LONGEST_ANSWER,
        };
        let done = self.run(&spec, bounds)?;
        match (done.hit, done.ended) {
            (Some(Bound::Time), _) => Err(ToolError::TooSlow(self.timeout)),
            (Some(Bound::Output), _) => Err(ToolError::TooMuch),
            (None, None) => Err(ToolError::Stuck),
            (None, Some(ended)) => Ok(ToolOutput {
                stdout: String::from_utf8_lossy(&done.stdout).into_owned(),
                stderr: String::from_utf8_lossy(&done.stderr).into_owned(),
                exit: ended.exit,
            }),
        }
    }

    fn spec(&self, tool: &Path, action: &str) -> CommandSpec {
        CommandSpec::new(tool, &self.directory)
            .envs(&self.environment)
            .env(ACTION, action)
    }

    fn run(&self, spec: &CommandSpec, bounds: Bounds) -> Result<Bounded, ProcessError> {
        let resources = ResourceLimits::default();
        bounded::run(&self.guardian, spec, &resources, &self.marker, bounds)
    }
}
