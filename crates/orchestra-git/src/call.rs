//! One call of git as a value, and what git answered.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use orchestra_process::{Captured, CommandSpec, Exit, Farewell, Limits, ProcessError, Stdin};

use crate::environment::Environment;
use crate::error::GitError;

const TIMEOUT: Duration = Duration::from_secs(300);
const MAX_OUTPUT: usize = 512 * 1024 * 1024;
const STDERR_TAIL: usize = 2000;

/// What every call overrides, whatever the repository's own configuration says. It is set through the environment, so it
/// has the last word.
const OVERRIDES: &[(&str, &str)] = &[
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.untrackedCache", "false"),
    ("core.splitIndex", "false"),
    ("core.pager", "cat"),
    ("core.editor", "false"),
    ("core.logAllRefUpdates", "true"),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("log.showSignature", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("submodule.recurse", "false"),
    ("diff.ignoreSubmodules", "dirty"),
    ("advice.addEmbeddedRepo", "false"),
    ("protocol.ext.allow", "never"),
];

/// Only for calls that have no network: nothing that could reach one is left.
const LOCAL_OVERRIDES: &[(&str, &str)] = &[
    ("core.sshCommand", "false"),
    ("credential.helper", ""),
    ("protocol.allow", "never"),
];

/// Where global configuration comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Configuration {
    /// Only what the call sets.
    Ours,
    /// The user's own files too.
    Users,
}

/// One call of git, as a value.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    args: Vec<OsString>,
    dir: PathBuf,
    env: BTreeMap<OsString, OsString>,
    config: Vec<(String, String)>,
    stdin: Vec<u8>,
    timeout: Duration,
    network: bool,
    configuration: Configuration,
}

impl Call {
    pub(crate) fn new(command: &str, dir: &Path) -> Self {
        Self {
            args: vec![command.into()],
            dir: dir.to_owned(),
            env: BTreeMap::new(),
            config: Vec::new(),
            stdin: Vec::new(),
            timeout: TIMEOUT,
            network: false,
            configuration: Configuration::Ours,
        }
    }

    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args
            .extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.env.insert(name.into(), value.as_ref().to_owned());
        self
    }

    pub(crate) fn config(mut self, values: impl IntoIterator<Item = (String, String)>) -> Self {
        self.config.extend(values);
        self
    }

    pub(crate) fn stdin(mut self, bytes: Vec<u8>) -> Self {
        self.stdin = bytes;
        self
    }

    /// The user's own global and system configuration is read by git itself.
    pub(crate) fn with_users_configuration(mut self) -> Self {
        self.configuration = Configuration::Users;
        self
    }

    /// The call may use the network, for at most this long.
    pub(crate) fn with_network(mut self, wait: Duration) -> Self {
        self.network = true;
        self.timeout = wait;
        self
    }

    pub(crate) fn unreadable(&self, reason: impl Into<String>) -> GitError {
        GitError::Unreadable {
            command: self.name(),
            reason: reason.into(),
        }
    }

    pub(crate) fn unfinished(&self, source: ProcessError) -> GitError {
        GitError::Process {
            command: self.name(),
            source,
        }
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits {
            timeout: self.timeout,
            max_output: MAX_OUTPUT,
        }
    }

    /// The command line for people.
    pub(crate) fn name(&self) -> String {
        let args = self
            .args
            .iter()
            .map(|arg| arg.to_string_lossy().into_owned())
            .collect::<Vec<_>>();
        let mut name = format!("git {}", args.join(" "));
        if let Some((end, _)) = name.char_indices().nth(200) {
            name.replace_range(end.., "…");
        }
        name
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The child: environment from empty, with our configuration on top.
    pub(crate) fn spec(&self, program: &Path, environment: &Environment) -> CommandSpec {
        let mut env = if self.network {
            environment.for_network()
        } else {
            environment.for_local()
        };
        env.extend(self.env.clone());
        env.extend(self.config_variables());
        if self.configuration == Configuration::Ours {
            env.insert("GIT_CONFIG_NOSYSTEM".into(), "1".into());
            env.insert("GIT_CONFIG_GLOBAL".into(), "/dev/null".into());
        }
        let stdin = match self.stdin.is_empty() {
            true => Stdin::Empty,
            false => Stdin::Bytes(self.stdin.clone()),
        };
        CommandSpec {
            program: program.to_owned(),
            args: self.args.clone(),
            cwd: self.dir.clone(),
            env,
            stdin,
        }
    }

    fn config_variables(&self) -> Vec<(OsString, OsString)> {
        let pair = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let local: &[_] = if self.network { &[] } else { LOCAL_OVERRIDES };
        let fixed = OVERRIDES.iter().chain(local).map(pair);
        let values = self.config.iter().cloned().chain(fixed).collect::<Vec<_>>();
        let mut variables = vec![(
            OsString::from("GIT_CONFIG_COUNT"),
            OsString::from(values.len().to_string()),
        )];
        for (index, (key, value)) in values.into_iter().enumerate() {
            variables.push((format!("GIT_CONFIG_KEY_{index}").into(), key.into()));
            variables.push((format!("GIT_CONFIG_VALUE_{index}").into(), value.into()));
        }
        variables
    }
}

/// What git answered.
#[derive(Debug)]
pub(crate) struct Answer {
    command: String,
    exit: Exit,
    pub(crate) stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Answer {
    pub(crate) fn new(call: &Call, captured: Captured) -> Self {
        Self {
            command: call.name(),
            exit: captured.exit,
            stdout: captured.stdout,
            stderr: captured.stderr,
        }
    }

    /// What git said at the end of a dialogue.
    pub(crate) fn after_dialogue(call: &Call, farewell: Farewell) -> Self {
        Self {
            command: call.name(),
            exit: farewell.exit,
            stdout: Vec::new(),
            stderr: farewell.stderr,
        }
    }

    pub(crate) fn exited_with(&self, code: i32) -> bool {
        self.exit == Exit::Code(code)
    }

    pub(crate) fn is_success(&self) -> bool {
        self.exited_with(0)
    }

    pub(crate) fn require_success(self) -> Result<Self, GitError> {
        if self.is_success() {
            Ok(self)
        } else {
            Err(self.failure())
        }
    }

    pub(crate) fn failure(&self) -> GitError {
        GitError::Failed {
            command: self.command.clone(),
            exit: self.exit.to_string(),
            stderr: self.stderr(),
        }
    }

    /// The end of what git said.
    pub(crate) fn stderr(&self) -> String {
        let start = self.stderr.len().saturating_sub(STDERR_TAIL);
        String::from_utf8_lossy(&self.stderr[start..])
            .trim()
            .to_owned()
    }

    pub(crate) fn text(&self) -> Result<String, GitError> {
        String::from_utf8(self.stdout.clone()).map_err(|_| self.unreadable("it is not UTF-8"))
    }

    pub(crate) fn unreadable(&self, reason: impl Into<String>) -> GitError {
        GitError::Unreadable {
            command: self.command.clone(),
            reason: reason.into(),
        }
    }
}
