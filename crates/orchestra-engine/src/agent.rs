//! Finding an agent's program, what its build can do, and whether it is logged in.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use orchestra_agents::{Agent, AgentError, Features, Login};
use orchestra_config::child_env::{self, Variables};
use orchestra_config::variables::AMP_API_KEY;
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

/// What a program said about itself, and the file it was then.
#[derive(Serialize, Deserialize)]
struct Remembered {
    program: PathBuf,
    modified_ms: u128,
    length: u64,
    features: Features,
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

    /// What this build can do; asked once per binary and remembered.
    pub(crate) fn features(&self, engine: &Engine) -> Features {
        let Some(program) = self.program.first().map(PathBuf::from) else {
            return Features::default();
        };
        let remembered_in = engine
            .dirs
            .root()
            .join(format!("agent-{}.json", self.agent.name()));
        let stamp = stamp(&program);
        if let Some(known) = remembered(&remembered_in, &program, stamp) {
            return known;
        }
        let (version, help) = (self.ask("--version"), self.ask("--help"));
        let answered = version.is_some() && help.is_some();
        let features =
            Features::from_texts(&version.unwrap_or_default(), &help.unwrap_or_default());
        if let Some((modified_ms, length)) = stamp.filter(|_| answered) {
            let remember = Remembered {
                program,
                modified_ms,
                length,
                features: features.clone(),
            };
            let written = serde_json::to_vec(&remember)
                .map_err(std::io::Error::from)
                .and_then(|json| fs::write(&remembered_in, json));
            if let Err(error) = written {
                tracing::debug!(%error, "cannot remember what the agent can do");
            }
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

fn stamp(program: &Path) -> Option<(u128, u64)> {
    let metadata = fs::metadata(program).ok()?;
    let modified = metadata
        .modified()
        .ok()?
        .duration_since(std::time::UNIX_EPOCH)
        .ok()?;
    Some((modified.as_millis(), metadata.len()))
}

fn remembered(file: &Path, program: &Path, stamp: Option<(u128, u64)>) -> Option<Features> {
    let known: Remembered = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    let same = known.program == program && stamp == Some((known.modified_ms, known.length));
    same.then_some(known.features)
}
