//! The table of all settings, and finding one in it by key or by variable.

use orchestra_core::{
    AgentProtocol, CheckName, DatabaseKind, EnvironmentKind, Isolation, PermissionPolicy,
};

use crate::choices::{ColorChoice, HumanChanges, OverQuota, Theme};
use crate::kind::Kind;
use crate::names::is_chosen_name;
use crate::variables::PREFIX;

const ALIKE: f64 = 0.6;

/// One setting. A `*` in its name stands for a name that the user chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// The name, such as `core.session_timeout` or `agents.*.command`.
    pub name: &'static str,
    /// What it can hold.
    pub kind: Kind,
    /// Its value when nobody sets it.
    pub default: Preset,
    /// What a repository file may do with it.
    pub scope: Scope,
    /// What it does, in one line.
    pub description: &'static str,
    /// Whether any command looks at it. The others are checked and kept for what is to come.
    pub is_used: bool,
}

/// The value of a setting that nobody set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// This, as typed on a command line.
    Fixed(&'static str),
    /// Found at start, as described.
    Derived(&'static str),
    /// None.
    Unset,
}

/// What a repository file may do with a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Set it.
    Anywhere,
    /// Set it to less than the user allows.
    TightenOnly,
    /// Nothing: it names programs, loosens safety, or is the user's own affair.
    UserOnly,
}

use Preset::{Derived, Fixed, Unset};
use Scope::{Anywhere, TightenOnly, UserOnly};

