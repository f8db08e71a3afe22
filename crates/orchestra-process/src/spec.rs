//! A child process as a value: program, arguments, directory, environment and input.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;

/// What to start, and how.
///
/// The environment is complete: the child starts from an empty one and gets exactly `env`.
#[derive(Clone, PartialEq, Eq)]
pub struct CommandSpec {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub cwd: PathBuf,
    pub env: BTreeMap<OsString, OsString>,
    pub stdin: Stdin,
}

/// What the child reads from its standard input.
#[derive(Clone, PartialEq, Eq, Default)]
pub enum Stdin {
    /// Nothing: the null device.
    #[default]
    Empty,
    /// These bytes, then the end.
    Bytes(Vec<u8>),
    /// These bytes, and what is sent to it while it runs; only a child that is supervised can be sent more.
    Open(Vec<u8>),
    /// Whatever this process reads.
    Inherit,
}

impl CommandSpec {
    /// A program in a directory; a name without a separator is searched in the `PATH` of `env`.
    pub fn new(program: impl Into<PathBuf>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            cwd: cwd.into(),
            env: BTreeMap::new(),
            stdin: Stdin::Empty,
        }
    }

    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    #[must_use]
    pub fn args<I>(mut self, args: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<OsString>,
    {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    #[must_use]
    pub fn envs<I, N, V>(mut self, variables: I) -> Self
    where
        I: IntoIterator<Item = (N, V)>,
        N: Into<OsString>,
        V: Into<OsString>,
    {
        let variables = variables.into_iter();
        self.env
            .extend(variables.map(|(name, value)| (name.into(), value.into())));
        self
    }

    #[must_use]
    pub fn stdin(mut self, stdin: Stdin) -> Self {
        self.stdin = stdin;
        self
    }

    /// The search path of the child, when it has one.
    pub(crate) fn search_path(&self) -> Option<&OsStr> {
        self.env.get(OsStr::new("PATH")).map(OsString::as_os_str)
    }
}

/// Values of variables and the input may be secrets, so they are never shown.
impl fmt::Debug for CommandSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandSpec")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("cwd", &self.cwd)
            .field("env", &self.env.keys().collect::<Vec<_>>())
            .field("stdin", &self.stdin)
            .finish()
    }
}

impl fmt::Debug for Stdin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("Empty"),
            Self::Bytes(bytes) => write!(f, "Bytes({} bytes)", bytes.len()),
            Self::Open(bytes) => write!(f, "Open({} bytes)", bytes.len()),
            Self::Inherit => f.write_str("Inherit"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_what_was_said() {
        let spec = CommandSpec::new("git", "/tmp")
            .arg("-c")
            .args(["a=b", "status"])
            .env("LANG", "C")
            .envs([("HOME", "/nowhere")])
            .stdin(Stdin::Bytes(b"x".to_vec()));
        assert_eq!(spec.args, ["-c", "a=b", "status"]);
        assert_eq!(spec.env.len(), 2);
        assert_eq!(spec.search_path(), None);
    }

    #[test]
    fn shows_neither_values_nor_input() {
        let spec = CommandSpec::new("agent", "/")
            .env("API_KEY", "hunter2hunter2")
            .stdin(Stdin::Bytes(b"topsecret".to_vec()));
        let shown = format!("{spec:?}");
        assert!(shown.contains("API_KEY") && shown.contains("9 bytes"));
        assert!(!shown.contains("hunter2") && !shown.contains("topsecret"));
    }
}
