//! Limits that the system enforces on an agent and everything below it.

use serde::{Deserialize, Serialize};

/// What a process tree may use; `None` leaves the limit as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceLimits {
    /// Whether a crash may write a memory image, which could hold secrets, into the worktree.
    pub core_dumps: bool,
    pub open_files: Option<u64>,
    /// Processes of the user as a whole, not of the tree alone; not enforced for root.
    pub processes: Option<u64>,
    /// Bytes of the largest file that may be written.
    pub file_size: Option<u64>,
}

/// Below this the guardian itself could not read the process table any more.
#[cfg(unix)]
const FEWEST_OPEN_FILES: u64 = 64;

#[cfg(unix)]
impl ResourceLimits {
    /// Applies the limits to this process and all its children to come.
    pub(crate) fn apply(&self) -> std::io::Result<()> {
        use rustix::process::Resource;
        let open_files = self.open_files.map(|most| most.max(FEWEST_OPEN_FILES));
        let wanted = [
            (Resource::Core, (!self.core_dumps).then_some(0)),
            (Resource::Nofile, open_files),
            (Resource::Nproc, self.processes),
            (Resource::Fsize, self.file_size),
        ];
        for (resource, most) in wanted {
            if let Some(most) = most {
                lower(resource, most)?;
            }
        }
        Ok(())
    }
}

/// A limit that is already lower stays.
#[cfg(unix)]
fn lower(resource: rustix::process::Resource, most: u64) -> std::io::Result<()> {
    use rustix::process::{Rlimit, getrlimit, setrlimit};
    let now = getrlimit(resource);
    let maximum = now.maximum.map_or(most, |maximum| maximum.min(most));
    let current = now.current.map_or(maximum, |current| current.min(maximum));
    let limit = Rlimit {
        current: Some(current),
        maximum: Some(maximum),
    };
    Ok(setrlimit(resource, limit)?)
}
