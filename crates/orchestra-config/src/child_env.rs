//! What a child program sees of the environment: built from nothing, by an allow-list.
//!
//! Children are agents, scripts and git. Values that could redirect git, inject code or give away credentials are left
//! out; the marks that an agent leaves for its own children would confuse another agent and go too.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};

use orchestra_core::AgentProtocol;
use orchestra_core::redact::{MIN_SECRET_LEN, Secret};

use crate::environment::Environment;
use crate::names::is_variable;
use crate::settings::Settings;
use crate::variables::{
    self, AMP_API_KEY, AMP_HOME, AMP_SETTINGS_FILE, AMP_URL, ANTHROPIC_API_KEY,
    ANTHROPIC_AUTH_TOKEN, ANTHROPIC_BASE_URL, CLAUDE_CODE_OAUTH_TOKEN, CLAUDE_CONFIG_DIR,
    CODEX_API_KEY, CODEX_HOME, OPENAI_API_KEY, OPENAI_BASE_URL,
};

/// The variables of a child, complete.
pub type Variables = BTreeMap<OsString, OsString>;

const PASSED: &[&str] = &[
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "TERM", "TZ", "TMPDIR", "SHELL",
];
const PASSED_PREFIXES: &[&str] = &["LC_", "XDG_"];

const AMP: &[&str] = &[AMP_API_KEY, AMP_URL, AMP_SETTINGS_FILE, AMP_HOME];
const CODEX: &[&str] = &[CODEX_API_KEY, CODEX_HOME, OPENAI_API_KEY, OPENAI_BASE_URL];
const CLAUDE: &[&str] = &[
    ANTHROPIC_API_KEY,
    ANTHROPIC_AUTH_TOKEN,
    ANTHROPIC_BASE_URL,
    CLAUDE_CODE_OAUTH_TOKEN,
    CLAUDE_CONFIG_DIR,
];

const NEVER: &[&str] = &[
    "SSH_AUTH_SOCK",
    "AMP_PWD",
    "AMP_THREAD_ID",
    "AMP_CURRENT_THREAD_ID",
    "AGENT_THREAD_ID",
    "AGENT",
    "AI_AGENT",
    "CLAUDECODE",
];
const NEVER_PREFIXES: &[&str] = &["GIT_", "GITHUB_", "LD_", "DYLD_", variables::PREFIX];

/// Choose programs, make them load code, or lead them elsewhere.
const REDIRECTS: &[&str] = &[
    "AR",
    "BASH_ENV",
    "BROWSER",
    "CC",
    "CLASSPATH",
    "CMAKE_TOOLCHAIN_FILE",
    "CXX",
    "DOCKER_CONFIG",
    "DOCKER_CONTEXT",
    "DOCKER_HOST",
    "EDITOR",
    "ENV",
    "GCONV_PATH",
    "GEM_HOME",
    "GEM_PATH",
    "HOSTALIASES",
    "IFS",
    "LD",
    "LESSCLOSE",
    "LESSOPEN",
    "MANPAGER",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_REPL_EXTERNAL_MODULE",
    "PAGER",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "PROMPT_COMMAND",
    "PSQLRC",
    "SHELLOPTS",
    "VISUAL",
    "ZDOTDIR",
];
/// The same, of build tools and of agents.
const REDIRECTING_PREFIXES: &[&str] = &[
    "AMP_",
    "ANTHROPIC_",
    "BUNDLE_",
    "BUN_",
    "CARGO_",
    "CLAUDE_",
    "CODEX_",
    "COMPOSER_",
    "CORECLR_",
    "COREPACK_",
    "COR_",
    "DOTNET_",
    "GEMINI_",
    "GOOGLE_",
    "GRADLE_",
    "LUA_",
    "MAVEN_",
    "NPM_CONFIG_",
    "OPENAI_",
    "PERL5",
    "PIP_",
    "PNPM_",
    "POETRY_",
    "PYTEST_",
    "PYTHON",
    "RUBY",
    "RUSTC",
    "RUSTDOC",
    "RUSTUP_",
    "UV_",
    "XDG_",
    "YARN_",
];
/// The same, whatever tool it is of.
const REDIRECTING_ENDS: &[&str] = &["_ASKPASS", "_LINKER", "_OPTS", "_RUNNER"];
/// The same, by a word anywhere in the name.
const REDIRECTING_WORDS: &[&str] = &["CERT", "FLAGS", "JAVA_", "PROXY", "SSL", "TLS"];
/// Harmless ones among them that sessions like to have for themselves.
const HARMLESS: &[&str] = &[
    "CARGO_TARGET_DIR",
    "CARGO_TERM_COLOR",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
];

