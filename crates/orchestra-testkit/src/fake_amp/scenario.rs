//! Scenario files: what the scripted agent does in each turn.
//!
//! A scenario is TOML (or JSON with the same names). `[[step]]` tables run in order, in every turn:
//!
//! ```toml
//! pace_ms = 0
//!
//! [[step]]
//! do = "message"
//! text = "Updating the greeting."
//!
//! [[step]]
//! do = "edit"
//! path = "hello.txt"
//! old = "hello world"
//! new = "hello amp"
//! ```
//!
//! `[[turn]]` tables give each turn of a thread its own steps; the last one repeats:
//!
//! ```toml
//! [[turn]]
//! steps = [{ do = "ask", text = "Which name shall I use?" }]
//!
//! [[turn]]
//! steps = [{ do = "write", path = "name.txt", text = "amp\n" }]
//! ```
//!
//! Paths are relative to the directory the agent runs in.

mod step;

use std::path::{Path, PathBuf};

use serde::Deserialize;

pub use step::{SecretSink, SpawnShape, Step};

/// A whole scenario.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The pause before each step in milliseconds; overrides the `pace-ms` knob.
    pub pace_ms: Option<u64>,
    /// Steps of every turn, when `turn` is not used.
    #[serde(default, rename = "step", alias = "steps")]
    pub steps: Vec<Step>,
    /// Steps per turn of a thread; the last entry repeats.
    #[serde(default, rename = "turn", alias = "turns")]
    pub turns: Vec<Turn>,
}

/// One turn of a thread.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Fail in a way of Amp's own instead of running the steps.
    pub fault: Option<Fault>,
    /// What to do.
    #[serde(default, rename = "step", alias = "steps")]
    pub steps: Vec<Step>,
}

/// Failures of Amp itself. Their text, place and exit code depend on the build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The server cannot be reached.
    Offline,
    /// The server answers 401.
    Unauthorized,
    /// The server answers 404.
    NotFound,
    /// The server answers 500.
    ServerError,
    /// The server answers `{}`.
    EmptyReply,
    /// The connection for the turn is refused.
    WebSocket,
    /// The model provider is overloaded.
    Overloaded,
    /// The model provider answers 402.
    PaymentRequired,
    /// A permission rule wants an approval.
    ApprovalRequired,
}

/// Why a scenario cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// The file cannot be read.
    #[error("cannot read scenario {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The file is not valid TOML, or names an unknown step or field.
    #[error("invalid scenario {}", path.display())]
    InvalidToml {
        /// The file.
        path: PathBuf,
        /// Where and what.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// The file is not valid JSON, or names an unknown step or field.
    #[error("invalid scenario {}", path.display())]
    InvalidJson {
        /// The file.
        path: PathBuf,
        /// Where and what.
        #[source]
        source: serde_json::Error,
    },
}

impl ScenarioError {
    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "scenario.unreadable",
            Self::InvalidToml { .. } | Self::InvalidJson { .. } => "scenario.invalid",
        }
    }

    /// What can be done next.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unreadable { .. } => Some("check the path of the scenario file".to_owned()),
            Self::InvalidToml { .. } | Self::InvalidJson { .. } => Some(
                "each step is a table with `do = \"<step>\"` and that step's fields".to_owned(),
            ),
        }
    }
}

impl Scenario {
    /// Reads a scenario file; `.json` files are JSON, all others TOML.
    pub fn load(path: &Path) -> Result<Self, ScenarioError> {
        let text = std::fs::read_to_string(path).map_err(|source| ScenarioError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            return serde_json::from_str(&text).map_err(|source| ScenarioError::InvalidJson {
                path: path.to_owned(),
                source,
            });
        }
        toml::from_str(&text).map_err(|source| ScenarioError::InvalidToml {
            path: path.to_owned(),
            source: Box::new(source),
        })
    }

    /// What to do in the turn with this number, counted from 0.
    pub fn turn(&self, number: usize) -> Turn {
        let last = self.turns.len().saturating_sub(1);
        match self.turns.get(number.min(last)) {
            Some(turn) => turn.clone(),
            None => Turn {
                fault: None,
                steps: self.steps.clone(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Scenario {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn the_last_turn_repeats() {
        let scenario = parsed(
            "[[turn]]\nsteps = [{ do = 'message', text = 'one' }]\n\
             [[turn]]\nsteps = [{ do = 'message', text = 'two' }]\n",
        );
        let text = |number| match &scenario.turn(number).steps[0] {
            Step::Message { text } => text.clone(),
            other => panic!("unexpected {other:?}"),
        };
        assert_eq!([text(0), text(1), text(5)], ["one", "two", "two"]);
    }

    #[test]
    fn misspelt_fields_are_refused() {
        let text = "[[step]]\ndo = 'message'\ntxet = 'hi'\n";
        assert!(toml::from_str::<Scenario>(text).is_err());
    }

    #[test]
    fn a_step_has_defaults() {
        let scenario = parsed("[[step]]\ndo = 'spawn'\nshape = 'setsid'\npid_file = 'p'\n");
        match &scenario.turn(0).steps[0] {
            Step::Spawn { shape, seconds, .. } => {
                assert_eq!((*shape, *seconds), (SpawnShape::Setsid, 60));
            }
            other => panic!("unexpected {other:?}"),
        }
    }

    #[test]
    fn the_example_of_the_documentation_parses() {
        let scenario = parsed(
            "pace_ms = 0\n[[step]]\ndo = 'edit'\npath = 'hello.txt'\nold = 'a'\nnew = 'b'\n",
        );
        assert_eq!(scenario.steps.len(), 1);
    }
}
