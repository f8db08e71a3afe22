//! The agents the product knows, and what the engine asks of each.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use orchestra_core::{AgentProtocol, CostSource, PermissionPolicy};
use orchestra_process::CommandSpec;

use crate::adapter::{Adapter, Decoder};
use crate::mcp::McpServer;
use crate::needs::{self, Needs};
use crate::{acp, amp, claude, codex, command};

/// A program that edits code, by the name it has in commands and settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    name: String,
    protocol: AgentProtocol,
    words: Vec<String>,
}

/// The name of the scripted agent that ships with the product.
pub const DEMO: &str = "demo";

/// Agents that need no settings: name, protocol, and the words they are started with.
const BUILT_IN: [(&str, AgentProtocol, &[&str]); 5] = [
    ("amp", AgentProtocol::Amp, &["amp"]),
    ("claude", AgentProtocol::Claude, &["claude"]),
    ("codex", AgentProtocol::Codex, &["codex"]),
    ("opencode", AgentProtocol::Acp, &["opencode", "acp"]),
    (DEMO, AgentProtocol::Amp, &["fake-amp"]),
];

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
    /// The mode asked for, where the agent has some.
    pub mode: Option<&'a str>,
    /// The child's whole environment.
    pub environment: &'a BTreeMap<OsString, OsString>,
    /// Where the agent writes its own log.
    pub log_file: &'a Path,
    /// What it may do.
    pub permissions: PermissionPolicy,
    /// Settings for this run alone, outside the worktree, where the agent takes some.
    pub settings_file: Option<&'a Path>,
    /// What earlier turns of the conversation cost, as the agent told, in millionths of a dollar.
    pub spent: Option<u64>,
    /// What it works with besides its own tools.
    pub equipment: Equipment<'a>,
}

/// What an agent works with besides its own tools.
#[derive(Debug, Clone, Copy, Default)]
pub struct Equipment<'a> {
    /// MCP servers, each of which the agent can be told of as it is.
    pub servers: &'a [McpServer],
    /// The file that tells of them, where the agent reads one.
    pub mcp_file: Option<&'a Path>,
    /// The directory of the session's tools, where the agent looks for them itself.
    pub toolbox: Option<&'a Path>,
}

impl TurnRequest<'_> {
    /// The program without arguments, in its directory and environment.
    pub(crate) fn command(&self) -> CommandSpec {
        let program = self.program.first().map(PathBuf::from);
        CommandSpec::new(program.unwrap_or_default(), self.worktree).envs(self.environment)
    }

    /// The arguments that come before all others.
    pub(crate) fn leading_arguments(&self) -> &[OsString] {
        self.program.get(1..).unwrap_or_default()
    }
}

/// One turn: how it is started, and who reads what it prints.
#[derive(Debug)]
pub struct Turn {
    /// The command.
    pub command: CommandSpec,
    /// Its reader.
    pub decoder: Box<dyn Decoder>,
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
        let is_number = |word: &&str| word.starts_with(|char: char| char.is_ascii_digit());
        let mut words = version.split_whitespace();
        // Some tell their name first.
        let version = words.clone().find(is_number).or_else(|| words.next());
        Self {
            version: version.map(str::to_owned),
            flags,
        }
    }

    /// Whether the help text names a flag.
    #[must_use]
    pub fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|known| known == flag)
    }
}

/// What can be done with an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// A later turn continues the conversation.
    pub resume: bool,
    /// Uses of tools can be asked about.
    pub approvals: bool,
    /// Where the cost of a turn comes from, if it can be known.
    pub cost: Option<CostSource>,
    /// It takes more while a turn goes on.
    pub input: bool,
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
    /// Only the agent itself can tell.
    Unknown,
    /// Nothing was found: it would wait for a login.
    Missing,
}

/// The environment an agent would get, and what is on this machine.
pub struct Surroundings<'a> {
    /// The child's whole environment.
    pub environment: &'a BTreeMap<OsString, OsString>,
    /// Whether a file is there.
    pub exists: &'a dyn Fn(&Path) -> bool,
}

