//! The processes of a world, as the system shows them.

use std::fs;

use orchestra_testkit::{processes, wait_until};

use crate::concurrency::world::{PATIENCE, World};

impl World {
    /// Runners that work for this world.
    pub(crate) fn runners(&self) -> Vec<u32> {
        let ours = self.at_home().into_iter();
        ours.filter(|pid| command_line(*pid).contains(" __runner "))
            .collect()
    }

    /// Guardians that work for this world.
    pub(crate) fn guardians(&self) -> Vec<u32> {
        let marked = self.marked().into_iter();
        marked
            .filter(|pid| command_line(*pid).contains(" __guardian"))
            .collect()
    }

    /// Git processes that work for this world.
    pub(crate) fn gits(&self) -> Vec<u32> {
        let ours = self.at_home().into_iter();
        ours.filter(|pid| program(*pid).starts_with("git"))
            .collect()
    }

    /// Every process that carries the mark of one of this world's runs.
    pub(crate) fn marked(&self) -> Vec<u32> {
        if !self.sandbox.data_dir().join("orchestra.db").exists() {
            return Vec::new();
        }
        let epoch = self.column("SELECT value FROM meta WHERE key = 'epoch'");
        let mark = format!("ORCHESTRA_RUN={}:", epoch.concat());
        let marked = all().filter(|pid| carries(*pid, &mark));
        marked.filter(|pid| processes::alive(*pid)).collect()
    }

    /// Waits until no runner and no guardian of this world is left.
    pub(crate) fn wait_until_nobody_works(&self) {
        wait_until("no runner is left", PATIENCE, || {
            self.runners().is_empty() && self.marked().is_empty()
        });
    }

    /// No process of a run is left.
    pub(crate) fn assert_quiet(&self, when: &str) {
        let left: Vec<_> = self.marked().into_iter().map(command_line).collect();
        assert!(left.is_empty(), "{when}: processes are left: {left:?}");
    }

    fn at_home(&self) -> Vec<u32> {
        processes::with_variable("HOME", &self.sandbox.home().to_string_lossy())
    }
}

/// The words a process was started with.
pub(crate) fn command_line(pid: u32) -> String {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&words).replace('\0', " ")
}

fn program(pid: u32) -> String {
    let line = command_line(pid);
    let word = line.split(' ').next().unwrap_or_default();
    word.rsplit('/').next().unwrap_or_default().to_owned()
}

fn carries(pid: u32, variable_prefix: &str) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment
        .split(|byte| *byte == 0)
        .any(|variable| variable.starts_with(variable_prefix.as_bytes()))
}

fn all() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}
