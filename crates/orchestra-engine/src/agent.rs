//! Finding an agent's program, what its build can do, and whether it is logged in.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use orchestra_agents::{Abilities, Agent, AgentError, Features, Login, Surroundings};
use orchestra_config::child_env::{self, Variables};
use orchestra_config::variables::{AMP_API_KEY, PATH};
use orchestra_config::{Resolved, Settings, Warning};
use orchestra_core::AgentProtocol;
use orchestra_process::{CommandSpec, find_program};
use serde::{Deserialize, Serialize};

use crate::agent_probe::AT_A_LOOK;
use crate::places::write_private;
use crate::prices::strange_lines;
use crate::{Engine, EngineError};

const PRICE_FILE: &str = "agents.price_file";

/// A longer conversation is not read for the name of its model.
const LONGEST_RECORD: u64 = 64 * 1024 * 1024;

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
    pub name: String,
    /// Its program, if it was found.
    pub program: Option<PathBuf>,
    /// Whether it can be expected to be logged in.
    pub login: Login,
    /// How a user logs in.
    pub login_hint: &'static str,
}

/// What is known about an agent on this machine, and what its program says of itself.
#[derive(Debug, Clone)]
pub struct AgentDetails {
    /// What is known without asking the program.
    pub report: AgentReport,
    /// How it is talked with.
    pub protocol: AgentProtocol,
    /// What it is started with.
    pub command: Vec<String>,
    /// The model that the settings name.
    pub model: Option<String>,
    /// The version it tells; `None` if it is not installed or does not tell.
    pub version: Option<String>,
    /// What can be done with it.
    pub abilities: Abilities,
    /// Whether new sessions get it.
    pub is_default: bool,
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
        let agent = engine.agent_named(name)?;
        let environment = engine.agent_variables(&agent);
        let program = engine.agent_program(&agent, &environment);
        let program = program.ok_or_else(|| {
            let program = engine.agent_words(&agent).into_iter().next();
            unusable(name, program.unwrap_or_default())
        })?;
        if login(&agent, &environment) == Login::Missing {
            return Err(AgentError::NotLoggedIn {
                agent: name.to_owned(),
                hint: agent.login_hint(),
            }
            .into());
        }
        Ok(Self {
            agent,
            program,
            environment,
        })
    }

    /// What this build can do; asked once per build and remembered. The limit is that of each question.
    pub(crate) fn features(&self, engine: &Engine, limit: Duration) -> Features {
        if !self.agent.tells_features() {
            return Features::default();
        }
        let file = format!("agent-{}.json", self.agent.name());
        let file = engine.dirs.root().join(file);
        let build = Build::of(&self.program);
        if let Some(known) = remembered(&file).filter(|known| Some(&known.build) == build.as_ref())
        {
            return known.features;
        }
        let ask = |flag| engine.ask_program(&self.question(flag)?, limit);
        let version = ask("--version");
        // One that does not even tell its version is not waited for again.
        let help = version.as_ref().and_then(|_| ask("--help"));
        let answered = version.is_some() && help.is_some();
        let features =
            Features::from_texts(&version.unwrap_or_default(), &help.unwrap_or_default());
        if let Some(build) = build.filter(|_| answered) {
            let features = features.clone();
            remember(&file, &Remembered { build, features });
        }
        features
    }

    /// The model that worked on a conversation, where only a file of the agent's own tells.
    pub(crate) fn recorded_model(&self, thread: &str) -> Option<String> {
        let surroundings = Surroundings {
            environment: &self.environment,
            exists: &Path::exists,
        };
        let record = self.agent.record_of(thread, &surroundings)?;
        let record = read_record(&record).ok().flatten()?;
        self.agent.model_in(&record)
    }

    /// The program with a flag that makes it tell something.
    fn question(&self, flag: &str) -> Option<CommandSpec> {
        let (program, leading) = self.program.split_first()?;
        let spec = CommandSpec::new(program, std::env::temp_dir());
        Some(spec.args(leading).arg(flag).envs(&self.environment))
    }
}

/// Why a program cannot be started that was looked for in vain.
fn unusable(agent: &str, program: String) -> AgentError {
    let agent = agent.to_owned();
    match Path::new(&program).is_file() && Path::new(&program).components().count() > 1 {
        true => AgentError::NotExecutable { agent, program },
        false => AgentError::Missing { agent, program },
    }
}

/// The content of a regular file, unless it is too long.
fn read_record(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = open_record(path)?;
    let facts = file.metadata()?;
    if !facts.is_file() || facts.len() > LONGEST_RECORD {
        return Ok(None);
    }
    let mut record = Vec::new();
    // It may grow meanwhile.
    file.take(LONGEST_RECORD).read_to_end(&mut record)?;
    Ok(Some(record))
}