/// Every setting, by section.
#[rustfmt::skip]
pub const KEYS: &[Key] = &[
    key("core.database_path", Kind::Path, Derived("`orchestra.db` in the data directory"), UserOnly, "file of the database"),
    key("core.worktrees_root", Kind::RepositoryPath, Fixed(".worktrees"), Anywhere, "folder of the worktrees; relative to the repository, or absolute"),
    key("core.runtime_toolboxes_root", Kind::Path, Derived("`toolboxes` in the data directory"), UserOnly, "folder in which the toolboxes of each session are put together"),
    key("core.max_concurrent_sessions", Kind::Count, Fixed("8"), TightenOnly, "agents that run at once; the rest wait in the queue"),
    key("core.session_timeout", Kind::Timeout, Fixed("2h"), TightenOnly, "longest time for one iteration; 0: no limit"),
    key("core.idle_timeout", Kind::Timeout, Fixed("15m"), TightenOnly, "longest time an agent may print nothing; 0: no limit"),
    key("core.max_output", Kind::Size, Fixed("256MiB"), TightenOnly, "most output kept of one iteration or script run"),
    key("core.stop_grace", Kind::Duration, Fixed("10s"), TightenOnly, "time between asking an agent to stop and killing it"),
    key("core.disk_quota", Kind::Size, Unset, UserOnly, "most disk space for worktrees of sessions, those in the trash included"),
    key("core.over_quota", Kind::Choice(OverQuota::WORDS), Fixed("refuse"), UserOnly, "what happens to a new session when `core.disk_quota` is used up"),
    key("git.default_base_branch", Kind::Branch, Fixed("main"), Anywhere, "branch that sessions start from"),
    key("git.commit_prefix", Kind::Text, Fixed("amp:"), Anywhere, "start of the subject of commits made for an agent"),
    key("git.branch_pattern", Kind::BranchPattern, Fixed("amp/{slug}/{timestamp}"), Anywhere, "name of a session's branch, with {slug}, {timestamp}, {id}, {issue}"),
    key("git.folder_pattern", Kind::FolderPattern, Fixed("{id}"), Anywhere, "name of a session's folder below `core.worktrees_root`, with the same placeholders"),
    key("git.human_changes", Kind::Choice(HumanChanges::WORDS), Fixed("commit"), Anywhere, "what happens to changes a person left before an iteration: a commit of their own, or kept out"),
    key("git.protected_branches", Kind::BranchGlobs, Fixed(""), TightenOnly, "branches that `merge` never moves, such as `release/*`"),
    key("git.fetch_wait", Kind::Duration, Fixed("3s"), TightenOnly, "longest wait for a fetch before a session starts, is rebased or lands; after it, what is there is used"),
    key("git.auto_cleanup_worktrees", Kind::Switch, Fixed("false"), Anywhere, "move worktrees of landed, clean sessions to the trash"),
    key("git.worktree_gc_interval", Kind::Timeout, Fixed("24h"), Anywhere, "time between two runs of `gc` in the background; 0: never"),
    key("git.trash_retention", Kind::Duration, Fixed("14d"), UserOnly, "how long worktrees in the trash can be restored"),
    key("git.undo_retention", Kind::Duration, Fixed("30d"), UserOnly, "how long operations can be undone"),
    key("landing.required_checks", Kind::SomeOf(CheckName::WORDS), Fixed("clean, base, script, evaluators, reviewed, messages, migrations, issue"), TightenOnly, "checks that must pass before `merge`, unless they are passed over by name"),
    key("commands.setup", Kind::CommandLine, Unset, Anywhere, "command that makes a new worktree ready, such as `npm ci`"),
    key("commands.teardown", Kind::CommandLine, Unset, Anywhere, "command that runs in a worktree before it is cleaned up"),
    key("commands.after_merge", Kind::CommandLine, Unset, Anywhere, "command that runs in the main checkout after a merge"),
    key("commands.pr", Kind::CommandLine, Unset, Anywhere, "command that opens a pull request for a session"),
    key("commands.timeout", Kind::Timeout, Fixed("30m"), TightenOnly, "longest time for one of these commands; 0: no limit"),
    key("worktree.copy", Kind::FileGlobs, Fixed(""), Anywhere, "ignored files that a new worktree gets a copy of, such as `.env`"),
    key("worktree.reuse", Kind::FileGlobs, Fixed(""), Anywhere, "ignored directories that a new worktree gets without taking space where the file system can, such as `node_modules`"),
    key("worktree.rewrite.*", Kind::Text, Unset, Anywhere, "value of this variable in copied env files"),
    key("worktree.variables.*", Kind::Text, Unset, Anywhere, "value of this variable for every script, shell and agent of a session"),
    key("worktree.hostname", Kind::HostName, Fixed("{slug}-{id}.localhost"), Anywhere, "name under which a session's servers are reached"),
    key("worktree.port_range", Kind::PortRange, Fixed("20000-29999"), UserOnly, "ports that are leased to sessions"),
    key("ports.*", Kind::Count, Unset, Anywhere, "how many ports a session gets under this name"),
    key("databases.*.kind", Kind::Choice(DatabaseKind::WORDS), Unset, Anywhere, "what the database of this name is"),
    key("databases.*.location", Kind::FilledText, Unset, Anywhere, "its file, or its name on the server; with placeholders"),
    key("databases.*.url", Kind::FilledText, Unset, Anywhere, "address for programs, with placeholders such as {location}"),
    key("databases.*.create", Kind::CommandLine, Unset, Anywhere, "command that makes it; must take that it is there already"),
    key("databases.*.drop", Kind::CommandLine, Unset, Anywhere, "command that removes it; must take that it is gone already"),
    key("servers.*.port", Kind::Name, Unset, Anywhere, "ports of the script of this name, which then is a server: a name below `ports`"),
    key("servers.*.ready", Kind::Pattern, Unset, Anywhere, "regular expression for the line that says that it is ready; without one, it is when its port answers, or when it has run for half a second if it has none"),
    key("servers.*.ready_within", Kind::Duration, Unset, Anywhere, "how long that may take; 60s if not set"),
    key("servers.*.url", Kind::FilledText, Unset, Anywhere, "its address, with placeholders, {port} among them; http://<hostname>:<port>/ if not set"),
    key("artifacts.paths", Kind::FileGlobs, Fixed(""), Anywhere, "files of a worktree that are collected in the folder `artifacts` of the repository, such as `reports/*.xml`"),
    key("agents.default", Kind::Name, Fixed("amp"), Anywhere, "agent of a new session"),
    key("agents.price_file", Kind::Path, Unset, UserOnly, "file with prices of models, which count before those that are known"),
    key("agents.retries", Kind::CountOrNone, Fixed("5"), TightenOnly, "how often a turn is tried again while the agent's provider is overloaded; 0: not at all"),
    key("agents.retry_after", Kind::Duration, Fixed("15s"), UserOnly, "time before the first of these tries where the provider names none; it doubles with each, up to 60 times as much"),
    key("agents.permissions", Kind::Choice(PermissionPolicy::WORDS), Fixed("allow"), UserOnly, "what happens when an agent wants to use a tool: it may, the rules decide, or you are asked where no rule speaks of it"),
    key("agents.rules", Kind::Rules, Fixed(r#"["allow read", "allow search", "allow think", "allow edit"]"#), UserOnly, "what agents may do without being asked, and what never: `allow`, `reject` or `ask`, a tool or a kind of tool, and a pattern for the command, path or address"),
    key("agents.*.protocol", Kind::Choice(AgentProtocol::WORDS), Unset, UserOnly, "how an agent of your own is talked with; the agents that are known need none"),
    key("agents.*.command", Kind::Words, Unset, UserOnly, "program of the agent, with arguments; with the protocol `command`, `{prompt}` in one stands for the prompt"),
    key("agents.*.model", Kind::Word, Unset, Anywhere, "model the agent uses"),
    key("agents.*.env", Kind::PassedVariables, Unset, UserOnly, "environment variables passed on to the agent"),
    key("agents.*.toolboxes", Kind::WordList, Unset, Anywhere, "toolboxes of sessions with this agent, besides `runtime.toolboxes`: names below `toolboxes`"),
    key("agents.*.mcp", Kind::WordList, Unset, Anywhere, "MCP servers of sessions with this agent, besides `runtime.mcp`: names below `mcp`"),
    key("runtime.toolboxes", Kind::WordList, Fixed(""), Anywhere, "toolboxes of a session that names none: names below `toolboxes`, the first one winning"),
    key("runtime.mcp", Kind::WordList, Fixed(""), Anywhere, "MCP servers of a session that names none: names below `mcp`"),
    key("runtime.tool_timeout", Kind::Duration, Fixed("60s"), TightenOnly, "longest time for one use of a tool of a toolbox that is served to an agent"),
    key("runtime.describe_timeout", Kind::Duration, Fixed("10s"), TightenOnly, "longest time for a tool of a toolbox to tell what it is"),
    key("runtime.tool_extensions", Kind::Extensions, Fixed("bash, cjs, js, json, lua, md, mjs, pl, py, rb, sh, toml, ts, txt, yaml, yml, zsh"), UserOnly, "endings of files that toolboxes may have; a file without one always may"),
    key("runtime.forbidden_paths", Kind::Paths, Fixed("[\"/dev\", \"/proc\", \"/sys\", \"/run\", \"/etc\"]"), UserOnly, "directories in which no toolbox may lie, besides those of git, keys and this product"),
    key("toolboxes.*", Kind::Paths, Unset, UserOnly, "directories of the toolbox of this name, the first one winning"),
    key("mcp.*.command", Kind::Words, Unset, UserOnly, "program of the MCP server of this name, with arguments"),
    key("mcp.*.env", Kind::Assignments, Unset, UserOnly, "variables that the program gets, such as `LOG=debug`; no secrets"),
    key("mcp.*.secret_env", Kind::SecretAssignments, Unset, UserOnly, "variables that the program gets, with the places of their values, such as `TOKEN=env:MY_TOKEN`"),
    key("mcp.*.url", Kind::WebAddress, Unset, UserOnly, "address of the server, if it is no program"),
    key("mcp.*.headers", Kind::Headers, Unset, UserOnly, "headers of requests to the address, such as `X-Team: core`; no secrets"),
    key("mcp.*.secret_headers", Kind::SecretHeaders, Unset, UserOnly, "headers of requests to the address, with the places of their values, such as `X-Api-Key: file:~/.api-key`"),
    key("mcp.*.auth", Kind::SecretSource, Unset, UserOnly, "where the token is that requests to the address carry as `Authorization: Bearer`"),
    key("mcp.*.tools", Kind::WordList, Unset, UserOnly, "tools of the server that agents may use; all if not set"),
    key("environments.default", Kind::Name, Fixed("production"), UserOnly, "environment of a session that names none: production, development, ci, or one of your own"),
    key("environments.*.kind", Kind::Choice(EnvironmentKind::WORDS), Unset, UserOnly, "what kind of place it is, which says what is allowed where nothing else does; production, development and ci are what their names say, others production"),
    key("environments.*.agent", Kind::Name, Unset, UserOnly, "agent that the address, program and token are for; amp if not set"),
    key("environments.*.url", Kind::WebAddress, Unset, UserOnly, "address of the agent's server"),
    key("environments.*.command", Kind::Words, Unset, UserOnly, "program of the agent there, or its entry point for Node, with arguments"),
    key("environments.*.token", Kind::SecretSource, Unset, UserOnly, "where the agent's token is: `env:NAME`, `file:/path` or `keyring:service/account`; never the token itself"),
    key("environments.*.path", Kind::Paths, Unset, UserOnly, "directories in which programs are looked for before those of `PATH`"),
    key("environments.*.modes", Kind::WordList, Unset, UserOnly, "modes that agents may have there; empty: any; if not set, what its kind allows"),
    key("limits.memory", Kind::Size, Fixed("2GB"), TightenOnly, "most memory for an agent and everything it starts"),
    key("limits.cpu_percent", Kind::Percent, Fixed("80"), TightenOnly, "most of the machine's processors for an agent and everything it starts, in percent"),
    key("limits.open_files", Kind::Number, Fixed("65536"), TightenOnly, "most files that one process of an agent has open"),
    key("limits.processes", Kind::Number, Fixed("1024"), TightenOnly, "most processes of an agent at once"),
    key("limits.file_size", Kind::Size, Fixed("16GiB"), TightenOnly, "largest file that an agent can write"),
    key("limits.budget", Kind::Budget, Unset, UserOnly, "what all iterations of a session together may use: dollars, tokens or both, such as `$5,2Mtokens`"),
    key("scripts.*", Kind::CommandLine, Unset, Anywhere, "command that `run` starts in a worktree by this name"),
    key("ui.color", Kind::Choice(ColorChoice::WORDS), Fixed("auto"), UserOnly, "colour in the terminal"),
    key("ui.editor", Kind::Words, Derived("`VISUAL`, then `EDITOR`"), UserOnly, "program that prompts and worktrees are opened with"),
    key("ui.terminal", Kind::Words, Derived("the desktop's own"), UserOnly, "terminal program that windows with a shell are opened with, and the words before the command it runs"),
    key("ui.notifications", Kind::Switch, Fixed("true"), UserOnly, "desktop notifications"),
    key("ui.theme", Kind::Choice(Theme::WORDS), Fixed("auto"), UserOnly, "look of the web page and the desktop app, where nothing else was chosen there"),
    later("evaluation.concurrency", Kind::Count, Fixed("1"), TightenOnly, "evaluators that run at once; not used yet by this version"),
    key("evaluation.timeout", Kind::Timeout, Fixed("30m"), TightenOnly, "longest time for one evaluator, and for the script after an iteration; 0: no limit"),
    key("data.keep_transcripts", Kind::Timeout, Fixed("0"), UserOnly, "how long `gc` keeps transcripts and raw output of sessions that are over; 0: forever"),
    key("data.keep_logs", Kind::Timeout, Fixed("0"), UserOnly, "how long `gc` keeps logs of sessions that are over; 0: forever"),
    key("security.isolation", Kind::Choice(Isolation::WORDS), Fixed("guard"), UserOnly, "what is done about an agent that leaves its worktree: nothing, what changed elsewhere in the repository while it ran is told, or it works in a sandbox"),
    key("security.sandbox_writable", Kind::Paths, Fixed(""), UserOnly, "what an agent in a sandbox may write, besides its worktree, its own directories and caches in your home directory"),
    key("security.sandbox_hidden", Kind::Paths, Fixed(""), UserOnly, "what an agent in a sandbox may not read, besides keys, tokens and passwords in your home directory"),
    key("security.sandbox_network", Kind::Hosts, Fixed(""), UserOnly, "hosts that an agent in a sandbox can reach, or `off` or `open`; empty: those of its provider, its environment and its MCP servers"),
    key("security.pass_env", Kind::PassedVariables, Fixed(""), UserOnly, "environment variables passed on to every agent and script"),
    key("security.redact_variables", Kind::Variables, Fixed(""), UserOnly, "environment variables whose values are secrets, besides those whose names say so"),
    key("security.redact_patterns", Kind::Patterns, Fixed(""), UserOnly, "regular expressions for further secrets to remove from what is kept"),
];

const fn key(
    name: &'static str,
    kind: Kind,
    default: Preset,
    scope: Scope,
    description: &'static str,
) -> Key {
    Key {
        name,
        kind,
        default,
        scope,
        description,
        is_used: true,
    }
}

/// A setting that no command of this version looks at.
const fn later(
    name: &'static str,
    kind: Kind,
    default: Preset,
    scope: Scope,
    description: &'static str,
) -> Key {
    Key {
        is_used: false,
        ..key(name, kind, default, scope, description)
    }
}

impl Key {
    /// The first part of the name.
    #[must_use]
    pub fn section(&self) -> &'static str {
        self.name
            .split_once('.')
            .map_or(self.name, |(section, _)| section)
    }

    /// Whether the user chooses part of the name.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.name.contains('*')
    }

    /// The environment variable that sets it; `<NAME>` stands for the chosen part.
    #[must_use]
    pub fn variable(&self) -> String {
        match self.name.split_once('*') {
            Some((before, after)) => {
                format!("{}<NAME>{}", variable_of(before), shouted(after))
            }
            None => variable_of(self.name),
        }
    }

    fn matches(&self, path: &[&str]) -> bool {
        let mut parts = self.name.split('.');
        starts_alike(&mut parts, path) && parts.next().is_none()
    }

    /// The name with the chosen part taken from `path`.
    fn named_like(&self, path: &[&str]) -> String {
        let parts = self.name.split('.').enumerate();
        let filled = parts.map(|(index, part)| match path.get(index) {
            Some(chosen) if part == "*" => chosen,
            _ => part,
        });
        filled.collect::<Vec<_>>().join(".")
    }
}

