//! Agents and scripts: long-running children that must not leave anything behind.
//!
//! Between us and the agent stands a *guardian*, a small process that adopts every orphan of the
//! agent and is joined to us by a socket. When the agent ends, when it is told to stop, or when
//! the socket closes because we died, the guardian ends the whole tree. When the guardian itself
//! is lost, we do.
//!
//! What is to outlive us ([`OnLoss::Keep`]) goes on when the socket closes: its guardian waits at
//! a meeting place until another process takes our part with [`take_over`].

#[cfg(unix)]
mod follow;
#[cfg(unix)]
mod guardian;
#[cfg(unix)]
mod guarding;
#[cfg(unix)]
mod input;
#[cfg(unix)]
mod kept;
#[cfg(unix)]
mod launch;
#[cfg(unix)]
mod lost;
#[cfg(unix)]
mod meeting;
#[cfg(unix)]
mod protocol;
#[cfg(not(unix))]
mod unsupported;

#[cfg(unix)]
pub use follow::{Stopper, Supervised};
#[cfg(unix)]
pub use guardian::guardian_main;
#[cfg(not(unix))]
pub use unsupported::{Stopper, Supervised, guardian_main};

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::ProcessError;
use crate::exit::Exit;
use crate::limits::{Exceeded, ResourceLimits};
use crate::marker::Marker;
use crate::sandbox::Bounds;
use crate::spec::CommandSpec;

/// How to start a program that calls [`guardian_main`]: usually this program in a hidden mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guardian {
    pub program: PathBuf,
    pub args: Vec<OsString>,
}

/// What becomes of an agent when whoever supervises it dies.
#[derive(Debug)]
pub enum OnLoss {
    /// Its guardian ends the whole tree.
    End,
    /// Its guardian goes on, and waits for whoever calls [`take_over`]. If that cannot be prepared,
    /// it ends the tree.
    Keep(Meeting),
}

/// Where a guardian that was left alone is met.
#[derive(Debug)]
pub struct Meeting {
    /// A socket to be made in a directory that only this user may enter. A guardian that is left
    /// alone ends the tree when it is gone.
    pub place: PathBuf,
    /// Stays open for as long as the guardian lives, such as a file that is locked.
    pub held: File,
}

/// How to end an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// Ask the agent and its process group to end, and kill the tree when the grace is over.
    Graceful { signal: StopSignal, grace: Duration },
    /// Kill the whole tree now.
    Kill,
}

/// How an agent is asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopSignal {
    Terminate,
    /// What Ctrl-C sends.
    Interrupt,
}

/// One thing that happened to an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessEvent {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
    /// Always the last: the whole tree is gone and everything it wrote was handed out.
    Exited(Ended),
}

/// The end of an agent and its tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// How the agent itself ended; signal 9 when the guardian was lost before it could tell.
    pub exit: Exit,
    /// Processes below the agent that had to be killed.
    pub swept: u32,
    /// Processes that could not be ended: of another user, or stuck in the kernel.
    pub survivors: u32,
    /// The guardian was killed, and we ended the tree in its place.
    pub guardian_lost: bool,
    /// The limit for which the guardian ended the tree.
    pub exceeded: Option<Exceeded>,
}

/// Starts `spec` under a guardian, held by nothing but `limits`: [`supervise_within`] without a sandbox.
pub fn supervise(
    guardian: &Guardian,
    spec: &CommandSpec,
    limits: &ResourceLimits,
    marker: &Marker,
    on_loss: OnLoss,
) -> Result<Supervised, ProcessError> {
    let bounds = Bounds {
        limits: limits.clone(),
        sandbox: None,
    };
    supervise_within(guardian, spec, &bounds, marker, on_loss)
}

/// Starts `spec` under a guardian, within bounds.
///
/// The marker is added to the agent's environment. The agent runs in a session without a terminal
/// and in its own process group. This process becomes the parent of orphans below it, so that it
/// can end the tree if the guardian is lost.
///
/// In namespaces ([`SandboxLayer::Bubblewrap`](crate::SandboxLayer::Bubblewrap)) a program that a signal ended shows as one that
/// ended with 128 and the signal's number, as in a shell.
///
/// # Errors
/// If the sandbox cannot be made as it is asked for, or the agent not be started.
pub fn supervise_within(
    guardian: &Guardian,
    spec: &CommandSpec,
    bounds: &Bounds,
    marker: &Marker,
    on_loss: OnLoss,
) -> Result<Supervised, ProcessError> {
    #[cfg(unix)]
    return launch::launch(guardian, spec, bounds, marker, on_loss);
    #[cfg(not(unix))]
    return unsupported::launch(guardian, spec, bounds, marker, on_loss);
}

/// Whether an agent that is kept has ended, and its guardian only waits to tell how.
pub fn has_ended(meeting: &Path) -> bool {
    #[cfg(unix)]
    return meeting::sign_of_end(meeting).exists();
    #[cfg(not(unix))]
    return unsupported::has_ended(meeting);
}

/// Forgets where a guardian was met. One that still waits there ends.
///
/// # Errors
/// If what is there cannot be removed.
pub fn forget_meeting(meeting: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    return meeting::forget(meeting);
    #[cfg(not(unix))]
    return unsupported::forget(meeting);
}

/// Takes over an agent that was to be kept and whose supervising process died. What it wrote
/// since, and how it ended if it did, comes as if it had been followed all the time. `None` when
/// no guardian waits there.
///
/// # Errors
/// If somebody else follows the agent, or the guardian does not answer or is of another version.
/// The agent goes on.
pub fn take_over(meeting: &Path, marker: &Marker) -> Result<Option<Supervised>, ProcessError> {
    #[cfg(unix)]
    return meeting::take_over(meeting, marker);
    #[cfg(not(unix))]
    return unsupported::take_over(meeting, marker);
}
