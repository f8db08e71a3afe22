//! Amp's command line grammar, as far as adapters use it.

use std::collections::BTreeMap;

use super::build::Build;
use super::flags::{self, Arity};

/// A parsed command line.
#[derive(Debug)]
pub(crate) struct Invocation {
    pub(crate) build: Build,
    pub(crate) command: Command,
    options: BTreeMap<&'static str, Vec<Option<String>>>,
}

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Version,
    Help,
    /// Speak the Agent Client Protocol.
    Acp,
    /// Run a message on a thread.
    Execute {
        thread: Target,
    },
    Threads(ThreadsCommand),
}

/// The thread a message goes to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Target {
    New,
    Last,
    /// An id or an address that ends in one.
    Named(String),
}

/// `amp threads <...>` except `continue`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ThreadsCommand {
    New,
    List,
    Fork(String),
    Markdown(String),
    Export(String),
    Usage(String),
    Share(String),
    Archive(String),
    Delete(String),
}

/// Reads the arguments; the error is the text after `Error: `.
pub(crate) fn parse(build: Build, arguments: &[String]) -> Result<Invocation, String> {
    let (options, words) = split(build, arguments)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut invocation = Invocation {
        build,
        command: Command::Help,
        options,
    };
    invocation.command = if invocation.has("--version") {
        Command::Version
    } else if invocation.has("--help") {
        Command::Help
    } else {
        command(&invocation, &words)?
    };
    Ok(invocation)
}

impl Invocation {
    pub(crate) fn has(&self, long: &str) -> bool {
        self.options.contains_key(long)
    }

    /// The last value given for an option.
    pub(crate) fn value(&self, long: &str) -> Option<&str> {
        self.options.get(long)?.last()?.as_deref()
    }

    pub(crate) fn values(&self, long: &str) -> Vec<String> {
        let given = self.options.get(long).into_iter().flatten();
        given.flatten().cloned().collect()
    }

    pub(crate) fn mode(&self) -> &str {
        self.value("--mode").unwrap_or(self.build.default_mode())
    }

    pub(crate) fn wants_stream(&self) -> bool {
        self.has("--stream-json") || self.has("--stream-json-thinking")
    }
}

type Options = BTreeMap<&'static str, Vec<Option<String>>>;

fn split(build: Build, arguments: &[String]) -> Result<(Options, Vec<String>), String> {
    let mut options = Options::new();
    let mut words = Vec::new();
    let mut index = 0;
    while let Some(argument) = arguments.get(index) {
        index += 1;
        if argument == "--" {
            words.extend_from_slice(&arguments[index..]);
            break;
        }
        if !argument.starts_with('-') || argument == "-" {
            words.push(argument.clone());
            continue;
        }
        let (name, inline) = match argument.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
            _ => (argument.as_str(), None),
        };
        let flag =
            flags::find(build, name).ok_or_else(|| format!("error: unknown option '{name}'"))?;
        let next = arguments.get(index).filter(|next| !next.starts_with('-'));
        let value = match (flag.arity, inline, next) {
            (Arity::Switch, ..) => None,
            (_, Some(inline), _) => Some(inline),
            (_, None, Some(next)) => {
                index += 1;
                Some(next.clone())
            }
            (Arity::Optional, None, None) => None,
            (Arity::One, None, None) => {
                return Err(format!("error: option '{name} <value>' argument missing"));
            }
        };
        options.entry(flag.long).or_default().push(value);
    }
    Ok((options, words))
}

fn command(invocation: &Invocation, words: &[&str]) -> Result<Command, String> {
    match words {
        ["version", ..] if invocation.build >= Build::May => Ok(Command::Version),
        ["help", ..] => Ok(Command::Help),
        ["acp"] => Ok(Command::Acp),
        ["threads" | "thread" | "t", rest @ ..] => threads(invocation, rest),
        // Amp takes no message as a bare argument: the value belongs right behind `--execute`.
        _ => Ok(Command::Execute {
            thread: Target::New,
        }),
    }
}

fn threads(invocation: &Invocation, words: &[&str]) -> Result<Command, String> {
    let Some((verb, rest)) = words.split_first() else {
        return Ok(Command::Help);
    };
    let build = invocation.build;
    let command = match *verb {
        "continue" | "c" => return Ok(continuation(invocation, rest)),
        "new" | "n" => ThreadsCommand::New,
        "list" | "l" => ThreadsCommand::List,
        "fork" if build == Build::Jan || build == Build::New => {
            ThreadsCommand::Fork(thread_argument(rest)?)
        }
        "markdown" => ThreadsCommand::Markdown(thread_argument(rest)?),
        "export" if build >= Build::May => ThreadsCommand::Export(thread_argument(rest)?),
        "usage" if build >= Build::May => ThreadsCommand::Usage(thread_argument(rest)?),
        "share" => ThreadsCommand::Share(thread_argument(rest)?),
        "archive" => ThreadsCommand::Archive(thread_argument(rest)?),
        "delete" => ThreadsCommand::Delete(thread_argument(rest)?),
        unknown => return Err(format!("error: unknown command '{unknown}'")),
    };
    Ok(Command::Threads(command))
}

fn continuation(invocation: &Invocation, words: &[&str]) -> Command {
    let thread = match words.first() {
        Some(name) if !invocation.has("--last") => Target::Named((*name).to_owned()),
        _ => Target::Last,
    };
    Command::Execute { thread }
}

fn thread_argument(words: &[&str]) -> Result<String, String> {
    let first = words.first().map(|word| (*word).to_owned());
    first.ok_or_else(|| "error: missing required argument 'threadId'".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(build: Build, line: &str) -> Result<Invocation, String> {
        let arguments: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        parse(build, &arguments)
    }

    #[test]
    fn the_message_must_follow_execute_at_once() {
        let direct = parsed(Build::New, "-x hello --stream-json").unwrap();
        assert_eq!(direct.value("--execute"), Some("hello"));
        let late = parsed(Build::New, "--execute --stream-json hello").unwrap();
        assert_eq!(late.value("--execute"), None);
        assert!(late.has("--execute"));
    }

    #[test]
    fn builds_refuse_flags_they_do_not_know() {
        let flag = "--no-archive-after-execute";
        assert!(parsed(Build::New, flag).is_ok());
        assert_eq!(
            parsed(Build::Jan, flag).unwrap_err(),
            "error: unknown option '--no-archive-after-execute'"
        );
    }

    #[test]
    fn threads_continue_takes_an_id_or_the_last() {
        let named = parsed(Build::New, "threads continue T-1 -x hi").unwrap();
        let thread = Target::Named("T-1".to_owned());
        assert_eq!(named.command, Command::Execute { thread });
        let last = parsed(Build::New, "threads continue -x hi").unwrap();
        assert_eq!(
            last.command,
            Command::Execute {
                thread: Target::Last
            }
        );
    }

    #[test]
    fn version_is_a_command_from_may() {
        assert_eq!(
            parsed(Build::May, "version").unwrap().command,
            Command::Version
        );
        let jan = parsed(Build::Jan, "version").unwrap();
        assert_eq!(
            jan.command,
            Command::Execute {
                thread: Target::New
            }
        );
    }
}
