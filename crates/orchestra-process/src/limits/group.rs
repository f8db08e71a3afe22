//! A control group (version 2) for one tree, where this user may make one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Exceeded, ResourceLimits, TreeLimit};
use crate::identity::ProcessIdentity;

const MOUNTED_AT: &str = "/sys/fs/cgroup";
/// Groups of ours are named after the guardian that made them.
const PREFIX: &str = "orchestra-";
/// Microseconds over which the kernel shares out processors.
const PERIOD: u64 = 100_000;

/// A group, and where the guardian was before.
pub(super) struct Group {
    directory: PathBuf,
    controllers: Vec<String>,
    home: Option<PathBuf>,
}

impl Group {
    /// A group next to our own or above it, wherever controllers are handed down to groups that we may make.
    pub(super) fn make(limits: &ResourceLimits) -> Option<Self> {
        let is_wanted =
            limits.memory.is_some() || limits.processes.is_some() || limits.cpu_percent.is_some();
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        let own = own_path(&groups)?;
        let root = Path::new(MOUNTED_AT);
        if !is_wanted || !root.join("cgroup.controllers").exists() {
            return None;
        }
        let home = root.join(own);
        let above = home.ancestors().skip(1);
        let mut parents = above.take_while(|parent| parent.starts_with(root));
        let mut group = parents.find_map(|parent| Self::make_in(parent, limits))?;
        group.home = Some(home);
        Some(group)
    }

    fn make_in(parent: &Path, limits: &ResourceLimits) -> Option<Self> {
        let handed_down = fs::read_to_string(parent.join("cgroup.subtree_control")).ok()?;
        let controllers: Vec<String> = handed_down
            .split_whitespace()
            .filter(|name| ["cpu", "memory", "pids"].contains(name))
            .map(str::to_owned)
            .collect();
        if controllers.is_empty() {
            return None;
        }
        sweep(parent);
        let ProcessIdentity { pid, started } = ProcessIdentity::current();
        let directory = parent.join(format!("{PREFIX}{pid}-{started}"));
        fs::create_dir(&directory).ok()?;
        let group = Self {
            directory,
            controllers,
            home: None,
        };
        match group.set(limits) {
            Ok(()) => Some(group),
            Err(error) => {
                tracing::debug!(%error, "a control group takes no limits");
                group.remove();
                None
            }
        }
    }

    fn set(&self, limits: &ResourceLimits) -> io::Result<()> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
        let quota = |percent: u32| PERIOD * cores * u64::from(percent.clamp(1, 100)) / 100;
        let values = [
            (
                "memory",
                "memory.max",
                limits.memory.map(|most| most.to_string()),
            ),
            (
                "pids",
                "pids.max",
                limits.processes.map(|most| most.to_string()),
            ),
            (
                "cpu",
                "cpu.max",
                limits
                    .cpu_percent
                    .map(|it| format!("{} {PERIOD}", quota(it))),
            ),
        ];
        for (controller, file, value) in values {
            if let Some(value) = value.filter(|_| self.holds(controller)) {
                fs::write(self.directory.join(file), value)?;
            }
        }
        Ok(())
    }

    pub(super) fn holds(&self, controller: &str) -> bool {
        self.controllers.iter().any(|it| it == controller)
    }

    /// Moves this process in, so that what it starts is in from the first moment.
    pub(super) fn enter(&mut self) -> io::Result<()> {
        move_into(&self.directory)
    }

    /// Moves this process back. One that has to stay only counts as one process more.
    pub(super) fn leave(&mut self) {
        if let Some(Err(error)) = self.home.as_deref().map(move_into) {
            tracing::debug!(%error, "the guardian stays in the control group of its agent");
        }
    }

    /// What the kernel refused: it kills for memory, and lets no process start beyond the count.
    pub(super) fn exceeded(&self, limits: &ResourceLimits) -> Option<Exceeded> {
        let told = |file, name| {
            let events = fs::read_to_string(self.directory.join(file)).unwrap_or_default();
            count_of(&events, name) > 0
        };
        let over = |limit, allowed| Exceeded {
            limit,
            measured: allowed,
            allowed,
        };
        let memory = limits.memory.filter(|_| told("memory.events", "oom_kill"));
        let processes = limits.processes.filter(|_| told("pids.events", "max"));
        memory
            .map(|allowed| over(TreeLimit::Memory, allowed))
            .or_else(|| processes.map(|allowed| over(TreeLimit::Processes, allowed)))
    }

    pub(super) fn remove(&self) {
        if let Err(error) = fs::remove_dir(&self.directory) {
            tracing::debug!(%error, "a control group stays until the next one is made");
        }
    }
}

