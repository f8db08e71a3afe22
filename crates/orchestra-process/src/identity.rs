//! Which process a number means: numbers are reused, a number with its start time is not.

use serde::{Deserialize, Serialize};

use crate::table;

/// A process for as long as the system runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProcessIdentity {
    pub pid: u32,
    /// Only compared for equality; 0 where the system does not tell.
    pub started: u64,
}

impl ProcessIdentity {
    /// This process.
    pub fn current() -> Self {
        let pid = std::process::id();
        Self::of(pid).unwrap_or(Self { pid, started: 0 })
    }

    /// The process that has this number now.
    pub fn of(pid: u32) -> Option<Self> {
        let entry = table::find(pid).filter(|entry| !entry.is_zombie)?;
        let started = entry.started;
        Some(Self { pid, started })
    }

    /// Whether exactly this process still runs.
    pub fn is_alive(&self) -> bool {
        Self::of(self.pid) == Some(*self)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_alive_and_its_number_alone_is_not_enough() {
        let current = ProcessIdentity::current();
        assert!(current.is_alive());
        let other = ProcessIdentity {
            started: current.started + 1,
            ..current
        };
        assert!(!other.is_alive());
        assert_eq!(ProcessIdentity::of(u32::MAX), None);
    }
}
