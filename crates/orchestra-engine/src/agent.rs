//! Finding an agent's program, what its build can do, and whether it is logged in.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use orchestra_agents::{Agent, AgentError, Features, Login};
use orchestra_config::child_env::{self, Variables};
use orchestra_config::variables::AMP_API_KEY;
use orchestra_config::{Resolved, Warning};
use orchestra_process::{CommandSpec, Limits, capture, find_program};
use serde::{Deserialize, Serialize};

use crate::{Engine, EngineError};

/// Amp needs several seconds to start, and up to twenty on a loaded machine.
const ASK_LIMITS: Limits = Limits {
    timeout: Duration::from_secs(60),
    max_output: 4 * 1024 * 1024,
};

/// An agent that can be started.
#[derive(Debug, Clone)]
pub(crate) struct ReadyAgent {
    pub(crate) agent: Agent,
    pub(crate) program: Vec<OsString>,
    pub(crate) environment: Variables,
}

/// What is known about an agent on this machine.
#[derive(Debug, Clone)]
pub struct AgentReport {
    /// The agent's name.
    pub name: &'static str,
    /// Its program, if it was found.
    pub program: Option<PathBuf>,
    /// Whether it can be expected to be logged in.
    pub login: Login,
}

/// What a program said about itself, and the words and files it was then.
#[derive(Serialize, Deserialize)]
struct Remembered {
    build: Build,
    features: Features,
}

/// What decides which build answers: the words, and every file they name by its whole path. An agent may be a script behind its interpreter.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Build {
    words: Vec<String>,
    files: Vec<Stamp>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    modified_ms: u128,
    length: u64,
}

impl ReadyAgent {
    /// Finds the agent and refuses one that is missing or would wait for a login.
    pub(crate) fn find(engine: &Engine, name: &str) -> Result<Self, EngineError> {
        let agent = Agent::named(name)?;
        let environment = engine.agent_variables(agent);
        let program =
            engine
                .agent_program(agent, &environment)
                .ok_or_else(|| AgentError::Missing {
                    agent: agent.name(),
                    program: engine
                        .agent_words(agent)
                        .first()
                        .cloned()
                        .unwrap_or_default(),
                })?;
        if agent.login(&environment, Path::exists) == Login::Missing {
            return Err(AgentError::NotLoggedIn {
                agent: agent.name(),
            }
            .into());
        }
        Ok(Self {
            agent,
            program,
            environment,
        })
    }

    /// What this build can do; asked once per build and remembered.
    pub(crate) fn features(&self, engine: &Engine) -> Features {
        let file = format!("agent-{}.json", self.agent.name());
        let file = engine.dirs.root().join(file);
        let build = Build::of(&self.program);
        if let Some(known) = remembered(&file).filter(|known| Some(&known.build) == build.as_ref())
        {
            return known.features;
        }
        let (version, help) = (self.ask("--version"), self.ask("--help"));
        let answered = version.is_some() && help.is_some();
        let features =
            Features::from_texts(&version.unwrap_or_default(), &help.unwrap_or_default());
        if let Some(build) = build.filter(|_| answered) {
            let features = features.clone();
            remember(&file, &Remembered { build, features });
        }
        features
    }

    /// What the program prints; `None` if it fails to answer.
    fn ask(&self, flag: &str) -> Option<String> {
        let (program, leading) = self.program.split_first()?;
        let spec = CommandSpec::new(program, std::env::temp_dir())
            .args(leading)
            .arg(flag)
            .envs(&self.environment);
        match capture(&spec, ASK_LIMITS) {
            Ok(answer) if answer.exit.is_success() => {
                Some(String::from_utf8_lossy(&answer.stdout).into_owned())
            }
            Ok(answer) => {
                tracing::warn!(exit = %answer.exit, flag, "the agent did not answer");
                None
            }
            Err(error) => {
                tracing::warn!(%error, flag, "the agent did not answer");
                None
            }
        }
    }
}

/// Settings for agents that do not exist, which nobody would ever look at.
pub(crate) fn unknown_agents(resolved: &Resolved) -> Vec<Warning> {
    let is_unknown = |key: &str| {
        let mut parts = key.split('.');
        let (first, name, field) = (parts.next(), parts.next(), parts.next());
        let name = name.filter(|_| first == Some("agents") && field.is_some());
        name.is_some_and(|name| Agent::named(name).is_err())
    };
    let values = resolved.values.iter();
    let unknown = values.filter(|value| value.value.is_some() && is_unknown(&value.key));
    unknown
        .map(|value| Warning::UnknownAgent {
            key: value.key.clone(),
            origin: value.origin.clone(),
            known: Agent::ALL.map(|agent| agent.name().to_owned()).to_vec(),
        })
        .collect()
}

