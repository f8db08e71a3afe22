//! Ending a tree whose guardian was killed.

use std::collections::BTreeSet;
use std::time::Duration;

use rustix::process::WaitOptions;

use crate::marker::Marker;
use crate::table::Entry;
use crate::tree::{self, Killed};
use crate::{children, sweep};

const PATIENCE: Duration = Duration::from_secs(10);

/// Kills what the lost guardian left: everything with the marker, and every orphan that the
/// system handed to us. One with another marker is not its own: a guardian that keeps its agent
/// becomes an orphan too.
pub(super) fn end_orphans(marker: &Marker) -> Killed {
    children::with_ours(|ours| {
        tree::kill_all(PATIENCE, |table| {
            reap(table, ours);
            let mut roots = adopted(table, ours);
            roots.retain(|entry| !sweep::carries_another(entry.pid, marker));
            roots.extend(sweep::marked(marker));
            sweep::with_descendants(table, roots, ours)
        })
    })
}

fn adopted(table: &[Entry], ours: &BTreeSet<u32>) -> Vec<Entry> {
    let is_adopted =
        |entry: &&Entry| entry.parent == std::process::id() && !ours.contains(&entry.pid);
    table.iter().filter(is_adopted).copied().collect()
}

fn reap(table: &[Entry], ours: &BTreeSet<u32>) {
    for entry in adopted(table, ours).iter().filter(|entry| entry.is_zombie) {
        let pid = tree::pid(entry.pid);
        if let Err(error) = rustix::process::waitpid(pid, WaitOptions::NOHANG) {
            tracing::debug!(%error, "an orphan was collected already");
        }
    }
}