/// The setting at a path such as `["agents", "amp", "command"]`.
pub(crate) fn find(path: &[&str]) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.matches(path))
}

/// The setting with a name such as `agents.amp.command`.
pub(crate) fn find_named(name: &str) -> Option<&'static Key> {
    find(&name.split('.').collect::<Vec<_>>())
}

/// Whether settings lie below this path.
pub(crate) fn is_section(path: &[&str]) -> bool {
    KEYS.iter().any(|key| {
        let mut parts = key.name.split('.');
        starts_alike(&mut parts, path) && parts.next().is_some()
    })
}

/// Whether this is a table whose name the user chooses, which says something without any key: there is a server, a database, an
/// environment or an MCP server of this name.
pub(crate) fn is_chosen_table(path: &[&str]) -> bool {
    matches!(path, ["databases" | "environments" | "mcp" | "servers", _]) && is_section(path)
}

/// The setting, or for a table the section, whose name is most similar.
pub(crate) fn nearest(path: &[&str], table: bool) -> Option<String> {
    let wanted = path.join(".");
    let depth = if table { path.len() } else { usize::MAX };
    // A name that the user chooses is always right, so it says nothing.
    let section = path.first().copied().unwrap_or_default();
    let is_near = |key: &&Key| !key.is_open() || similarity(key.section(), section) >= ALIKE;
    let names = KEYS.iter().filter(is_near).map(|key| {
        let name = key.named_like(path);
        name.split('.').take(depth).collect::<Vec<_>>().join(".")
    });
    let is_real = |name: &String| {
        let path: Vec<_> = name.split('.').collect();
        if table {
            is_section(&path)
        } else {
            find(&path).is_some()
        }
    };
    most_similar(&wanted, names.filter(is_real))
}

