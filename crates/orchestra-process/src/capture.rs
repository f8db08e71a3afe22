//! Short children whose output is wanted as a whole: git, `amp --version`.

#[cfg(unix)]
mod poll;
#[cfg(not(unix))]
mod threads;

#[cfg(unix)]
use poll::drive;
#[cfg(not(unix))]
use threads::drive;

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::children;
use crate::error::ProcessError;
use crate::exit::Exit;
use crate::spec::{CommandSpec, Stdin};

const SHOWN_ARGUMENTS: usize = 6;

/// When to give up on a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub timeout: Duration,
    /// The most bytes of output kept in memory, both streams together.
    pub max_output: usize,
}

/// A child that ended by itself, with whatever exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    pub exit: Exit,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub duration: Duration,
}

/// Runs `spec` in a process group of its own and collects what it writes.
///
/// At the time limit or the output limit the child and everything below it is killed (on Windows
/// the child alone). Once the
/// child itself ended, what it left behind in its group cannot hold up the answer: it has a moment
/// to close the pipes and is then killed.
pub fn capture(spec: &CommandSpec, limits: Limits) -> Result<Captured, ProcessError> {
    run(spec, limits, None)
}

/// Like [`capture`], but hands standard output to `sink` piece by piece instead of keeping it, so
/// that only standard error counts towards the output limit.
pub fn capture_to(
    spec: &CommandSpec,
    limits: Limits,
    sink: &mut dyn FnMut(&[u8]),
) -> Result<Captured, ProcessError> {
    run(spec, limits, Some(sink))
}

type Sink<'sink> = &'sink mut dyn FnMut(&[u8]);

fn run(
    spec: &CommandSpec,
    limits: Limits,
    sink: Option<Sink<'_>>,
) -> Result<Captured, ProcessError> {
    let started = Instant::now();
    let mut command = children::command(spec)?;
    command
        .stdin(match spec.stdin {
            Stdin::Empty => Stdio::null(),
            Stdin::Bytes(_) | Stdin::Open(_) => Stdio::piped(),
            Stdin::Inherit => Stdio::inherit(),
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = children::spawn(&mut command, spec)?;
    let mut output = Output::new(limits.max_output, sink);
    let deadline = started.checked_add(limits.timeout);
    let outcome = drive(&mut child, spec, deadline, &mut output);
    let waited = children::wait(&mut child);
    let result = conclude(spec, limits, outcome, waited.map(Exit::from));
    log(spec, started.elapsed(), &result);
    result.map(|exit| Captured {
        exit,
        stdout: output.stdout,
        stderr: output.stderr,
        duration: started.elapsed(),
    })
}

/// Why the pipes are not read any further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Ended,
    TimedOut,
    TooLarge,
}

fn conclude(
    spec: &CommandSpec,
    limits: Limits,
    outcome: std::io::Result<Outcome>,
    exit: std::io::Result<Exit>,
) -> Result<Exit, ProcessError> {
    let program = || spec.program.clone();
    let failed = |action| move |source| ProcessError::Io { action, source };
    match outcome.map_err(failed("read the output of the program"))? {
        Outcome::Ended => exit.map_err(failed("wait for the program")),
        Outcome::TimedOut => Err(ProcessError::TimedOut {
            program: program(),
            after: limits.timeout,
        }),
        Outcome::TooLarge => Err(ProcessError::OutputTooLarge {
            program: program(),
            limit: limits.max_output,
        }),
    }
}

fn log(spec: &CommandSpec, duration: Duration, result: &Result<Exit, ProcessError>) {
    let shown = &spec.args[..spec.args.len().min(SHOWN_ARGUMENTS)];
    match result {
        Ok(exit) => {
            tracing::debug!(program = ?spec.program, args = ?shown, ?duration, %exit, "ran")
        }
        Err(error) => {
            tracing::debug!(program = ?spec.program, args = ?shown, ?duration, %error, "failed");
        }
    }
}

/// What was read so far.
struct Output<'sink> {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    limit: usize,
    sink: Option<Sink<'sink>>,
}

impl<'sink> Output<'sink> {
    fn new(limit: usize, sink: Option<Sink<'sink>>) -> Self {
        Self {
            stdout: Vec::new(),
            stderr: Vec::new(),
            limit,
            sink,
        }
    }

    fn push_stdout(&mut self, bytes: &[u8]) -> bool {
        match &mut self.sink {
            Some(sink) => sink(bytes),
            None => self.stdout.extend_from_slice(bytes),
        }
        self.is_within_limit()
    }

    fn push_stderr(&mut self, bytes: &[u8]) -> bool {
        self.stderr.extend_from_slice(bytes);
        self.is_within_limit()
    }

    fn is_within_limit(&self) -> bool {
        self.stdout.len().saturating_add(self.stderr.len()) <= self.limit
    }
}