const SECRET_WORDS: &[&str] = &[
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
];

const GIT: &[&str] = &["PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR"];
const GIT_NETWORK: &[&str] = &[
    "SSH_AUTH_SOCK",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];

/// What every child may have.
#[must_use]
pub fn base_environment(environment: &Environment) -> Variables {
    let allowed = |name: &str| {
        let by_prefix = PASSED_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix));
        is_one_of(name, &[PASSED, platform::PASSED]) || (by_prefix && !looks_secret(name))
    };
    select(environment, allowed)
}

/// What a script of the repository gets: the base and what `security.pass_env` names.
#[must_use]
pub fn script_environment(environment: &Environment, settings: &Settings) -> Variables {
    let mut variables = base_environment(environment);
    variables.extend(named(environment, &settings.security.pass_env));
    variables
}

/// What an agent gets: what a script gets, the login of the agents that speak its protocol, and what `agents.<name>.env`
/// names.
#[must_use]
pub fn agent_environment(
    environment: &Environment,
    settings: &Settings,
    agent: &str,
    protocol: Option<AgentProtocol>,
) -> Variables {
    let mut variables = script_environment(environment, settings);
    let login = protocol.map_or(&[][..], login_variables);
    variables.extend(select(environment, |name| login.contains(&name)));
    if let Some(agent) = settings.agents.named.get(agent) {
        variables.extend(named(environment, &agent.env));
    }
    variables
}

/// Many agents speak the Agent Client Protocol, and any command may be anything: they get what the settings name.
const fn login_variables(protocol: AgentProtocol) -> &'static [&'static str] {
    match protocol {
        AgentProtocol::Amp => AMP,
        AgentProtocol::Codex => CODEX,
        AgentProtocol::Claude => CLAUDE,
        AgentProtocol::Acp | AgentProtocol::Command => &[],
    }
}

/// The variables that tell an agent its server and its token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerVariables {
    /// The address.
    pub url: &'static str,
    /// The token.
    pub token: &'static str,
}

/// How agents that speak this protocol are told their server; `None` where every one has its own way.
#[must_use]
pub const fn server_variables(protocol: AgentProtocol) -> Option<ServerVariables> {
    let (url, token) = match protocol {
        AgentProtocol::Amp => (AMP_URL, AMP_API_KEY),
        AgentProtocol::Codex => (OPENAI_BASE_URL, CODEX_API_KEY),
        AgentProtocol::Claude => (ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY),
        AgentProtocol::Acp | AgentProtocol::Command => return None,
    };
    Some(ServerVariables { url, token })
}

/// What git gets: enough to find itself and the user's configuration, and messages in one language.
#[must_use]
pub fn git_environment(environment: &Environment) -> Variables {
    let mut variables = select(environment, |name| {
        is_one_of(name, &[GIT, platform::PASSED])
    });
    variables.insert("LANG".into(), "C.UTF-8".into());
    variables.insert("LC_ALL".into(), "C".into());
    variables
}