/// The variable that sets a key.
pub(crate) fn variable_of(name: &str) -> String {
    format!("{PREFIX}{}", shouted(name))
}

/// The setting a variable stands for. A chosen name that is in use is preferred, since `-` and `_` look the same there.
pub(crate) fn find_by_variable<'a>(
    variable: &str,
    mut used: impl Iterator<Item = &'a str>,
) -> Option<(String, &'static Key)> {
    if let Some(name) = used.find(|name| variable_of(name) == variable) {
        return Some((name.to_owned(), find_named(name)?));
    }
    KEYS.iter()
        .find_map(|key| Some((name_in_variable(key, variable)?, key)))
}

/// The setting variable that is most similar to one that sets nothing.
pub(crate) fn nearest_variable(variable: &str) -> Option<String> {
    let closed = KEYS.iter().filter(|key| !key.is_open()).map(Key::variable);
    let names = closed.filter_map(|name| name.strip_prefix(PREFIX).map(str::to_owned));
    most_similar(variable.strip_prefix(PREFIX)?, names).map(|name| format!("{PREFIX}{name}"))
}

/// Whether a variable starts like those of a section.
pub(crate) fn is_section_variable(variable: &str) -> bool {
    KEYS.iter()
        .any(|key| variable.starts_with(&variable_of(&format!("{}.", key.section()))))
}

