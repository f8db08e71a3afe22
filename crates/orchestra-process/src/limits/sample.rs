//! What a tree uses, from the process table.

use super::{Exceeded, ResourceLimits, TreeLimit};
use crate::table::{self, Entry};

/// The first limit that these processes are over.
pub(super) fn exceeded(limits: &ResourceLimits, tree: &[Entry]) -> Option<Exceeded> {
    let alive = || tree.iter().filter(|entry| !entry.is_zombie);
    let count = alive().count() as u64;
    if let Some(allowed) = limits.processes.filter(|allowed| count > *allowed) {
        let limit = TreeLimit::Processes;
        return Some(Exceeded {
            limit,
            measured: count,
            allowed,
        });
    }
    let allowed = limits.memory?;
    let sum = |measure: fn(u32) -> Option<u64>| -> u64 {
        let each = alive().filter_map(|entry| measure(entry.pid));
        each.fold(0, u64::saturating_add)
    };
    // Memory that processes share since one made the other counts for each of them here.
    if sum(table::memory) <= allowed {
        return None;
    }
    let measured = sum(table::shared_out_memory);
    let limit = TreeLimit::Memory;
    (measured > allowed).then_some(Exceeded {
        limit,
        measured,
        allowed,
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn more_processes_than_allowed_are_told_and_zombies_are_not_counted() {
        let ourselves = table::find(std::process::id()).unwrap();
        let zombie = Entry {
            is_zombie: true,
            ..ourselves
        };
        let tree = [ourselves, ourselves, zombie];
        let over = |processes| {
            let limits = ResourceLimits {
                processes: Some(processes),
                ..ResourceLimits::default()
            };
            exceeded(&limits, &tree)
        };
        assert_eq!(over(2), None);
        let found = over(1).unwrap();
        assert_eq!((found.measured, found.allowed), (2, 1));
        assert_eq!(found.to_string(), "had 2 processes where 1 are allowed");
    }

    #[test]
    fn memory_is_what_the_tree_has_for_itself() {
        let ourselves = table::find(std::process::id()).unwrap();
        let held = vec![1_u8; 64 << 20];
        let over = |memory| {
            let limits = ResourceLimits {
                memory: Some(memory),
                ..ResourceLimits::default()
            };
            exceeded(&limits, &[ourselves])
        };
        let found = over(held.len() as u64).unwrap();
        assert!(found.measured > 64 << 20 && found.measured < 512 << 20);
        assert_eq!(found.limit, TreeLimit::Memory);
        assert_eq!(over(8 << 30), None);
    }
}