/// What git gets to fetch or push: also the SSH agent and proxies. Only for directories that no agent can write.
#[must_use]
pub fn git_network_environment(environment: &Environment) -> Variables {
    let mut variables = git_environment(environment);
    variables.extend(select(environment, |name| GIT_NETWORK.contains(&name)));
    variables
}

/// The values to remove from everything that is kept, longest first: of variables whose names look secret or that
/// `security.redact_variables` names.
#[must_use]
pub fn secrets(environment: &Environment, settings: &Settings) -> Vec<Secret> {
    let configured = &settings.security.redact_variables;
    let is_secret = |name: &OsStr| {
        let name = name.to_string_lossy();
        looks_secret(&name) || configured.iter().any(|other| *other == name)
    };
    let ordinary = base_environment(environment);
    let values = environment
        .iter()
        .filter(|(name, _)| is_secret(name))
        .map(|(_, value)| value);
    // A variable such as TOKEN_DIR can hold the home directory, which must stay readable.
    let values = values.filter(|value| !ordinary.values().any(|other| other == value));
    let texts: BTreeSet<_> = values.filter_map(OsStr::to_str).map(str::trim).collect();
    let mut texts: Vec<_> = texts
        .into_iter()
        .filter(|text| text.len() >= MIN_SECRET_LEN)
        .collect();
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    texts.into_iter().map(Secret::new).collect()
}

/// Whether a setting may name this variable for passing on.
pub(crate) fn may_be_passed(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    is_variable(name)
        && !NEVER.contains(&upper.as_str())
        && !NEVER_PREFIXES
            .iter()
            .any(|prefix| upper.starts_with(prefix))
}

/// Whether a repository may choose the value of this variable for what runs in its sessions: none that says which programs
/// run, makes them load code, leads them or an agent elsewhere, or holds an agent's login.
#[must_use]
pub fn may_be_chosen(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let is_own = is_one_of(&upper, &[PASSED, platform::PASSED]);
    may_be_passed(name) && !is_own && (HARMLESS.contains(&upper.as_str()) || !redirects(&upper))
}

fn redirects(upper: &str) -> bool {
    let begins = |prefix: &&str| upper.starts_with(*prefix);
    let ends = |end: &&str| upper.ends_with(*end);
    let has = |word: &&str| upper.contains(*word);
    REDIRECTS.contains(&upper)
        || REDIRECTING_PREFIXES.iter().any(begins)
        || REDIRECTING_ENDS.iter().any(ends)
        || REDIRECTING_WORDS.iter().any(has)
}

/// The variables that settings name for passing on, as far as they may be.
#[must_use]
pub fn named(environment: &Environment, names: &[String]) -> Variables {
    select(environment, |name| {
        may_be_passed(name) && names.iter().any(|other| other == name)
    })
}

fn select(environment: &Environment, accepts: impl Fn(&str) -> bool) -> Variables {
    let accepted = environment
        .iter()
        .filter(|(name, _)| name.to_str().is_some_and(&accepts));
    accepted
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn is_one_of(name: &str, lists: &[&[&str]]) -> bool {
    lists.iter().any(|list| list.contains(&name))
}

/// Whether the name of a variable says that its value is a secret.
#[must_use]
pub fn looks_secret(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    SECRET_WORDS.iter().any(|word| upper.contains(word))
}

#[cfg(not(windows))]
mod platform {
    pub(super) const PASSED: &[&str] = &[];
}

#[cfg(windows)]
mod platform {
    /// Programs do not start, or do not find their files, without these.
    pub(super) const PASSED: &[&str] = &[
        "APPDATA",
        "COMSPEC",
        "HOMEDRIVE",
        "HOMEPATH",
        "LOCALAPPDATA",
        "PATHEXT",
        "PROGRAMDATA",
        "PROGRAMFILES",
        "SYSTEMDRIVE",
        "SYSTEMROOT",
        "TEMP",
        "TMP",
        "USERNAME",
        "USERPROFILE",
        "WINDIR",
    ];
}
