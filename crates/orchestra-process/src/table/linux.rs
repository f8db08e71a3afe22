//! Processes as `/proc/<pid>/stat` shows them.

use std::fs;

use super::Entry;

/// Every process there is, each looked at when it is asked for; one that ends meanwhile is left
/// out. The youngest come first, since they are the ones that may not wait.
pub(crate) fn processes() -> impl Iterator<Item = Entry> {
    numbers().filter_map(find)
}

/// The numbers of all processes, the youngest first.
pub(crate) fn numbers() -> impl Iterator<Item = u32> {
    let directory = fs::read_dir("/proc").into_iter().flatten();
    let numbers = directory.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable_by(|one, other| other.cmp(one));
    numbers.into_iter()
}

/// One process.
pub(crate) fn find(pid: u32) -> Option<Entry> {
    parse_stat(pid, &fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Bytes that a process has for itself, or in memory that it shares since another one made it.
pub(crate) fn memory(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    sum_of(&status, &["RssAnon", "RssShmem"])
}

/// Bytes that a process has for itself, with its part of what it shares; as [`memory`] where that
/// is not shown. It takes the kernel a while.
pub(crate) fn shared_out_memory(pid: u32) -> Option<u64> {
    let shown = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok();
    shown
        .and_then(|shown| sum_of(&shown, &["Pss_Anon", "Pss_Shmem", "SwapPss"]))
        .or_else(|| memory(pid))
}

/// How many threads a user runs.
pub(crate) fn threads_of(user: u32) -> u64 {
    let threads = numbers().filter_map(|pid| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let is_theirs = field(&status, "Uid")? == u64::from(user);
        is_theirs.then(|| field(&status, "Threads"))?
    });
    threads.sum()
}

/// The sum of fields that are told in KiB; `None` when not even the first is there.
fn sum_of(text: &str, names: &[&str]) -> Option<u64> {
    field(text, names.first()?)?;
    let fields = names.iter().filter_map(|name| field(text, name));
    Some(fields.sum::<u64>().saturating_mul(1024))
}

fn field(text: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = lines.find(|(key, _)| *key == name)?;
    value.split_ascii_whitespace().next()?.parse().ok()
}

/// The second field is the program name, which may hold anything, brackets and spaces included.
fn parse_stat(pid: u32, stat: &[u8]) -> Option<Entry> {
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(&stat[name_end + 1..]).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    Some(Entry {
        pid,
        parent: fields.next()?.parse().ok()?,
        group: fields.next()?.parse().ok()?,
        started: fields.nth(16)?.parse().ok()?,
        is_zombie: matches!(state, "Z" | "X" | "x"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_line_with_an_awkward_name() {
        let stat = b"42 (a) b (\xff) S 7 41 40 0 -1 4194304 1 0 0 0 1 2 3 4 20 0 1 0 98765 1 2";
        let entry = parse_stat(42, stat).unwrap();
        assert_eq!((entry.parent, entry.group, entry.started), (7, 41, 98765));
        assert!(!entry.is_zombie);
        assert_eq!(parse_stat(42, b"42 (cut off) S 7"), None);
    }

    #[test]
    fn memory_is_told_in_bytes_and_threads_by_user() {
        let status = "Name:\tx\nRssAnon:\t 12 kB\nRssFile:\t 900 kB\nRssShmem:\t 3 kB\n";
        assert_eq!(sum_of(status, &["RssAnon", "RssShmem"]), Some(15 * 1024));
        assert_eq!(sum_of(status, &["Pss_Anon", "RssShmem"]), None);
        let ourselves = std::process::id();
        assert!(memory(ourselves).unwrap() > 0 && shared_out_memory(ourselves).unwrap() > 0);
        assert!(threads_of(rustix::process::getuid().as_raw()) > 0);
    }

    #[test]
    fn contains_this_process() {
        let pid = std::process::id();
        let entry = find(pid).unwrap();
        assert!(processes().any(|it| it == entry));
        assert_eq!(entry.parent, std::os::unix::process::parent_id());
    }
}
