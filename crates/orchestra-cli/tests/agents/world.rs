//! A sandbox in which one agent works on one repository, and a provider that it asks.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use orchestra_testkit::provider::Provider;
use orchestra_testkit::{Sandbox, TestRepository, processes, wait_until};
use serde_json::Value;

use crate::installed::Installed;

/// Long enough for a loaded machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Nobody listens there: what is not on loopback is not reached.
const NOWHERE: &str = "http://127.0.0.1:9";

const SETTINGS: &str = "[security]\npass_env = [\"HTTP_PROXY\", \"HTTPS_PROXY\", \"NO_PROXY\", \"OPENCODE_DISABLE_MODELS_FETCH\"]\n";

pub(crate) struct World {
    pub(crate) agent: Installed,
    pub(crate) provider: Provider,
    sandbox: Sandbox,
    _repository: TestRepository,
    started: Instant,
}

/// What `orchestra session <words> --json` answered last.
pub(crate) struct Answer {
    pub(crate) code: i32,
    pub(crate) value: Value,
    stderr: String,
}

impl fmt::Display for Answer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            code,
            value,
            stderr,
        } = self;
        write!(formatter, "exit code {code}\n{value:#}\n{stderr}")
    }
}

impl Answer {
    /// Asserts the exit code and how the iteration ended.
    #[track_caller]
    pub(crate) fn ends(self, code: i32, outcome: &str) -> Self {
        let said = &self.value["iteration"]["outcome"];
        assert_eq!((self.code, said), (code, &outcome.into()), "{self}");
        self
    }
}

impl World {
    pub(crate) fn of(agent: Installed) -> Self {
        let provider = Provider::start();
        let command = format!("ORCHESTRA_AGENTS_{}_COMMAND", agent.name().to_uppercase());
        let sandbox = Sandbox::new()
            .with_variable(&command, agent.command())
            .with_variable("ORCHESTRA_AGENTS_DEFAULT", agent.name())
            .with_variable("ORCHESTRA_CORE_STOP_GRACE", "5s")
            .with_variable("ORCHESTRA_AGENTS_RETRY_AFTER", "2s")
            .with_variable("AMP_URL", provider.url())
            .with_variable("HTTP_PROXY", NOWHERE)
            .with_variable("HTTPS_PROXY", NOWHERE)
            .with_variable("NO_PROXY", "127.0.0.1,localhost")
            .with_variable("OPENCODE_DISABLE_MODELS_FETCH", "1");
        agent.configure(&sandbox.home(), &provider.url());
        let settings = sandbox.home().join(".config/orchestra/config.toml");
        std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
        std::fs::write(settings, SETTINGS).unwrap();
        let repository = sandbox.repository("sample");
        Self {
            agent,
            provider,
            sandbox,
            _repository: repository,
            started: Instant::now(),
        }
    }

    /// A session whose first turn follows a script.
    pub(crate) fn session(&self, script: &str) {
        let prompt = format!("Do as told.\nscript: {script}");
        let answer = self.run(&["new", "--name", "x", "--prompt", &prompt], &[]);
        assert_eq!(answer.code, 0, "{answer}");
    }

    /// `orchestra session iterate` with notes that name a script.
    pub(crate) fn iterate(&self, script: &str) -> Answer {
        self.run(&["iterate", "x", "--notes", &named(script)], &[])
    }

    /// `orchestra session <words> --json` with more variables.
    pub(crate) fn run(&self, words: &[&str], variables: &[(&str, &str)]) -> Answer {
        let mut command = self.sandbox.orchestra();
        command.arg("session").args(words).arg("--json");
        let output = command.envs(variables.iter().copied()).output().unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        // A command that follows an agent prints what it says, a line each, before the answer.
        let last = stdout.lines().last().map(serde_json::from_str);
        let value = match last {
            Some(Ok(value)) => value,
            _ => serde_json::from_str(&stdout).unwrap_or(Value::Null),
        };
        Answer {
            code: output.status.code().unwrap_or(-1),
            value,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// One more session, whose first turn goes on while the test does.
    pub(crate) fn start(&self, name: &str, script: &str) {
        let prompt = format!("Do as told.\nscript: {script}");
        let made = self.run(&["new", "--name", name, "--prompt", &prompt], &[]);
        assert_eq!(made.code, 0, "{made}");
        let detached = self.run(&["iterate", name, "--detach"], &[]);
        assert_eq!(detached.code, 0, "{detached}");
    }

    pub(crate) fn status(&self) -> Value {
        self.status_of("x")
    }

    pub(crate) fn status_of(&self, session: &str) -> Value {
        self.run(&["status", session], &[]).value["session"].take()
    }

    /// The transcript as users read it.
    pub(crate) fn transcript(&self) -> String {
        let mut command = self.sandbox.orchestra();
        let output = command.args(["session", "transcript", "x"]).output();
        String::from_utf8_lossy(&output.unwrap().stdout).into_owned()
    }

    /// The events of the transcript.
    pub(crate) fn events(&self) -> Vec<Value> {
        let mut command = self.sandbox.orchestra();
        command.args(["session", "transcript", "x", "--json"]);
        let output = command.output().unwrap().stdout;
        let lines = output.split(|byte| *byte == b'\n');
        let items = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
        items.map(|mut item| item["event"].take()).collect()
    }

    /// Removes what the agent keeps of its conversations.
    pub(crate) fn forget_threads(&self) {
        let kept = self.sandbox.home().join(self.agent.threads());
        std::fs::remove_dir_all(kept).unwrap();
    }

    pub(crate) fn worktree(&self) -> PathBuf {
        self.status()["worktree_path"].as_str().unwrap().into()
    }

    /// A file of the session's last commit, as git has it.
    #[track_caller]
    pub(crate) fn committed(&self, path: &str) -> String {
        let tree = self.sandbox.repository_at(&self.worktree());
        tree.git(&["show", &format!("HEAD:{path}")])
    }

    /// Waits until nothing of this sandbox runs any more. Whatever an agent starts has the sandbox's home or its mark.
    pub(crate) fn wait_until_quiet(&self) {
        let (home, data) = (self.sandbox.home(), self.sandbox.data_dir());
        let mut left = Vec::new();
        wait_until("no process of the sandbox is left", PATIENCE, || {
            left = processes::with_variable("HOME", &home.to_string_lossy());
            left.extend(processes::with_variable(
                "ORCHESTRA_HOME",
                &data.to_string_lossy(),
            ));
            left.is_empty()
        });
    }

    /// Says what passed.
    #[expect(
        clippy::print_stdout,
        reason = "whoever runs these tests reads what each agent did"
    )]
    pub(crate) fn passed(self, what: &str) {
        self.wait_until_quiet();
        let took = self.started.elapsed().as_secs_f64();
        println!(
            "{}: {what}, {took:.1} s, processes left 0",
            self.agent.name()
        );
    }
}

/// Notes that name a script.
pub(crate) fn named(script: &str) -> String {
    format!("Go on.\nscript: {script}")
}