fn name_in_variable(key: &Key, variable: &str) -> Option<String> {
    let Some((before, after)) = key.name.split_once('*') else {
        return (variable_of(key.name) == variable).then(|| key.name.to_owned());
    };
    let rest = variable.strip_prefix(&variable_of(before))?;
    let chosen = rest
        .strip_suffix(&shouted(after))?
        .to_ascii_lowercase()
        .replace('_', "-");
    is_chosen_name(&chosen).then(|| format!("{before}{chosen}{after}"))
}

/// Whether the first parts are those of a path, which they are taken for.
fn starts_alike<'a>(parts: &mut impl Iterator<Item = &'a str>, path: &[&str]) -> bool {
    path.iter().all(|given| {
        let part = parts.next();
        part.is_some_and(|part| part == *given || (part == "*" && is_chosen_name(given)))
    })
}

/// A name as part of a variable's.
pub(crate) fn shouted(name: &str) -> String {
    let letter = |char: char| {
        if char.is_ascii_alphanumeric() {
            char.to_ascii_uppercase()
        } else {
            '_'
        }
    };
    name.chars().map(letter).collect()
}

fn similarity(left: &str, right: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(left, right)
}

fn most_similar(wanted: &str, names: impl Iterator<Item = String>) -> Option<String> {
    let scored = names.map(|name| (similarity(wanted, &name), name));
    let best = scored.max_by(|(left, _), (right, _)| left.total_cmp(right))?;
    (best.0 >= ALIKE).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::raw::Raw;

    #[test]
    fn the_table_is_sound() {
        let mut names = BTreeSet::new();
        let mut variables = BTreeSet::new();
        for key in KEYS {
            assert!(
                names.insert(key.name) && variables.insert(key.variable()),
                "{} twice",
                key.name
            );
            assert!(!key.description.ends_with('.'), "{}", key.name);
            let says_unused = key.description.ends_with("; not used yet by this version");
            assert_eq!(key.is_used, !says_unused, "{}", key.name);
            if let Fixed(text) = key.default {
                let typed = key.kind.parse(&Raw::Argument(text.into()));
                assert!(typed.is_some(), "default of {}", key.name);
            }
        }
    }

    #[test]
    fn what_runs_programs_or_loosens_safety_is_the_users_alone() {
        let user_only = |key: &&Key| key.scope == UserOnly;
        let names: Vec<_> = KEYS.iter().filter(user_only).map(|key| key.name).collect();
        let must = [
            "agents.*.command",
            "agents.*.env",
            "agents.*.protocol",
            "agents.permissions",
            "agents.rules",
            "core.database_path",
            "data.keep_logs",
            "data.keep_transcripts",
            "git.trash_retention",
            "git.undo_retention",
            "ui.editor",
            "ui.terminal",
        ];
        assert!(must.iter().all(|name| names.contains(name)));
        assert!(
            KEYS.iter()
                .filter(|key| key.section() == "security")
                .all(|key| key.scope == UserOnly)
        );
    }

    #[test]
    fn keys_are_found_by_path() {
        assert_eq!(
            find_named("agents.amp.command").unwrap().name,
            "agents.*.command"
        );
        assert_eq!(find_named("agents.default").unwrap().name, "agents.default");
        for name in [
            "agents",
            "agents.default.command",
            "agents..command",
            "core.x",
            "scripts.a b",
            "scripts.a.b",
        ] {
            assert!(find_named(name).is_none(), "{name}");
        }
        assert!(
            is_section(&["agents"])
                && is_section(&["agents", "amp"])
                && !is_section(&["agents", "default"])
        );
    }

    #[test]
    fn variables_lead_to_keys_and_back() {
        let find = |variable, used: &[&'static str]| {
            find_by_variable(variable, used.iter().copied()).map(|found| found.0)
        };
        assert_eq!(
            find("ORCHESTRA_CORE_MAX_CONCURRENT_SESSIONS", &[]).unwrap(),
            "core.max_concurrent_sessions"
        );
        assert_eq!(
            find("ORCHESTRA_AGENTS_CLAUDE_CODE_COMMAND", &[]).unwrap(),
            "agents.claude-code.command"
        );
        assert_eq!(
            find("ORCHESTRA_AGENTS_DEFAULT", &[]).unwrap(),
            "agents.default"
        );
        assert_eq!(
            find("ORCHESTRA_SCRIPTS_TEST_UNIT", &["scripts.test:unit"]).unwrap(),
            "scripts.test:unit"
        );
        for variable in [
            "ORCHESTRA_AGENTS__COMMAND",
            "ORCHESTRA_CORE_X",
            "ORCHESTRA_SCRIPTS_",
            "CORE_MAX_OUTPUT",
        ] {
            assert_eq!(find(variable, &[]), None, "{variable}");
        }
        let shown: Vec<_> = KEYS
            .iter()
            .filter(|key| key.is_open())
            .map(Key::variable)
            .collect();
        for variable in [
            "ORCHESTRA_AGENTS_<NAME>_COMMAND",
            "ORCHESTRA_SCRIPTS_<NAME>",
            "ORCHESTRA_WORKTREE_REWRITE_<NAME>",
        ] {
            assert!(shown.iter().any(|it| it == variable), "{variable}");
        }
    }

    #[test]
    fn similar_names_are_suggested() {
        let table: &[(&[&str], bool, Option<&str>)] = &[
            (
                &["core", "max_concurent_session"],
                false,
                Some("core.max_concurrent_sessions"),
            ),
            (
                &["max_concurrent_sessions"],
                false,
                Some("core.max_concurrent_sessions"),
            ),
            (
                &["agents", "amp", "comand"],
                false,
                Some("agents.amp.command"),
            ),
            (&["gitt"], true, Some("git")),
            (&["something", "else"], false, None),
        ];
        for (path, table, expected) in table {
            assert_eq!(nearest(path, *table).as_deref(), *expected, "{path:?}");
        }
        assert_eq!(
            nearest_variable("ORCHESTRA_CORE_MAX_OUTPT").unwrap(),
            "ORCHESTRA_CORE_MAX_OUTPUT"
        );
        assert_eq!(nearest_variable("ORCHESTRA_ZZZ"), None);
    }
}