impl Surroundings<'_> {
    /// A variable that has a value.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&OsStr> {
        let value = self.environment.get(OsStr::new(name));
        value
            .map(OsString::as_os_str)
            .filter(|value| !value.is_empty())
    }

    /// A folder that a variable names, else one below the home folder.
    pub(crate) fn folder(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        let home = || Some(Path::new(self.value("HOME")?).join(below_home));
        self.value(variable).map(PathBuf::from).or_else(home)
    }
}

impl Agent {
    /// The agent with this name that needs no settings.
    #[must_use]
    pub fn built_in(name: &str) -> Option<Self> {
        let found = BUILT_IN.iter().find(|(known, ..)| *known == name)?;
        let (name, protocol, words) = *found;
        Some(Self {
            name: name.to_owned(),
            protocol,
            words: words.iter().map(|word| (*word).to_owned()).collect(),
        })
    }

    /// The names of agents that need no settings.
    pub fn built_in_names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, ..)| *name)
    }

    /// An agent that the settings describe. They name its program too.
    #[must_use]
    pub fn described(name: &str, protocol: AgentProtocol) -> Self {
        Self {
            name: name.to_owned(),
            protocol,
            words: vec![name.to_owned()],
        }
    }

    /// The name used in commands and settings.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How it is talked with.
    #[must_use]
    pub const fn protocol(&self) -> AgentProtocol {
        self.protocol
    }

    /// Whether it is the scripted agent that ships with the product.
    #[must_use]
    pub fn is_demo(&self) -> bool {
        self.name == DEMO
    }

    /// What it is started with when the settings name nothing.
    #[must_use]
    pub fn default_words(&self) -> &[String] {
        &self.words
    }

    /// Whether its program can be asked for its version and its flags. Any command would take the question for work.
    #[must_use]
    pub fn tells_features(&self) -> bool {
        self.protocol != AgentProtocol::Command
    }

    /// Whether its transcript has the prompt without our help.
    #[must_use]
    pub fn tells_prompt(&self) -> bool {
        matches!(self.protocol, AgentProtocol::Amp | AgentProtocol::Acp)
    }

    /// Whether the tokens it tells are those of the whole conversation up to then, not of one turn.
    #[must_use]
    pub fn counts_whole_thread(&self) -> bool {
        self.protocol == AgentProtocol::Codex
    }

    /// One turn.
    #[must_use]
    pub fn turn(&self, request: &TurnRequest<'_>) -> Turn {
        self.adapter().turn(request)
    }

    /// A reader for output that was kept.
    #[must_use]
    pub fn reader(&self) -> Box<dyn Decoder> {
        self.adapter().reader()
    }

    /// Whether it can be told a mode. Of the agents of a protocol, only a turn tells which ones a single agent offers.
    #[must_use]
    pub const fn has_modes(&self) -> bool {
        matches!(self.protocol, AgentProtocol::Amp | AgentProtocol::Acp)
    }

    /// Whether its model is chosen by a mode.
    #[must_use]
    pub const fn takes_model_as_mode(&self) -> bool {
        matches!(self.protocol, AgentProtocol::Amp)
    }

    /// Whether a mode may decide what it asks for before it does it.
    #[must_use]
    pub const fn may_ask_by_mode(&self) -> bool {
        matches!(self.protocol, AgentProtocol::Acp)
    }

    /// Settings that make it ask a program before it uses a tool, where that is how it asks.
    #[must_use]
    pub fn asking_settings(&self, hook: &Path) -> Option<String> {
        self.adapter().asking_settings(hook)
    }

    /// Settings with which it uses no tool, where it is told that way and this build takes them.
    #[must_use]
    pub fn refusing_settings(&self, features: &Features) -> Option<String> {
        let takes_settings = self.abilities(features).approvals;
        takes_settings.then(|| self.adapter().refusing_settings())?
    }

    /// Whether it can be told of MCP servers. Any command has no form for it.
    #[must_use]
    pub fn takes_servers(&self) -> bool {
        self.protocol != AgentProtocol::Command
    }

    /// Whether it can be told of a server as it is. Nobody filters tools but us, and a command line has no secrets.
    #[must_use]
    pub fn takes_server(&self, server: &McpServer) -> bool {
        server.tools.is_none() && self.adapter().takes_server(server)
    }

    /// The file that tells it of MCP servers, where it reads one.
    #[must_use]
    pub fn mcp_file(&self, servers: &[McpServer]) -> Option<String> {
        let file = || self.adapter().mcp_file(servers);
        (!servers.is_empty()).then(file)?
    }

    /// Whether this build looks for toolboxes itself.
    #[must_use]
    pub fn reads_toolboxes(&self, features: &Features) -> bool {
        self.adapter().reads_toolboxes(features)
    }

    /// What it needs of the machine besides its worktree.
    #[must_use]
    pub fn needs(&self) -> Needs {
        match self.protocol {
            AgentProtocol::Amp if self.is_demo() => needs::DEMO,
            AgentProtocol::Amp => needs::AMP,
            AgentProtocol::Codex => needs::CODEX,
            AgentProtocol::Claude => needs::CLAUDE,
            AgentProtocol::Acp if self.name == "opencode" => needs::OPENCODE,
            AgentProtocol::Acp | AgentProtocol::Command => needs::UNKNOWN,
        }
    }

    /// Whether it is made to ask where permissions are limited. Of any other agent that speaks the Agent Client Protocol
    /// nobody knows what it asks about.
    #[must_use]
    pub fn is_known_to_ask(&self) -> bool {
        self.protocol != AgentProtocol::Acp || self.name == "opencode"
    }

    /// Whether its output has its questions for permission, and it waits there for the answer.
    #[must_use]
    pub fn asks_in_output(&self) -> bool {
        self.protocol == AgentProtocol::Acp
    }

    /// What can be done with this build of it.
    #[must_use]
    pub fn abilities(&self, features: &Features) -> Abilities {
        self.adapter().abilities(features)
    }

    /// Whether it can be expected to be logged in.
    #[must_use]
    pub fn login(&self, surroundings: &Surroundings<'_>) -> Login {
        match self.is_demo() {
            true => Login::NotNeeded,
            false => self.adapter().login(surroundings),
        }
    }

    /// How a user logs in.
    #[must_use]
    pub fn login_hint(&self) -> &'static str {
        match self.is_demo() {
            true => "it needs no login",
            false => self.adapter().login_hint(),
        }
    }

    /// A file of the agent's own that tells which model worked on a conversation, where its output does not.
    #[must_use]
    pub fn record_of(&self, thread: &str, surroundings: &Surroundings<'_>) -> Option<PathBuf> {
        self.adapter().record_of(thread, surroundings)
    }

    /// The model that such a file tells of.
    #[must_use]
    pub fn model_in(&self, record: &[u8]) -> Option<String> {
        self.adapter().model_in(record)
    }

    fn adapter(&self) -> &'static dyn Adapter {
        match self.protocol {
            AgentProtocol::Amp => &amp::Amp,
            AgentProtocol::Codex => &codex::Codex,
            AgentProtocol::Claude => &claude::Claude,
            AgentProtocol::Acp => &acp::Acp,
            AgentProtocol::Command => &command::AnyCommand,
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
    fn the_version_is_the_first_number() {
        let version = |text| Features::from_texts(text, "").version;
        let cases = [
            ("codex-cli 0.46.0\n", Some("0.46.0")),
            ("2.0.14 (Claude Code)", Some("2.0.14")),
            ("nightly build", Some("nightly")),
            ("\n", None),
        ];
        for (text, expected) in cases {
            assert_eq!(version(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn agents_are_found_by_name() {
        for name in Agent::built_in_names() {
            assert_eq!(Agent::built_in(name).unwrap().name(), name);
        }
        assert_eq!(Agent::built_in("nope"), None);
        let own = Agent::described("mine", AgentProtocol::Acp);
        assert_eq!((own.name(), own.protocol()), ("mine", AgentProtocol::Acp));
    }
}
