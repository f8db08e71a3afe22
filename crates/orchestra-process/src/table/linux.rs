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
    fn contains_this_process() {
        let pid = std::process::id();
        let entry = find(pid).unwrap();
        assert!(processes().any(|it| it == entry));
        assert_eq!(entry.parent, std::os::unix::process::parent_id());
    }
}