/// The path of our group in the one hierarchy of version 2.
fn own_path(groups: &str) -> Option<&Path> {
    let path = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    Some(Path::new(path))
}

fn move_into(directory: &Path) -> io::Result<()> {
    fs::write(directory.join("cgroup.procs"), "0")
}

fn count_of(events: &str, name: &str) -> u64 {
    let mut lines = events.lines().filter_map(|line| line.split_once(' '));
    let found = lines.find(|(key, _)| *key == name);
    found.and_then(|(_, count)| count.parse().ok()).unwrap_or(0)
}

/// Removes groups whose guardian is gone. One that still has processes cannot be removed.
fn sweep(parent: &Path) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let maker = name.to_str().and_then(maker);
        if maker.is_some_and(|maker| !maker.is_alive())
            && let Err(error) = fs::remove_dir(entry.path())
        {
            tracing::debug!(%error, "a control group is still in use");
        }
    }
}

fn maker(name: &str) -> Option<ProcessIdentity> {
    let (pid, started) = name.strip_prefix(PREFIX)?.split_once('-')?;
    Some(ProcessIdentity {
        pid: pid.parse().ok()?,
        started: started.parse().ok()?,
    })
}

/// These use a plain directory in place of the kernel's: they show what is written where, not that it holds.
#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> ResourceLimits {
        ResourceLimits {
            memory: Some(2_000_000_000),
            processes: Some(200),
            cpu_percent: Some(80),
            ..ResourceLimits::default()
        }
    }

    fn stand_in(controllers: &str) -> tempfile::TempDir {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("cgroup.subtree_control"), controllers).unwrap();
        parent
    }

    #[test]
    fn limits_are_written_to_a_stand_in_for_the_kernels_directory() {
        let parent = stand_in("cpuset cpu io memory pids\n");
        let group = Group::make_in(parent.path(), &limits()).unwrap();
        let written = |file| fs::read_to_string(group.directory.join(file)).unwrap();
        assert_eq!(written("memory.max"), "2000000000");
        assert_eq!(written("pids.max"), "200");
        let cores = std::thread::available_parallelism().unwrap().get();
        assert_eq!(written("cpu.max"), format!("{} 100000", 80_000 * cores));
        fs::write(group.directory.join("memory.events"), "oom 2\noom_kill 1\n").unwrap();
        let found = group.exceeded(&limits()).unwrap();
        assert_eq!(found.limit, TreeLimit::Memory);
    }

    #[test]
    fn only_controllers_that_are_handed_down_are_used() {
        let parent = stand_in("memory");
        let group = Group::make_in(parent.path(), &limits()).unwrap();
        assert!(group.holds("memory") && !group.holds("cpu") && !group.holds("pids"));
        assert!(!group.directory.join("cpu.max").exists());
        assert!(Group::make_in(stand_in("").path(), &limits()).is_none());
    }

    #[test]
    fn groups_of_lost_guardians_are_removed_and_no_others() {
        let parent = stand_in("memory");
        let alive = ProcessIdentity::current();
        let name = |pid, started| format!("{PREFIX}{pid}-{started}");
        let lost = name(alive.pid, alive.started + 1);
        for group in [lost.as_str(), &name(alive.pid, alive.started), "user.slice"] {
            fs::create_dir(parent.path().join(group)).unwrap();
        }
        sweep(parent.path());
        assert!(!parent.path().join(lost).exists());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 3);
    }

    #[test]
    fn our_own_group_is_the_one_of_version_2() {
        let both = "3:memory:/old\n0::/user.slice/session.scope\n";
        assert_eq!(own_path(both), Some(Path::new("user.slice/session.scope")));
        assert_eq!(own_path("3:memory:/old\n"), None);
    }
}
