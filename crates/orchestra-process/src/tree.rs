//! Process trees: who descends from whom, and ending them without a survivor.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::table::{self, Entry};

/// A tree that grows faster than it can be stopped is killed as it is after this many looks; what
/// it made meanwhile is found by the next look.
const FREEZE_ROUNDS: usize = 64;
/// How often nothing must be found.
const QUIET_LOOKS: u32 = 3;
const PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// What ending a set of processes came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Killed {
    pub(crate) killed: u32,
    /// Still there when patience ran out: processes of another user, or stuck in the kernel.
    pub(crate) survivors: u32,
}

/// Everything below `roots`, without the roots themselves.
pub(crate) fn descendants(table: &[Entry], roots: &BTreeSet<u32>) -> Vec<Entry> {
    let mut by_parent: BTreeMap<u32, Vec<Entry>> = BTreeMap::new();
    for entry in table {
        by_parent.entry(entry.parent).or_default().push(*entry);
    }
    let mut found = Vec::new();
    let mut seen = roots.clone();
    let mut waiting: Vec<u32> = roots.iter().copied().collect();
    while let Some(parent) = waiting.pop() {
        for child in by_parent.get(&parent).into_iter().flatten() {
            if seen.insert(child.pid) {
                waiting.push(child.pid);
                found.push(*child);
            }
        }
    }
    found
}

/// Kills what `find` names in the process table until it names nothing alive several times in a
/// row.
///
/// Everything is stopped before anything is killed, so that no process sees another one die and
/// starts it again. Several times, because a process whose parent ends during one look at the
/// table seems to belong to nobody. Whole process groups are signalled as well: that also reaches
/// a process which starts its successor and ends before it can be named.
pub(crate) fn kill_all(patience: Duration, mut find: impl FnMut(&[Entry]) -> Vec<Entry>) -> Killed {
    let started = Instant::now();
    let mut killed = BTreeSet::new();
    let mut pause = PAUSE;
    let mut quiet_looks = 0;
    loop {
        let frozen = Frozen::freeze(&mut find);
        frozen.kill();
        killed.extend(
            frozen
                .processes
                .values()
                .map(|entry| (entry.pid, entry.started)),
        );
        quiet_looks = if frozen.processes.is_empty() {
            quiet_looks + 1
        } else {
            0
        };
        if quiet_looks == QUIET_LOOKS || started.elapsed() > patience {
            return tally(&killed, &frozen.processes);
        }
        thread::sleep(pause);
        pause = LONGEST_PAUSE.min(pause * 2);
    }
}

/// Kills the process group that `leader` leads, and everything below it.
pub(crate) fn kill_group_and_descendants(leader: u32, patience: Duration) -> Killed {
    kill_all(patience, |table| {
        let members = table
            .iter()
            .filter(|entry| entry.group == leader || entry.pid == leader);
        let mut victims: Vec<Entry> = members.copied().collect();
        let roots = victims
            .iter()
            .map(|entry| entry.pid)
            .chain([leader])
            .collect();
        victims.extend(descendants(table, &roots));
        victims
    })
}

/// Sends a signal unless the process has ended and its number belongs to another one.
#[cfg(target_os = "linux")]
pub(crate) fn signal(entry: &Entry, signal: Signal) -> bool {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
    let Some(pid) = pid(entry.pid) else {
        return false;
    };
    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
        return false;
    };
    let is_same = table::find(entry.pid).is_some_and(|now| now.started == entry.started);
    is_same && pidfd_send_signal(&handle, signal).is_ok()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn signal(entry: &Entry, signal: Signal) -> bool {
    pid(entry.pid).is_some_and(|pid| rustix::process::kill_process(pid, signal).is_ok())
}

pub(crate) fn pid(number: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(number).ok()?)
}

/// Processes and groups that were stopped.
#[derive(Default)]
struct Frozen {
    processes: BTreeMap<u32, Entry>,
    groups: BTreeSet<u32>,
}

