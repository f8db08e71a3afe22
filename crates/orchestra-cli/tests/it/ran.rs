//! Commands as users run them, and what they said.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::borrow::BorrowMut;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Output};

use orchestra_testkit::Sandbox;
use serde_json::Value;

/// A command that ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Asserts one error with this exit code, and a hint that tells the way out.
    #[track_caller]
    pub(crate) fn refuses(self, code: i32, message: &str) -> Self {
        let answer = self.ends_with(code);
        let stderr = &answer.stderr;
        let errors = stderr.lines().filter(|line| line.starts_with("error:"));
        assert_eq!(errors.count(), 1, "{stderr}");
        assert!(stderr.contains(message), "{message:?} is not in {stderr}");
        let helps = ["hint:", "Usage:", "tip:", "For more information"];
        assert!(
            helps.iter().any(|help| stderr.contains(help)),
            "no hint: {stderr}"
        );
        assert!(!stderr.contains("panicked"), "{stderr}");
        answer
    }

    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        self.ends_with(0)
    }

    /// Asserts the exit code.
    #[track_caller]
    pub(crate) fn ends_with(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "stdout:\n{}\nstderr:\n{}",
            self.stdout, self.stderr
        );
        self
    }

    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(
            self.stdout.contains(text) || self.stderr.contains(text),
            "no `{text}` in\n{}\n{}",
            self.stdout,
            self.stderr
        );
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}:\n{}\n{}", self.stdout, self.stderr))
    }
}

/// Runs a command to its end.
pub(crate) fn ran(mut command: impl BorrowMut<Command>) -> Ran {
    let output = command.borrow_mut().output();
    Ran::from(output.expect("the program starts"))
}

/// `orchestra <words>`.
pub(crate) fn orchestra(sandbox: &Sandbox, words: &[&str]) -> Ran {
    ran(sandbox.orchestra().args(words))
}

/// `ampsm <words>`.
pub(crate) fn session(sandbox: &Sandbox, words: &[&str]) -> Ran {
    ran(sandbox.ampsm().args(words))
}

/// Waits for the first line a program prints, so that it is known to be at work.
pub(crate) fn first_line(child: &mut Child) -> String {
    let stdout = child.stdout.as_mut().expect("stdout is a pipe");
    let mut line = Vec::new();
    while line.last() != Some(&b'\n') {
        let mut byte = [0];
        stdout.read_exact(&mut byte).expect("a first line");
        line.extend_from_slice(&byte);
    }
    String::from_utf8_lossy(&line).into_owned()
}

/// Waits for a command that was started.
pub(crate) fn ended(child: Child) -> Ran {
    Ran::from(
        child
            .wait_with_output()
            .expect("the program can be awaited"),
    )
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Sends a signal, by name and without the `SIG`; a negative number means a process group.
pub(crate) fn signal(sandbox: &Sandbox, name: &str, pid: i64) {
    let mut command = sandbox.command(Path::new("/bin/sh"));
    command.args(["-c", &format!("kill -s {name} -- {pid}")]);
    assert!(command.status().unwrap().success(), "kill -{name} {pid}");
}
