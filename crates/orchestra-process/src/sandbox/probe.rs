//! Finding out what a sandbox really stops: a program in it tries ten escapes, and does what an agent must be able to do.
//!
//! Nothing is changed by an escape that succeeds: files are opened and not written, or made under a name of ours and removed.

#[cfg(unix)]
mod commit;
#[cfg(unix)]
mod escapes;
#[cfg(unix)]
mod outside;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Sandbox, SandboxError, SandboxLayer};
use crate::error::ProcessError;
use crate::marker::Marker;
use crate::supervise::Guardian;

#[cfg(unix)]
pub(super) use escapes::run_inside;

#[cfg(unix)]
pub(super) const MODE: &str = "probe";

/// A sandbox to try.
#[derive(Debug)]
pub struct Probe<'a> {
    pub guardian: &'a Guardian,
    pub sandbox: &'a Sandbox,
    pub targets: &'a Targets,
    pub marker: &'a Marker,
}

/// What an escape would reach.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Targets {
    /// Where the agent works: a clone of its own. It has to be writable.
    pub workspace: PathBuf,
    pub main_checkout: PathBuf,
    /// The git directory of the main checkout.
    pub git_directory: PathBuf,
    pub other_worktree: Option<PathBuf>,
    pub home: PathBuf,
    /// What the sandbox hides of the home directory.
    pub secrets: Vec<PathBuf>,
    /// A file of the product's own store.
    pub store: PathBuf,
    /// A directory that the sandbox hides, in which a socket is put for the time of the probe.
    pub outside: PathBuf,
    /// The git program.
    pub git: PathBuf,
}

/// One way out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Escape {
    /// Write to the main checkout.
    MainCheckout,
    /// Write to the configuration or the hooks of the main repository.
    GitConfiguration,
    /// Write to another worktree.
    OtherWorktree,
    /// Write to the home directory.
    Home,
    /// Read a secret of the home directory.
    HomeSecret,
    /// Read the product's store, or write beside it.
    Store,
    /// Send a signal to a process outside.
    Signal,
    /// Read the environment or the memory of a process outside.
    ProcessMemory,
    /// Connect to a port or a socket outside.
    Connection,
    /// Leave by a link, a mount or a namespace.
    Namespaces,
}

impl Escape {
    pub const ALL: [Self; 10] = [
        Self::MainCheckout,
        Self::GitConfiguration,
        Self::OtherWorktree,
        Self::Home,
        Self::HomeSecret,
        Self::Store,
        Self::Signal,
        Self::ProcessMemory,
        Self::Connection,
        Self::Namespaces,
    ];
}

/// What became of an escape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The layer is the one that answered first; others may stand behind it.
    Stopped { by: SandboxLayer },
    /// It was possible, in this way.
    Succeeded { how: String },
    /// What it would reach does not exist here.
    NothingToTry,
}

/// An escape that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub escape: Escape,
    pub outcome: Outcome,
}

/// What a probe found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeRecord {
    pub layers: Vec<SandboxLayer>,
    pub attempts: Vec<Attempt>,
    /// Why a commit in the workspace failed; `None` when it was made.
    pub commit_failure: Option<String>,
    /// Whether a socket with a path could be connected to that was made where the program can read, after it had started. No
    /// layer stops that, so it is no escape that counts.
    pub reaches_late_sockets: bool,
    pub milliseconds: u64,
}

impl ProbeRecord {
    /// How many escapes were tried.
    pub fn tried(&self) -> usize {
        self.count(|outcome| *outcome != Outcome::NothingToTry)
    }

    /// How many of them were stopped.
    pub fn stopped(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Stopped { .. }))
    }

    /// Whether everything that was tried was stopped, and the agent can work.
    pub fn holds(&self) -> bool {
        self.stopped() == self.tried() && self.commit_failure.is_none()
    }

    fn count(&self, is_counted: impl Fn(&Outcome) -> bool) -> usize {
        let outcomes = self.attempts.iter().map(|attempt| &attempt.outcome);
        outcomes.filter(|outcome| is_counted(outcome)).count()
    }
}

/// Tries a sandbox, in the sandbox.
///
/// # Errors
/// If the sandbox cannot be made, or the program in it does not answer.
pub fn probe(probe: &Probe<'_>) -> Result<ProbeRecord, ProcessError> {
    #[cfg(unix)]
    return outside::run(probe);
    #[cfg(not(unix))]
    {
        let Probe { sandbox, .. } = probe;
        sandbox.layers.require(&sandbox.layers.names())?;
        Err(SandboxError::NoLayer.into())
    }
}

#[cfg(unix)]
fn failed(problem: &dyn std::fmt::Display) -> ProcessError {
    let problem = problem.to_string();
    SandboxError::Probe { problem }.into()
}

/// What the program in the sandbox is told.
#[cfg(unix)]
#[derive(Debug, Serialize, Deserialize)]
struct Task {
    targets: Targets,
    layers: Vec<SandboxLayer>,
    /// Files with secrets, seen from outside.
    secret_files: Vec<PathBuf>,
    /// Whoever tries the sandbox.
    process: crate::identity::ProcessIdentity,
    port: u16,
    /// Sockets that somebody listens at, each with the words for it.
    sockets: Vec<(String, PathBuf)>,
    /// One that is made after the program said something.
    late_socket: Option<PathBuf>,
}

/// What it answers.
#[cfg(unix)]
#[derive(Debug, Serialize, Deserialize)]
struct Answer {
    attempts: Vec<Attempt>,
    commit_failure: Option<String>,
    reaches_late_sockets: bool,
}
