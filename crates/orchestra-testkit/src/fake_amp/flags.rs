//! Which options each build knows, which it shows, and its help text.

use super::build::Build;
use Arity::{One, Optional, Switch};

/// What follows an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arity {
    /// Nothing.
    Switch,
    /// A value, if the next argument is not an option.
    Optional,
    /// A value.
    One,
}

/// One option of the command line.
pub(crate) struct Flag {
    pub(crate) long: &'static str,
    pub(crate) short: Option<&'static str>,
    pub(crate) arity: Arity,
    since: Build,
    until: Build,
    shown_until: Option<Build>,
    about: &'static str,
}

/// The option that an argument names in this build.
pub(crate) fn find(build: Build, name: &str) -> Option<&'static Flag> {
    FLAGS
        .iter()
        .filter(|flag| flag.since <= build && build <= flag.until)
        .find(|flag| flag.long == name || flag.short == Some(name))
}

/// What `--help` prints.
pub(crate) fn help(build: Build) -> String {
    let mut text = String::from("Usage: amp [options] [command]\n\nCommands:\n");
    for (name, since, about) in COMMANDS {
        if *since <= build {
            text.push_str(&format!("  {name:<40} {about}\n"));
        }
    }
    text.push_str("\nOptions:\n");
    for flag in FLAGS.iter().filter(|flag| flag.is_shown(build)) {
        text.push_str(&format!("  {:<40} {}\n", flag.usage(), flag.about));
    }
    text.push_str(&format!("\nModes: {}\n", build.modes().join(", ")));
    text
}

impl Flag {
    fn is_shown(&self, build: Build) -> bool {
        let accepted = self.since <= build && build <= self.until;
        accepted && self.shown_until.is_some_and(|last| build <= last)
    }

    fn usage(&self) -> String {
        let value = match self.arity {
            Switch => "",
            Optional => " [message]",
            One => " <value>",
        };
        match self.short {
            Some(short) => format!("{short}, {}{value}", self.long),
            None => format!("{}{value}", self.long),
        }
    }

    const fn always(long: &'static str, arity: Arity, about: &'static str) -> Self {
        Self {
            long,
            short: None,
            arity,
            since: Build::Jan,
            until: Build::New,
            shown_until: Some(Build::New),
            about,
        }
    }

    const fn short(mut self, short: &'static str) -> Self {
        self.short = Some(short);
        self
    }

    const fn between(mut self, since: Build, until: Build) -> Self {
        self.since = since;
        self.until = until;
        self
    }

    const fn shown_until(mut self, last: Option<Build>) -> Self {
        self.shown_until = last;
        self
    }
}

const COMMANDS: &[(&str, Build, &str)] = &[
    ("threads new", Build::Jan, "Create a new thread"),
    ("threads continue [id]", Build::Jan, "Continue a thread"),
    ("threads list", Build::Jan, "List threads"),
    (
        "threads markdown <id>",
        Build::Jan,
        "Print a thread as Markdown",
    ),
    ("threads archive <id>", Build::Jan, "Archive a thread"),
    ("threads delete <id>", Build::Jan, "Delete a thread"),
    ("threads export <id>", Build::May, "Print a thread as JSON"),
    ("threads usage <id>", Build::May, "Show what a thread used"),
    ("version", Build::May, "Print the version"),
];

const FLAGS: &[Flag] = &[
    Flag::always("--version", Switch, "Print the version").short("-V"),
    Flag::always("--help", Switch, "Print this help").short("-h"),
    Flag::always("--execute", Optional, "Run one message and exit").short("-x"),
    Flag::always("--stream-json", Switch, "Print JSON lines; needs --execute"),
    Flag::always(
        "--stream-json-thinking",
        Switch,
        "Include thinking; implies --stream-json",
    )
    .between(Build::Feb, Build::New),
    Flag::always(
        "--stream-json-input",
        Switch,
        "Read JSON lines; needs --execute and --stream-json",
    ),
    Flag::always("--mode", One, "The agent mode").short("-m"),
    Flag::always(
        "--dangerously-allow-all",
        Switch,
        "Never ask before running a tool",
    )
    .shown_until(Some(Build::May)),
    Flag::always("--mcp-config", One, "MCP servers: JSON or a file"),
    Flag::always("--settings-file", One, "The settings file"),
    Flag::always("--log-level", One, "How much to log"),
    Flag::always("--log-file", One, "Where to log"),
    Flag::always("--ide", Switch, "Connect to an editor"),
    Flag::always("--no-ide", Switch, "Do not connect to an editor"),
    Flag::always("--notifications", Switch, "Play sounds"),
    Flag::always("--no-notifications", Switch, "Play no sounds"),
    Flag::always("--color", Switch, "Use colours"),
    Flag::always("--no-color", Switch, "Use no colours"),
    Flag::always("--visibility", One, "Who may see the thread"),
    Flag::always("--label", One, "Label the thread")
        .short("-l")
        .between(Build::Feb, Build::New),
    Flag::always("--effort", One, "Reasoning effort").between(Build::May, Build::May),
    Flag::always("--archive", Switch, "Archive the thread at the end")
        .between(Build::May, Build::May),
    Flag::always("--no-archive-after-execute", Switch, "Keep the thread open")
        .between(Build::New, Build::New),
    Flag::always("--title", One, "The thread's title").between(Build::New, Build::New),
    Flag::always("--stats", Switch, "Print the result with its usage").shown_until(None),
    Flag::always("--last", Switch, "threads continue: the last thread"),
    Flag::always("--limit", One, "threads list: how many"),
    Flag::always("--offset", One, "threads list: how many to skip"),
    Flag::always(
        "--include-archived",
        Switch,
        "threads list: archived ones too",
    ),
    Flag::always("--json", Switch, "threads list: as JSON").between(Build::New, Build::New),
    Flag::always("--unarchive", Switch, "threads archive: bring it back"),
    Flag::always("--details", Switch, "threads usage: per message").between(Build::May, Build::New),
];