impl Engine {
    /// Refuses an agent that is unknown, missing or would wait for a login; the setting's if none is named.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn check_agent(&self, name: Option<&str>) -> Result<(), EngineError> {
        let name = name.unwrap_or(&self.config().agents.default);
        ReadyAgent::find(self, name).map(|_| ())
    }

    /// What is known about every agent on this machine.
    #[must_use]
    pub fn agents(&self) -> Vec<AgentReport> {
        Agent::ALL
            .into_iter()
            .map(|agent| {
                let environment = self.agent_variables(agent);
                let program = self.agent_program(agent, &environment);
                AgentReport {
                    name: agent.name(),
                    program: program
                        .and_then(|words| words.into_iter().next())
                        .map(PathBuf::from),
                    login: agent.login(&environment, Path::exists),
                }
            })
            .collect()
    }

    fn agent_variables(&self, agent: Agent) -> Variables {
        let mut variables =
            child_env::agent_environment(&self.environment, self.config(), agent.name());
        if agent == Agent::Demo {
            let scripted = self
                .environment
                .iter()
                .filter(|(name, _)| name.to_string_lossy().starts_with("FAKE_AMP_"));
            variables.extend(scripted.map(|(name, value)| (name.to_owned(), value.to_owned())));
            // The scripted agent has no server, so nothing secret is needed to pass its login.
            variables.insert(AMP_API_KEY.into(), "demo".into());
        }
        variables
    }

    fn agent_words(&self, agent: Agent) -> Vec<String> {
        let named = self
            .config()
            .agents
            .named
            .get(agent.name())
            .and_then(|settings| settings.command.clone());
        named.unwrap_or_else(|| vec![agent.default_program().to_owned()])
    }

    /// The program with its leading arguments; the scripted agent also counts when it lies beside this program.
    fn agent_program(&self, agent: Agent, environment: &Variables) -> Option<Vec<OsString>> {
        let words = self.agent_words(agent);
        let (program, leading) = words.split_first()?;
        let search_path = environment.get(OsStr::new("PATH")).map(OsString::as_os_str);
        let beside = self
            .program
            .parent()
            .map(|directory| directory.join(program));
        let found = match agent {
            Agent::Demo => beside.and_then(|path| find_program(&path, None)),
            Agent::Amp => None,
        };
        let found = found.or_else(|| find_program(Path::new(program), search_path))?;
        let leading = leading.iter().map(OsString::from);
        Some(
            std::iter::once(found.into_os_string())
                .chain(leading)
                .collect(),
        )
    }
}

impl Build {
    /// `None` if the program cannot be looked at: then nothing about it can be remembered.
    fn of(program: &[OsString]) -> Option<Self> {
        let files = program.iter().map(Path::new);
        let files: Vec<Stamp> = files
            .filter(|path| path.is_absolute())
            .filter_map(Stamp::of)
            .collect();
        Stamp::of(Path::new(program.first()?))?;
        let words = program
            .iter()
            .map(|word| word.to_string_lossy().into_owned());
        Some(Self {
            words: words.collect(),
            files,
        })
    }
}

impl Stamp {
    fn of(file: &Path) -> Option<Self> {
        let metadata = fs::metadata(file).ok()?;
        let modified = metadata.modified().ok()?;
        let modified = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(Self {
            modified_ms: modified.as_millis(),
            length: metadata.len(),
        })
    }
}

fn remembered(file: &Path) -> Option<Remembered> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

fn remember(file: &Path, what: &Remembered) {
    let written = serde_json::to_vec(what)
        .map_err(std::io::Error::from)
        .and_then(|json| fs::write(file, json));
    if let Err(error) = written {
        tracing::debug!(%error, "cannot remember what the agent can do");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_script_behind_the_same_interpreter_is_another_build() {
        let directory = tempfile::tempdir().unwrap();
        let interpreter = directory.path().join("node");
        let script = directory.path().join("amp.js");
        fs::write(&interpreter, "node").unwrap();
        fs::write(&script, "one").unwrap();
        let words = [interpreter.clone().into(), script.clone().into()];
        let first = Build::of(&words).unwrap();
        assert_eq!(Build::of(&words).unwrap(), first);
        fs::write(&script, "another").unwrap();
        let second = Build::of(&words).unwrap();
        assert_ne!(second, first);
        fs::write(&interpreter, "newer node").unwrap();
        assert_ne!(Build::of(&words).unwrap(), second);
        let more = [&words[..], &["--beta".into()]].concat();
        assert_ne!(Build::of(&more).unwrap().words, second.words);
        fs::remove_file(&interpreter).unwrap();
        assert_eq!(Build::of(&words), None);
    }
}
