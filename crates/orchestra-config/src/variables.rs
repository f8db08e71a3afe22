//! The names of all environment variables the product reads, apart from those made from a settings key.

use crate::keys::shouted;

/// Settings and data of this product start with this.
pub const PREFIX: &str = "ORCHESTRA_";
/// The data directory.
pub const ORCHESTRA_HOME: &str = "ORCHESTRA_HOME";
/// The user's settings file.
pub const ORCHESTRA_CONFIG: &str = "ORCHESTRA_CONFIG";
/// What is logged.
pub const ORCHESTRA_LOG: &str = "ORCHESTRA_LOG";
/// The mark that children carry.
pub const ORCHESTRA_RUN: &str = "ORCHESTRA_RUN";
/// Where a test build ends itself.
pub const ORCHESTRA_FAILPOINT: &str = "ORCHESTRA_FAILPOINT";
/// The session a script or shell belongs to.
pub const ORCHESTRA_SESSION: &str = "ORCHESTRA_SESSION";
/// Starts the names of variables with a session's ports; the name of the block follows.
pub const ORCHESTRA_PORT: &str = "ORCHESTRA_PORT_";
/// Starts the names of variables with the places of a session's databases.
pub const ORCHESTRA_DATABASE_PREFIX: &str = "ORCHESTRA_DATABASE_";
/// Starts the names of variables with the addresses of a session's databases.
pub const ORCHESTRA_DATABASE_URL_PREFIX: &str = "ORCHESTRA_DATABASE_URL_";
/// The database that a command makes or drops.
pub const ORCHESTRA_DATABASE: &str = "ORCHESTRA_DATABASE";
/// Its file, or its name on the server.
pub const ORCHESTRA_LOCATION: &str = "ORCHESTRA_LOCATION";
/// Under which name a session's servers are reached.
pub const ORCHESTRA_HOSTNAME: &str = "ORCHESTRA_HOSTNAME";
/// A session's place for what can be made again.
pub const ORCHESTRA_CACHE_DIR: &str = "ORCHESTRA_CACHE_DIR";
/// What Docker Compose calls a session's containers.
pub const COMPOSE_PROJECT_NAME: &str = "COMPOSE_PROJECT_NAME";
/// The port that programs look for without knowing of Orchestra.
pub const PORT: &str = "PORT";
/// The address of a database that programs look for without knowing of Orchestra.
pub const DATABASE_URL: &str = "DATABASE_URL";
/// The branch of the session a command is about.
pub const ORCHESTRA_BRANCH: &str = "ORCHESTRA_BRANCH";
/// The branch that session lands on.
pub const ORCHESTRA_BASE: &str = "ORCHESTRA_BASE";
/// The main checkout of its repository.
pub const ORCHESTRA_REPOSITORY: &str = "ORCHESTRA_REPOSITORY";
/// The title of a pull request.
pub const ORCHESTRA_TITLE: &str = "ORCHESTRA_TITLE";
/// A file with the text of a pull request.
pub const ORCHESTRA_BODY_FILE: &str = "ORCHESTRA_BODY_FILE";
/// Amp's access token.
pub const AMP_API_KEY: &str = "AMP_API_KEY";
/// Amp's server.
pub const AMP_URL: &str = "AMP_URL";
/// Amp's own settings file.
pub const AMP_SETTINGS_FILE: &str = "AMP_SETTINGS_FILE";
/// Where Amp keeps its state.
pub const AMP_HOME: &str = "AMP_HOME";
/// Codex' key.
pub const CODEX_API_KEY: &str = "CODEX_API_KEY";
/// Where Codex keeps its settings, its login and its threads.
pub const CODEX_HOME: &str = "CODEX_HOME";
/// The key of OpenAI's API.
pub const OPENAI_API_KEY: &str = "OPENAI_API_KEY";
/// The server of OpenAI's API.
pub const OPENAI_BASE_URL: &str = "OPENAI_BASE_URL";
/// The key of Anthropic's API.
pub const ANTHROPIC_API_KEY: &str = "ANTHROPIC_API_KEY";
/// A bearer token for Anthropic's API.
pub const ANTHROPIC_AUTH_TOKEN: &str = "ANTHROPIC_AUTH_TOKEN";
/// The server of Anthropic's API.
pub const ANTHROPIC_BASE_URL: &str = "ANTHROPIC_BASE_URL";
/// Claude Code's token for a subscription.
pub const CLAUDE_CODE_OAUTH_TOKEN: &str = "CLAUDE_CODE_OAUTH_TOKEN";
/// Where Claude Code keeps its settings and its login.
pub const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
/// The preferred editor.
pub const VISUAL: &str = "VISUAL";
/// The editor when `VISUAL` is not set.
pub const EDITOR: &str = "EDITOR";
/// The user's shell.
pub const SHELL: &str = "SHELL";
/// No colour in terminal output.
pub const NO_COLOR: &str = "NO_COLOR";
/// The directories programs are found in.
pub const PATH: &str = "PATH";
/// The terminal's kind.
pub const TERM: &str = "TERM";
/// The user's home directory.
pub const HOME: &str = "HOME";
/// The user's home directory on Windows.
pub const USERPROFILE: &str = "USERPROFILE";
/// The directory of user settings.
pub const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
/// The directory of user data.
pub const XDG_DATA_HOME: &str = "XDG_DATA_HOME";
/// The directory of user settings on Windows.
pub const APPDATA: &str = "APPDATA";
/// The directory of user data on Windows.
pub const LOCALAPPDATA: &str = "LOCALAPPDATA";
/// The socket of the user's SSH agent.
pub const SSH_AUTH_SOCK: &str = "SSH_AUTH_SOCK";