/// Agents put what they like where their records are: a link is not followed, and a pipe is not waited for.
#[cfg(unix)]
fn open_record(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open_record(path: &Path) -> io::Result<File> {
    File::open(path)
}

fn login(agent: &Agent, environment: &Variables) -> Login {
    agent.login(&Surroundings {
        environment,
        exists: &Path::exists,
    })
}

/// The agents there are: those that are known, and those that the settings describe.
fn agent_names(settings: &Settings) -> Vec<String> {
    let described = settings.agents.named.iter();
    let described = described.filter(|(_, agent)| agent.protocol.is_some());
    let mut names: Vec<String> = Agent::built_in_names().map(str::to_owned).collect();
    names.extend(described.map(|(name, _)| name.clone()));
    names.sort();
    names.dedup();
    names
}

/// Settings of agents that have no effect: those for agents that do not exist, and a file that is not there or has no prices.
pub(crate) fn vain_settings(resolved: &Resolved) -> Vec<Warning> {
    let mut warnings = unknown_agents(resolved);
    let prices = resolved.settings.agents.price_file.as_ref();
    warnings.extend(
        prices
            .filter(|path| !path.is_file())
            .map(|path| Warning::MissingFile {
                key: PRICE_FILE.to_owned(),
                path: path.clone(),
            }),
    );
    warnings.extend(prices.and_then(|path| {
        let lines = strange_lines(path);
        (!lines.is_empty()).then(|| Warning::StrangeLines {
            key: PRICE_FILE.to_owned(),
            path: path.clone(),
            lines,
        })
    }));
    warnings
}

fn unknown_agents(resolved: &Resolved) -> Vec<Warning> {
    let known = agent_names(&resolved.settings);
    let is_unknown = |key: &str| {
        let mut parts = key.split('.');
        let (first, name, field) = (parts.next(), parts.next(), parts.next());
        let name = name.filter(|_| first == Some("agents") && field.is_some());
        name.is_some_and(|name| !known.iter().any(|known| known == name))
    };
    let values = resolved.values.iter();
    let unknown = values.filter(|value| value.value.is_some() && is_unknown(&value.key));
    unknown
        .map(|value| Warning::UnknownAgent {
            key: value.key.clone(),
            origin: value.origin.clone(),
            known: known.clone(),
        })
        .collect()
}

impl Engine {
    /// Refuses an agent that is unknown, missing or would wait for a login in an environment; the setting's where none is
    /// named.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn check_agent(
        &self,
        name: Option<&str>,
        environment: Option<&str>,
    ) -> Result<(), EngineError> {
        let name = name.unwrap_or(&self.config().agents.default);
        let placed = self.placed_in(environment, name)?;
        ReadyAgent::find(placed.as_ref().unwrap_or(self), name).map(|_| ())
    }

    /// What is known about every agent on this machine.
    #[must_use]
    pub fn agents(&self) -> Vec<AgentReport> {
        let names = agent_names(self.config());
        let agents = names.iter().filter_map(|name| self.agent_named(name).ok());
        agents.map(|agent| self.report_on(&agent)).collect()
    }

    /// The same with what their programs say of themselves, which may take a while the first time.
    #[must_use]
    pub fn agent_details(&self) -> Vec<AgentDetails> {
        let names = agent_names(self.config());
        let agents: Vec<Agent> = names
            .iter()
            .filter_map(|name| self.agent_named(name).ok())
            .collect();
        std::thread::scope(|scope| {
            let asked: Vec<_> = agents
                .iter()
                .map(|agent| scope.spawn(|| self.details_of(agent)))
                .collect();
            let answers = asked.into_iter();
            answers.filter_map(|answer| answer.join().ok()).collect()
        })
    }

    /// The same of one agent.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn agent_details_of(&self, name: &str) -> Result<AgentDetails, EngineError> {
        Ok(self.details_of(&self.agent_named(name)?))
    }

    fn details_of(&self, agent: &Agent) -> AgentDetails {
        let environment = self.agent_variables(agent);
        let program = self.agent_program(agent, &environment);
        let features = program.map(|program| {
            let ready = ReadyAgent {
                agent: agent.clone(),
                program,
                environment,
            };
            ready.features(self, AT_A_LOOK)
        });
        let features = features.unwrap_or_default();
        AgentDetails {
            report: self.report_on(agent),
            protocol: agent.protocol(),
            command: self.agent_words(agent),
            model: self.agent_model(agent.name()),
            abilities: agent.abilities(&features),
            is_default: self.config().agents.default == agent.name(),
            version: features.version,
        }
    }

    fn report_on(&self, agent: &Agent) -> AgentReport {
        let environment = self.agent_variables(agent);
        let program = self.agent_program(agent, &environment);
        AgentReport {
            name: agent.name().to_owned(),
            program: program
                .and_then(|words| words.into_iter().next())
                .map(PathBuf::from),
            login: login(agent, &environment),
            login_hint: agent.login_hint(),
        }
    }

    /// The agent with this name: one that the settings describe, or one that is known.
    pub(crate) fn agent_named(&self, name: &str) -> Result<Agent, AgentError> {
        let described = self.config().agents.named.get(name);
        let described = described.and_then(|agent| agent.protocol);
        let agent = described.map(|protocol| Agent::described(name, protocol));
        agent
            .or_else(|| Agent::built_in(name))
            .ok_or_else(|| AgentError::Unknown {
                name: name.to_owned(),
                known: agent_names(self.config()),
            })
    }

    pub(crate) fn agent_variables(&self, agent: &Agent) -> Variables {
        // The scripted agent speaks as Amp does, but has no use for Amp's key.
        let protocol = (!agent.is_demo()).then(|| agent.protocol());
        let mut variables =
            child_env::agent_environment(&self.environment, self.config(), agent.name(), protocol);
        if let Some(path) = self.path_of_agents(variables.get(OsStr::new(PATH))) {
            variables.insert(PATH.into(), path);
        }
        if agent.is_demo() {
            let scripted = self
                .environment
                .iter()
                .filter(|(name, _)| name.to_string_lossy().starts_with("FAKE_AMP_"));
            variables.extend(scripted.map(|(name, value)| (name.to_owned(), value.to_owned())));
            // The scripted agent has no server, so nothing secret is needed to pass its login.
            variables.insert(AMP_API_KEY.into(), "demo".into());
        }
        variables.extend(self.place.variables.clone());
        variables
    }

    /// Where an agent finds programs, if that is not where everybody does.
    fn path_of_agents(&self, usual: Option<&OsString>) -> Option<OsString> {
        let first = &self.place.path;
        let usual = usual.map(std::env::split_paths).into_iter().flatten();
        let whole = first.iter().cloned().chain(usual);
        (!first.is_empty()).then(|| std::env::join_paths(whole).ok())?
    }

    fn agent_words(&self, agent: &Agent) -> Vec<String> {
        if let Some((name, words)) = &self.place.command
            && name == agent.name()
        {
            return words.clone();
        }
        let named = self
            .config()
            .agents
            .named
            .get(agent.name())
            .and_then(|settings| settings.command.clone());
        named.unwrap_or_else(|| agent.default_words().to_vec())
    }

    /// The program with its leading arguments; the scripted agent also counts when it lies beside this program.
    fn agent_program(&self, agent: &Agent, environment: &Variables) -> Option<Vec<OsString>> {
        let words = self.agent_words(agent);
        let (program, leading) = words.split_first()?;
        let search_path = environment.get(OsStr::new("PATH")).map(OsString::as_os_str);
        let leading = leading.iter().map(OsString::from);
        if is_node_script(Path::new(program)) {
            let node = find_program(Path::new("node"), search_path)?;
            let start = [node.into_os_string(), program.into()];
            return Some(start.into_iter().chain(leading).collect());
        }
        let beside = self
            .program
            .parent()
            .map(|directory| directory.join(program));
        let beside = beside.filter(|_| agent.is_demo());
        let found = beside.and_then(|path| find_program(&path, None));
        let found = found.or_else(|| find_program(Path::new(program), search_path))?;
        Some(
            std::iter::once(found.into_os_string())
                .chain(leading)
                .collect(),
        )
    }
}

