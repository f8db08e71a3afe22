//! The agents the product knows, and what the engine asks of each.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use orchestra_core::AgentEvent;
use orchestra_process::{CommandSpec, Exit};

use crate::amp;

/// A program that edits code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    /// Sourcegraph's Amp.
    Amp,
    /// The scripted agent that ships with the product; it speaks Amp's command line.
    Demo,
}

/// What one turn of an agent needs.
#[derive(Debug, Clone)]
pub struct TurnRequest<'a> {
    /// How to start the agent: a program and leading arguments.
    pub program: &'a [OsString],
    /// What this build of the agent can do.
    pub features: &'a Features,
    /// The directory it works in.
    pub worktree: &'a Path,
    /// What it is asked to do.
    pub prompt: &'a str,
    /// The conversation to continue.
    pub thread: Option<&'a str>,
    /// The model asked for.
    pub model: Option<&'a str>,
    /// The child's whole environment.
    pub environment: &'a BTreeMap<OsString, OsString>,
    /// Where the agent writes its own log.
    pub log_file: &'a Path,
}

/// What a build of an agent can do, learned from its help text once per binary.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Features {
    /// The version it tells.
    pub version: Option<String>,
    /// Long flags named in its help text.
    pub flags: Vec<String>,
}

impl Features {
    /// Reads version and help text.
    #[must_use]
    pub fn from_texts(version: &str, help: &str) -> Self {
        let mut flags: Vec<String> = help
            .split(|char: char| !(char.is_ascii_alphanumeric() || char == '-'))
            .filter(|word| word.starts_with("--") && word.len() > 2)
            .map(str::to_owned)
            .collect();
        flags.sort();
        flags.dedup();
        Self {
            version: version.split_whitespace().next().map(str::to_owned),
            flags,
        }
    }

    /// Whether the help text names a flag.
    #[must_use]
    pub fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|known| known == flag)
    }
}

/// Whether the agent can be expected to be logged in. Only names and existence are looked at, never a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login {
    /// A key is in the environment it gets.
    Key,
    /// It was logged in on this machine before.
    Stored,
    /// It needs none.
    NotNeeded,
    /// Nothing was found: it would wait for a login.
    Missing,
}

/// Why an agent cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// No agent has this name.
    #[error("there is no agent called `{name}`")]
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// Its program was not found.
    #[error("the program `{program}` of the agent `{agent}` was not found")]
    Missing {
        /// The agent.
        agent: &'static str,
        /// The program looked for.
        program: String,
    },
    /// It has no login.
    #[error("the agent `{agent}` is not logged in")]
    NotLoggedIn {
        /// The agent.
        agent: &'static str,
    },
}

impl AgentError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "agent.unknown",
            Self::Missing { .. } => "agent.missing",
            Self::NotLoggedIn { .. } => "agent.not_logged_in",
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unknown { name } => unknown_hint(name),
            Self::Missing { agent, .. } => format!(
                "install it, or say where it is: orchestra config set agents.{agent}.command /path/to/program; \
                 `--agent demo` works without installing anything"
            ),
            Self::NotLoggedIn { .. } => {
                "run `amp login` in a terminal, or set AMP_API_KEY".to_owned()
            }
        })
    }
}

/// Names that share less are no help.
const ALIKE: f64 = 0.5;

fn unknown_hint(wanted: &str) -> String {
    let names = Agent::ALL.map(Agent::name);
    let likeness =
        |name: &&str| strsim::normalized_damerau_levenshtein(&wanted.to_lowercase(), name);
    let nearest = names
        .into_iter()
        .max_by(|left, right| likeness(left).total_cmp(&likeness(right)))
        .filter(|name| likeness(name) >= ALIKE);
    let known = format!("the agents are: {}", names.join(", "));
    match nearest {
        Some(name) => format!("did you mean `{name}`? {known}"),
        None => known,
    }
}

impl Agent {
    /// All agents.
    pub const ALL: [Self; 2] = [Self::Amp, Self::Demo];

    /// The agent with this name.
    ///
    /// # Errors
    /// [`AgentError::Unknown`] if there is none.
    pub fn named(name: &str) -> Result<Self, AgentError> {
        Self::ALL
            .into_iter()
            .find(|agent| agent.name() == name)
            .ok_or_else(|| AgentError::Unknown {
                name: name.to_owned(),
            })
    }