/// The variable with a port of a block, counted from 1.
#[must_use]
pub fn port_variable(block: &str, number: u32) -> String {
    let first = format!("{ORCHESTRA_PORT}{}", shouted(block));
    match number {
        1 => first,
        number => format!("{first}_{number}"),
    }
}

/// The variable with the place of a database.
#[must_use]
pub fn database_variable(name: &str) -> String {
    format!("{ORCHESTRA_DATABASE_PREFIX}{}", shouted(name))
}

/// The variable with the address of a database.
#[must_use]
pub fn database_url_variable(name: &str) -> String {
    format!("{ORCHESTRA_DATABASE_URL_PREFIX}{}", shouted(name))
}

/// One environment variable, for the reference page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub description: &'static str,
}

/// Every variable that is not made from a settings key.
pub const VARIABLES: &[Variable] = &[
    variable(
        ORCHESTRA_HOME,
        "data directory: database, agent output, logs; an absolute path",
    ),
    variable(ORCHESTRA_CONFIG, "user settings file; an absolute path"),
    variable(
        ORCHESTRA_LOG,
        "what is logged, such as `info` or `orchestra_git=debug`: by a command to stderr (nothing if not set), by what runs in the background to `logs` in the data directory (`warn` if not set)",
    ),
    variable(
        ORCHESTRA_RUN,
        "set by the product on every program it starts, so that leftovers can be found",
    ),
    variable(
        ORCHESTRA_FAILPOINT,
        "a named place where a test build ends itself; release builds ignore it",
    ),
    variable(
        ORCHESTRA_SESSION,
        "set by the product for scripts and shells: the id of the session they belong to",
    ),
    variable(
        "ORCHESTRA_PORT_<NAME>",
        "set by the product for everything that runs in a session: the first port of this block; `_2`, `_3` ... the others; `PORT` is that of `web`, or of the only block",
    ),
    variable(
        "ORCHESTRA_DATABASE_<NAME>",
        "set by the product for everything that runs in a session: file or name of this database",
    ),
    variable(
        "ORCHESTRA_DATABASE_URL_<NAME>",
        "the same as an address; `DATABASE_URL` is that of the only database",
    ),
    variable(
        ORCHESTRA_HOSTNAME,
        "set by the product for everything that runs in a session: the name its servers are reached by",
    ),
    variable(
        ORCHESTRA_CACHE_DIR,
        "set by the product for everything that runs in a session: a directory for what can be made again",
    ),
    variable(
        COMPOSE_PROJECT_NAME,
        "set by the product for everything that runs in a session: tells its containers from those of other sessions",
    ),
    variable(
        ORCHESTRA_BRANCH,
        "set by the product for `commands.*`: the branch of the session",
    ),
    variable(
        ORCHESTRA_BASE,
        "set by the product for `commands.*`: the branch the session lands on",
    ),
    variable(
        ORCHESTRA_REPOSITORY,
        "set by the product for `commands.*`: the main checkout of the repository",
    ),
    variable(
        ORCHESTRA_DATABASE,
        "set by the product for `databases.*.create` and `drop`: the name of the database in the settings",
    ),
    variable(
        ORCHESTRA_LOCATION,
        "set by the product for `databases.*.create` and `drop`: its file, or its name on the server",
    ),
    variable(
        ORCHESTRA_TITLE,
        "set by the product for `commands.pr`: a title for the pull request",
    ),
    variable(
        ORCHESTRA_BODY_FILE,
        "set by the product for `commands.pr`: a file with a text for the pull request",
    ),
    variable(
        AMP_API_KEY,
        "Amp's access token; given to Amp only, and redacted in everything that is kept",
    ),
    variable(AMP_URL, "Amp's server; given to Amp only"),
    variable(
        AMP_SETTINGS_FILE,
        "Amp's own settings file; given to Amp only",
    ),
    variable(
        AMP_HOME,
        "where Amp keeps its login and state; given to Amp only",
    ),
    variable(CODEX_API_KEY, "Codex' key; given to Codex only"),
    variable(
        CODEX_HOME,
        "where Codex keeps its settings, login and threads; given to Codex only",
    ),
    variable(
        OPENAI_API_KEY,
        "the key of OpenAI's API; given to Codex only",
    ),
    variable(
        OPENAI_BASE_URL,
        "the server of OpenAI's API; given to Codex only",
    ),
    variable(
        ANTHROPIC_API_KEY,
        "the key of Anthropic's API; given to Claude Code only",
    ),
    variable(
        ANTHROPIC_AUTH_TOKEN,
        "a bearer token for Anthropic's API; given to Claude Code only",
    ),
    variable(
        ANTHROPIC_BASE_URL,
        "the server of Anthropic's API; given to Claude Code only",
    ),
    variable(
        CLAUDE_CODE_OAUTH_TOKEN,
        "Claude Code's token for a subscription; given to Claude Code only",
    ),
    variable(
        CLAUDE_CONFIG_DIR,
        "where Claude Code keeps its settings and login; given to Claude Code only",
    ),
    variable(
        VISUAL,
        "editor for prompts and `open`, unless `ui.editor` is set",
    ),
    variable(
        EDITOR,
        "editor when neither `ui.editor` nor `VISUAL` is set",
    ),
    variable(SHELL, "shell that `shell` opens in a worktree"),
    variable(NO_COLOR, "any value: no colour when `ui.color` is `auto`"),
    variable(
        TERM,
        "kind of terminal; `dumb` means no colour and no live progress",
    ),
    variable(PATH, "directories where git, agents and scripts are found"),
    variable(HOME, "home directory (Linux, macOS)"),
    variable(
        XDG_CONFIG_HOME,
        "directory of user settings, `~/.config` if not set (Linux, macOS)",
    ),
    variable(
        XDG_DATA_HOME,
        "directory of user data, `~/.local/share` if not set (Linux, macOS)",
    ),
    variable(USERPROFILE, "home directory (Windows)"),
    variable(APPDATA, "directory of user settings (Windows)"),
    variable(LOCALAPPDATA, "directory of user data (Windows)"),
    variable(
        SSH_AUTH_SOCK,
        "SSH agent; given to git for fetch and push only, never to an agent or a script",
    ),
];

const fn variable(name: &'static str, description: &'static str) -> Variable {
    Variable { name, description }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_variable_is_listed_twice_or_shadows_a_setting() {
        let names: BTreeSet<_> = VARIABLES.iter().map(|variable| variable.name).collect();
        assert_eq!(names.len(), VARIABLES.len());
        let settings = crate::keys::KEYS.iter().map(crate::Key::variable);
        assert_eq!(
            settings
                .filter(|name| names.contains(name.as_str()))
                .count(),
            0
        );
    }
}