/// An entry point that Node runs, whether or not it may be run by itself.
fn is_node_script(program: &Path) -> bool {
    let ending = program.extension().and_then(OsStr::to_str);
    ending.is_some_and(|ending| ["js", "mjs", "cjs"].contains(&ending)) && program.is_file()
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
        .and_then(|json| write_private(file, &json, 0o600));
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
    #[cfg(unix)]
    #[test]
    fn only_a_regular_file_is_read_as_a_record() {
        let directory = tempfile::tempdir().unwrap();
        let place = |name: &str| directory.path().join(name);
        fs::write(place("record"), "text").unwrap();
        assert_eq!(
            read_record(&place("record")).unwrap(),
            Some(b"text".to_vec())
        );
        std::os::unix::fs::symlink(place("record"), place("link")).unwrap();
        assert!(read_record(&place("link")).is_err());
        let mode = rustix::fs::Mode::RWXU;
        rustix::fs::mkfifoat(rustix::fs::CWD, place("pipe"), mode).unwrap();
        assert_eq!(read_record(&place("pipe")).unwrap(), None);
        assert_eq!(read_record(directory.path()).unwrap(), None);
        let long = File::create(place("long")).unwrap();
        long.set_len(LONGEST_RECORD + 1).unwrap();
        assert_eq!(read_record(&place("long")).unwrap(), None);
    }
}
