//! What an agent and everything below it may use, and what holds it to that.

#[cfg(target_os = "linux")]
mod group;
#[cfg(unix)]
mod limiter;
#[cfg(unix)]
mod resource;
#[cfg(unix)]
mod sample;

#[cfg(unix)]
pub(crate) use limiter::Limiter;

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a process tree may use; `None` leaves the limit as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceLimits {
    /// Whether a crash may write a memory image, which could hold secrets, into the worktree.
    pub core_dumps: bool,
    pub open_files: Option<u64>,
    /// Bytes of the largest file that may be written.
    pub file_size: Option<u64>,
    /// Processes of the tree. One that has more is ended.
    pub processes: Option<u64>,
    /// Bytes of memory that the tree as a whole uses for itself. One that has more is ended.
    pub memory: Option<u64>,
    /// How much of all processors together the tree may keep busy, from 1 to 100. It becomes slower, and is never ended for it.
    pub cpu_percent: Option<u32>,
}

/// What holds a tree to a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitLayer {
    /// The kernel, for each process by itself.
    ProcessLimits,
    /// The guardian, which looks twice a second and ends a tree that is over the limit.
    Sampling,
    /// The kernel, for the tree as a whole.
    ControlGroup,
    /// Nothing but a lower priority: others come first, but a processor that nobody wants is used.
    Priority,
}

/// Which layer holds which limit; `None` where nothing was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitLayers {
    /// Open files, the size of a file and core dumps.
    pub files: Option<LimitLayer>,
    pub memory: Option<LimitLayer>,
    pub processes: Option<LimitLayer>,
    pub cpu: Option<LimitLayer>,
}

/// A limit for which a tree is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreeLimit {
    Memory,
    Processes,
}

/// Why a tree was ended by its guardian.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exceeded {
    pub limit: TreeLimit,
    /// Bytes or processes; where the kernel holds the limit, what it let through.
    pub measured: u64,
    pub allowed: u64,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MEBIBYTE: u64 = 1 << 20;
        let Self {
            measured, allowed, ..
        } = self;
        match self.limit {
            TreeLimit::Memory => write!(
                f,
                "used {} MiB of memory where {} MiB are allowed",
                measured.div_ceil(MEBIBYTE),
                allowed / MEBIBYTE
            ),
            TreeLimit::Processes => {
                write!(f, "had {measured} processes where {allowed} are allowed")
            }
        }
    }
}