    /// The name used in commands and settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Amp => "amp",
            Self::Demo => "demo",
        }
    }

    /// The program looked for when the settings name none.
    #[must_use]
    pub const fn default_program(self) -> &'static str {
        match self {
            Self::Amp => "amp",
            Self::Demo => "fake-amp",
        }
    }

    /// The command of one turn.
    #[must_use]
    pub fn command(self, request: &TurnRequest<'_>) -> CommandSpec {
        match self {
            Self::Amp | Self::Demo => amp::command(request),
        }
    }

    /// A decoder for one turn's output.
    #[must_use]
    pub fn decoder(self) -> Decoder {
        match self {
            Self::Amp | Self::Demo => Decoder::Amp(amp::AmpDecoder::default()),
        }
    }

    /// Whether it can be expected to be logged in, given the environment it would get.
    #[must_use]
    pub fn login(
        self,
        environment: &BTreeMap<OsString, OsString>,
        exists: impl Fn(&Path) -> bool,
    ) -> Login {
        match self {
            Self::Demo => Login::NotNeeded,
            Self::Amp => {
                let value = |name: &str| {
                    environment
                        .get(OsStr::new(name))
                        .filter(|value| !value.is_empty())
                };
                if value("AMP_API_KEY").is_some() {
                    return Login::Key;
                }
                let data = value("XDG_DATA_HOME")
                    .map(PathBuf::from)
                    .or_else(|| value("HOME").map(|home| Path::new(home).join(".local/share")));
                match data {
                    Some(data) if exists(&data.join("amp/secrets.json")) => Login::Stored,
                    _ => Login::Missing,
                }
            }
        }
    }
}

/// Turns an agent's output into events, line by line.
#[derive(Debug)]
pub enum Decoder {
    /// Amp's stream-json.
    Amp(amp::AmpDecoder),
}

impl Decoder {
    /// Decodes one line of standard output, without its line break.
    pub fn line(&mut self, line: &[u8]) -> Vec<AgentEvent> {
        match self {
            Self::Amp(decoder) => decoder.line(line),
        }
    }

    /// Whether the agent has said how the turn ended, so that only its process has to end.
    #[must_use]
    pub fn is_over(&self) -> bool {
        match self {
            Self::Amp(decoder) => decoder.is_over(),
        }
    }

    /// Says how the turn ended, once the process is gone: always one `awaiting_input`, `finished` or `failed` event.
    pub fn finish(&mut self, exit: Exit, stderr_tail: &str) -> AgentEvent {
        match self {
            Self::Amp(decoder) => decoder.finish(exit, stderr_tail),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_found_in_help_text() {
        let features = Features::from_texts(
            "0.0.1790142911-g7618fb (released 2026-09-23T05:55:11.000Z, 1mo ago)\n",
            "  -x, --execute [message]  Run\n  --no-archive-after-execute  Keep (see --stream-json)\n -- \n",
        );
        assert_eq!(features.version.as_deref(), Some("0.0.1790142911-g7618fb"));
        assert_eq!(
            features.flags,
            ["--execute", "--no-archive-after-execute", "--stream-json"]
        );
        assert!(features.has("--stream-json") && !features.has("--stream"));
    }

    #[test]
    fn login_is_judged_without_reading_a_secret() {
        let environment = |pairs: &[(&str, &str)]| -> BTreeMap<OsString, OsString> {
            pairs
                .iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect()
        };
        let nothing = |_: &Path| false;
        assert_eq!(
            Agent::Amp.login(&environment(&[("AMP_API_KEY", "x")]), nothing),
            Login::Key
        );
        assert_eq!(
            Agent::Amp.login(
                &environment(&[("AMP_API_KEY", ""), ("HOME", "/h")]),
                nothing
            ),
            Login::Missing
        );
        let stored = |path: &Path| path == Path::new("/h/.local/share/amp/secrets.json");
        assert_eq!(
            Agent::Amp.login(&environment(&[("HOME", "/h")]), stored),
            Login::Stored
        );
        assert_eq!(
            Agent::Amp.login(&environment(&[]), |_| true),
            Login::Missing
        );
        assert_eq!(
            Agent::Demo.login(&environment(&[]), nothing),
            Login::NotNeeded
        );
    }

    #[test]
    fn agents_are_found_by_name() {
        for agent in Agent::ALL {
            assert_eq!(Agent::named(agent.name()).unwrap(), agent);
        }
        let error = Agent::named("nope").unwrap_err();
        assert_eq!(error.code(), "agent.unknown");
        for (wanted, meant) in [("apm", "amp"), ("Demo", "demo"), ("demos", "demo")] {
            let hint = Agent::named(wanted).unwrap_err().hint().unwrap();
            assert!(
                hint.starts_with(&format!("did you mean `{meant}`?")),
                "{hint}"
            );
        }
        let hint = Agent::named("hal").unwrap_err().hint().unwrap();
        assert_eq!(hint, "the agents are: amp, demo");
        assert_eq!(error.hint().as_deref(), Some("the agents are: amp, demo"));
    }
}
