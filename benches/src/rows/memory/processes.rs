//! The runner of a world and its guardian, as the kernel sees them.

use std::fs;

use crate::Outcome;
use crate::product::Product;
use crate::world::World;

/// Megabytes of both processes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Memory {
    /// Every page that is in memory.
    pub(super) resident: f64,
    /// A page that several processes share counts in parts.
    pub(super) proportional: f64,
}

impl Memory {
    pub(super) fn of(product: &Product, world: &World) -> Outcome<Self> {
        let data = world.path("data");
        let home = format!("ORCHESTRA_HOME={}", data.display());
        let program = product.orchestra.canonicalize()?;
        let runner = find(|pid| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let exe = fs::read_link(format!("/proc/{pid}/exe")).ok();
            exe.as_ref() == Some(&program)
                && has_word(pid, "__runner")
                && environment
                    .split(|byte| *byte == 0)
                    .any(|variable| variable == home.as_bytes())
        })
        .ok_or("no runner is there")?;
        let guardian = find(|pid| {
            has_word(pid, "__guardian") && field(pid, "status", "PPid:") == Some(u64::from(runner))
        })
        .ok_or("no guardian is there")?;
        let sum = |file: &str, name: &str| -> Outcome<f64> {
            let kilobytes = [runner, guardian]
                .map(|pid| field(pid, file, name))
                .into_iter()
                .sum::<Option<u64>>()
                .ok_or("the kernel does not tell")?;
            Ok(f64::from(u32::try_from(kilobytes)?) * 1_024.0 / 1_000_000.0)
        };
        Ok(Self {
            resident: sum("status", "VmRSS:")?,
            proportional: sum("smaps_rollup", "Pss:")?,
        })
    }
}

fn find(matches: impl Fn(u32) -> bool) -> Option<u32> {
    fs::read_dir("/proc")
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .find(|pid| matches(*pid))
}

fn has_word(pid: u32, word: &str) -> bool {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    words
        .split(|byte| *byte == 0)
        .nth(1)
        .is_some_and(|argument| argument == word.as_bytes())
}

/// The number after a name in one of a process's files.
pub(crate) fn field(pid: u32, file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/{file}")).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    line[name.len()..].split_whitespace().next()?.parse().ok()
}