impl Frozen {
    fn freeze(find: &mut impl FnMut(&[Entry]) -> Vec<Entry>) -> Self {
        let mut frozen = Self::default();
        for _ in 0..FREEZE_ROUNDS {
            let table = table::snapshot();
            let found = find(&table);
            let spared = groups_above(&table);
            for group in found.iter().map(|entry| entry.group) {
                if !spared.contains(&group) && frozen.groups.insert(group) {
                    signal_group(group, Signal::STOP);
                }
            }
            let is_new = |entry: &&Entry| !frozen.processes.contains_key(&entry.pid);
            let alive = found.iter().filter(|entry| !entry.is_zombie);
            let fresh: Vec<Entry> = alive.filter(is_new).copied().collect();
            if fresh.is_empty() {
                break;
            }
            for entry in fresh {
                signal(&entry, Signal::STOP);
                frozen.processes.insert(entry.pid, entry);
            }
        }
        frozen
    }

    fn kill(&self) {
        for entry in self.processes.values() {
            signal(entry, Signal::KILL);
        }
        for group in &self.groups {
            signal_group(*group, Signal::KILL);
        }
    }
}

/// Groups that must never be signalled as a whole: our own and those of the processes above us,
/// and 0, which stands for a group outside our pid namespace.
fn groups_above(table: &[Entry]) -> BTreeSet<u32> {
    let find = |pid: u32| table.iter().find(|entry| entry.pid == pid);
    let mut groups = BTreeSet::from([0, 1]);
    let mut seen = BTreeSet::new();
    let mut next = find(std::process::id());
    while let Some(entry) = next.filter(|entry| seen.insert(entry.pid)) {
        groups.insert(entry.group);
        next = find(entry.parent);
    }
    groups
}

fn signal_group(group: u32, signal: Signal) {
    let result = pid(group).map(|group| rustix::process::kill_process_group(group, signal));
    if let Some(Err(error)) = result {
        tracing::trace!(%error, group, "nothing left in a process group");
    }
}

fn tally(killed: &BTreeSet<(u32, u64)>, last_look: &BTreeMap<u32, Entry>) -> Killed {
    let alive = |entry: &&Entry| {
        table::find(entry.pid).is_some_and(|now| now.started == entry.started && !now.is_zombie)
    };
    let survivors = last_look.values().filter(alive).count();
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Killed {
        killed: count(killed.len().saturating_sub(survivors)),
        survivors: count(survivors),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(pid: u32, parent: u32) -> Entry {
        Entry {
            pid,
            parent,
            group: pid,
            started: 1,
            is_zombie: false,
        }
    }

    #[test]
    fn descendants_are_found_at_any_depth_and_order() {
        let table = [
            entry(5, 4),
            entry(4, 3),
            entry(3, 2),
            entry(9, 1),
            entry(2, 1),
        ];
        let mut found: Vec<u32> = descendants(&table, &BTreeSet::from([2]))
            .iter()
            .map(|entry| entry.pid)
            .collect();
        found.sort_unstable();
        assert_eq!(found, [3, 4, 5]);
    }

    #[test]
    fn a_loop_in_the_table_ends() {
        let table = [entry(2, 3), entry(3, 2)];
        assert_eq!(descendants(&table, &BTreeSet::from([2])).len(), 1);
    }

    #[test]
    fn groups_of_processes_above_us_are_spared() {
        let me = std::process::id();
        let table = [entry(me, me + 1), entry(me + 1, me + 2), entry(me + 3, me)];
        let spared = groups_above(&table);
        assert!(spared.contains(&me) && spared.contains(&(me + 1)));
        assert!(!spared.contains(&(me + 3)));
    }

    #[test]
    fn a_number_that_was_reused_is_left_alone() {
        let mut ourselves = table::find(std::process::id()).unwrap();
        ourselves.started += 1;
        assert!(!signal(&ourselves, Signal::KILL));
    }
}
