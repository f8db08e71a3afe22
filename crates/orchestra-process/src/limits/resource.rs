//! Limits that the kernel holds each process to, and its children to come.
//!
//! The size of the address space is not among them: node and Go reserve far more of it than they ever use.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::ResourceLimits;

/// Below this the guardian itself could not read the process table any more.
const FEWEST_OPEN_FILES: u64 = 64;
/// The kernel counts threads where we count processes.
#[cfg(target_os = "linux")]
const THREADS_PER_PROCESS: u64 = 32;

/// Applies the limits to this process and all its children to come.
pub(super) fn apply(limits: &ResourceLimits) -> io::Result<()> {
    let open_files = limits.open_files.map(|most| most.max(FEWEST_OPEN_FILES));
    let wanted = [
        (Resource::Core, (!limits.core_dumps).then_some(0)),
        (Resource::Nofile, open_files),
        (Resource::Nproc, limits.processes.and_then(most_threads)),
        (Resource::Fsize, limits.file_size),
    ];
    for (resource, most) in wanted {
        if let Some(most) = most {
            lower(resource, most)?;
        }
    }
    Ok(())
}

/// Stops a tree that grows faster than anybody looks. The kernel counts everything the user runs, and
/// leaves root alone.
#[cfg(target_os = "linux")]
fn most_threads(processes: u64) -> Option<u64> {
    let user = rustix::process::getuid();
    if user.is_root() {
        return None;
    }
    let running = crate::table::threads_of(user.as_raw());
    Some(running.saturating_add(processes.saturating_mul(THREADS_PER_PROCESS)))
}

#[cfg(not(target_os = "linux"))]
fn most_threads(_processes: u64) -> Option<u64> {
    None
}

/// A limit that is already lower stays.
fn lower(resource: Resource, most: u64) -> io::Result<()> {
    let now = getrlimit(resource);
    let maximum = now.maximum.map_or(most, |maximum| maximum.min(most));
    let current = now.current.map_or(maximum, |current| current.min(maximum));
    let limit = Rlimit {
        current: Some(current),
        maximum: Some(maximum),
    };
    Ok(setrlimit(resource, limit)?)
}
