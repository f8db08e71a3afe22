//! The table of running processes, as far as the system shows it.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(all(unix, not(target_os = "linux")))]
mod ps;
#[cfg(not(unix))]
mod unknown;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(all(unix, not(target_os = "linux")))]
use ps as system;
#[cfg(not(unix))]
use unknown as system;

pub(crate) use system::{find, processes};
#[cfg(unix)]
pub(crate) use system::{memory, shared_out_memory};
#[cfg(target_os = "linux")]
pub(crate) use system::{numbers, threads_of};

/// Every process there is.
pub(crate) fn snapshot() -> Vec<Entry> {
    processes().collect()
}

/// One process. The pid and the start together never name another process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    pub(crate) group: u32,
    /// Only compared for equality: clock ticks since boot, or what the system has instead.
    pub(crate) started: u64,
    /// Ended, but its parent has not asked for its exit code yet.
    pub(crate) is_zombie: bool,
}
