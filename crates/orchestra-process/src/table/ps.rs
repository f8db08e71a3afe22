//! Processes as `ps` shows them, on systems without `/proc`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::Stdio;

use super::Entry;
use crate::children;
use crate::spec::CommandSpec;

/// Every process there is; nothing when `ps` cannot be run.
pub(crate) fn processes() -> impl Iterator<Item = Entry> {
    list(&["-ax"]).into_iter()
}

/// One process.
pub(crate) fn find(pid: u32) -> Option<Entry> {
    let pid_text = pid.to_string();
    let mut entries = list(&["-p", &pid_text]).into_iter();
    entries.find(|entry| entry.pid == pid)
}

/// Bytes that a process has in memory.
pub(crate) fn memory(pid: u32) -> Option<u64> {
    let text = run(&["-p", &pid.to_string(), "-o", "rss="]);
    let kibibytes: u64 = text.trim().parse().ok()?;
    Some(kibibytes.saturating_mul(1024))
}

/// As [`memory`]: what is shared is not told apart.
pub(crate) fn shared_out_memory(pid: u32) -> Option<u64> {
    memory(pid)
}

fn list(which: &[&str]) -> Vec<Entry> {
    let what = ["-o", "pid=,ppid=,pgid=,state=,lstart="];
    let words: Vec<&str> = which.iter().copied().chain(what).collect();
    run(&words).lines().filter_map(parse_line).collect()
}

/// What `ps` says; nothing when it cannot be run.
fn run(words: &[&str]) -> String {
    let spec = CommandSpec::new("/bin/ps", "/")
        .args(words.iter().copied())
        .env("LC_ALL", "C")
        .env("TZ", "UTC");
    let Ok(mut command) = children::command(&spec) else {
        return String::new();
    };
    let output = command.stderr(Stdio::null()).output();
    let text = output.map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&text).into_owned()
}

/// The start is text of one second's precision; its hash is enough to compare.
fn parse_line(line: &str) -> Option<Entry> {
    let mut fields = line.split_ascii_whitespace();
    let mut number = || fields.next()?.parse().ok();
    let (pid, parent, group) = (number()?, number()?, number()?);
    let state = fields.next()?;
    let mut hasher = DefaultHasher::new();
    fields.collect::<Vec<_>>().hash(&mut hasher);
    let started = hasher.finish();
    let is_zombie = state.starts_with('Z');
    Some(Entry {
        pid,
        parent,
        group,
        started,
        is_zombie,
    })
}
