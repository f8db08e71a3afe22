//! Finding and ending processes by the marker in their environment, after a crash.

#[cfg(unix)]
use std::collections::BTreeSet;
use std::fs;
#[cfg(unix)]
use std::time::Duration;

use crate::identity::ProcessIdentity;
use crate::marker::Marker;
use crate::table;
#[cfg(unix)]
use crate::table::Entry;
#[cfg(unix)]
use crate::{children, tree};

#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(10);

/// What a sweep came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swept {
    pub found: u32,
    pub killed: u32,
    /// Could not be ended: processes of another user, or stuck in the kernel.
    pub survivors: u32,
}

/// A process that carries a marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    pub identity: ProcessIdentity,
    pub marker: Marker,
    pub command: String,
}

/// Kills every process that carries exactly this marker and everything below it, until none is
/// left; never this process or children it started without the marker.
///
/// Systems that do not show the environment of other processes find nothing.
#[cfg(unix)]
pub fn sweep_marked(marker: &Marker) -> Swept {
    let killed = children::with_ours(|ours| {
        tree::kill_all(PATIENCE, |table| {
            with_descendants(table, marked(marker), ours)
        })
    });
    Swept {
        found: killed.killed.saturating_add(killed.survivors),
        killed: killed.killed,
        survivors: killed.survivors,
    }
}

#[cfg(not(unix))]
pub fn sweep_marked(_marker: &Marker) -> Swept {
    Swept {
        found: 0,
        killed: 0,
        survivors: 0,
    }
}

/// Every process with a marker of this name whose value begins with `value_prefix`.
pub fn processes_with_marker_prefix(name: &str, value_prefix: &str) -> Vec<Marked> {
    let wanted = format!("{name}={value_prefix}");
    let alive = table::processes().filter(|entry| !entry.is_zombie);
    alive
        .filter_map(|entry| {
            let environment = environment(entry.pid)?;
            let variable = variables(&environment).find(|it| it.starts_with(wanted.as_bytes()))?;
            let value = String::from_utf8_lossy(&variable[name.len() + 1..]);
            Some(Marked {
                identity: ProcessIdentity {
                    pid: entry.pid,
                    started: entry.started,
                },
                marker: Marker::new(name, value),
                command: command_line(entry.pid),
            })
        })
        .collect()
}

/// Processes that were started with exactly this marker in their environment.
///
/// The environment is read right after the entry, because a process may not live long enough for
/// the whole table to be read first.
#[cfg(unix)]
pub(crate) fn marked(marker: &Marker) -> Vec<Entry> {
    table::processes()
        .filter(|entry| carries(entry.pid, marker))
        .collect()
}

#[cfg(unix)]
fn carries(pid: u32, marker: &Marker) -> bool {
    let wanted = format!("{}={}", marker.name, marker.value);
    environment(pid)
        .is_some_and(|environment| variables(&environment).any(|it| it == wanted.as_bytes()))
}

/// Whether a process was started with another value of the marker.
#[cfg(unix)]
pub(crate) fn carries_another(pid: u32, marker: &Marker) -> bool {
    let name = format!("{}=", marker.name);
    environment(pid).is_some_and(|environment| {
        let mut values = variables(&environment).filter_map(|it| it.strip_prefix(name.as_bytes()));
        values.any(|value| value != marker.value.as_bytes())
    })
}

/// `roots` and what descends from them, without this process and without children of ours that
/// only happen to be below a root because we are.
#[cfg(unix)]
pub(crate) fn with_descendants(
    table: &[Entry],
    roots: Vec<Entry>,
    ours: &BTreeSet<u32>,
) -> Vec<Entry> {
    let below = |roots: &BTreeSet<u32>| tree::descendants(table, roots);
    let root_numbers: BTreeSet<u32> = roots.iter().map(|entry| entry.pid).collect();
    let mut protected = ours.clone();
    protected.extend(below(ours).iter().map(|entry| entry.pid));
    let mut victims = roots;
    victims.extend(
        below(&root_numbers)
            .into_iter()
            .filter(|entry| !protected.contains(&entry.pid)),
    );
    victims.retain(|entry| entry.pid != std::process::id());
    victims
}

/// The words a process was started with, for people to read.
pub(crate) fn command_line(pid: u32) -> String {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let text = String::from_utf8_lossy(&words).replace('\0', " ");
    text.trim_end().to_owned()
}

fn environment(pid: u32) -> Option<Vec<u8>> {
    fs::read(format!("/proc/{pid}/environ")).ok()
}

fn variables(environment: &[u8]) -> impl Iterator<Item = &[u8]> {
    environment.split(|byte| *byte == 0)
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::spec::CommandSpec;

    #[test]
    #[cfg(target_os = "linux")]
    fn what_belongs_to_another_run_is_told_apart() {
        let spec = CommandSpec::new("/bin/sleep", "/")
            .arg("60")
            .env("RUN", "1");
        let mut command = children::command(&spec).unwrap();
        let mut child = children::spawn(&mut command, &spec).unwrap();
        // The system shows the variables of a program a moment after it started.
        let deadline = Instant::now() + Duration::from_secs(20);
        while environment(child.id()).is_none_or(|it| it.is_empty()) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        let is_anothers = |name, value| carries_another(child.id(), &Marker::new(name, value));
        let found = [("RUN", "1"), ("RUN", "2"), ("OTHER", "1")].map(|(n, v)| is_anothers(n, v));
        child.kill().unwrap();
        children::wait(&mut child).unwrap();
        assert_eq!(found, [false, true, false]);
    }

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
    fn our_own_children_below_a_root_are_spared_with_what_is_below_them() {
        let me = std::process::id();
        let (root, ours, grandchild, other) = (me + 1, me + 2, me + 3, me + 4);
        let table = [
            entry(root, 1),
            entry(me, root),
            entry(ours, me),
            entry(grandchild, ours),
            entry(other, root),
        ];
        let victims = with_descendants(&table, vec![entry(root, 1)], &BTreeSet::from([ours]));
        let victims: Vec<u32> = victims.iter().map(|entry| entry.pid).collect();
        assert_eq!(victims, [root, other]);
    }

    #[test]
    fn variables_are_compared_whole() {
        let environment = b"RUN=12\0OTHER=1\0";
        assert!(variables(environment).any(|it| it == b"RUN=12"));
        assert!(!variables(environment).any(|it| it == b"RUN=1"));
    }
}
