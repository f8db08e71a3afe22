//! Sockets with a path that a program in namespaces of its own would see. Whoever sees one can connect to it, whatever the
//! network is and however it is mounted, so something else is put in its place.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use super::access::{Access, Plan};
use super::{Replaced, own_socket};

/// All sockets of this network that have a path, as it was named when they were made.
const KNOWN: &str = "/proc/net/unix";
const NOTHING: &str = "/dev/null";
/// How far below a readable directory is looked for sockets that the system does not name by their whole path.
const DEEPEST: u32 = 2;
const MOST_DIRECTORIES: usize = 2000;

/// What covers the sockets that are there now. One that is named by itself stays.
pub(super) fn covered(plan: &Plan) -> Vec<Replaced> {
    let readable = |(top, access): (&PathBuf, &Access)| {
        (*access == Access::Readable).then(|| lying_below(top, plan))
    };
    let mut found: BTreeSet<PathBuf> = known_to_the_system()
        .filter(|path| is_in_sight(path, plan))
        .collect();
    found.extend(plan.rules.iter().filter_map(readable).flatten());
    found.retain(|path| !plan.rules.contains_key(path) && !own_socket::is_of_another(path));
    let cover = |path| Replaced {
        path,
        by: NOTHING.into(),
    };
    found.into_iter().map(cover).collect()
}

fn is_in_sight(path: &Path, plan: &Plan) -> bool {
    matches!(plan.access(path), Access::Readable | Access::Writable)
}

fn known_to_the_system() -> impl Iterator<Item = PathBuf> {
    let text = fs::read(KNOWN).unwrap_or_default();
    let paths: Vec<_> = text
        .split(|byte| *byte == b'\n')
        .filter_map(path_of)
        .collect();
    paths.into_iter().filter_map(|path| real_socket(&path))
}

/// The whole path that a line ends with. What stands before it has no slash.
fn path_of(line: &[u8]) -> Option<PathBuf> {
    let before = line.windows(2).position(|pair| pair == b" /")?;
    Some(PathBuf::from(OsStr::from_bytes(&line[before + 1..])))
}

/// Where a socket really is, if it is still there.
fn real_socket(path: &Path) -> Option<PathBuf> {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|it| it.file_type().is_socket());
    let real = || {
        Some(
            fs::canonicalize(path.parent()?)
                .ok()?
                .join(path.file_name()?),
        )
    };
    is_socket.then(real).flatten()
}

/// Sockets in a directory that can be read and a little below it, those nearest to the top first.
fn lying_below(top: &Path, plan: &Plan) -> Vec<PathBuf> {
    let mut sockets = Vec::new();
    let mut waiting = VecDeque::from([(top.to_owned(), 0)]);
    let mut seen = 0;
    while let Some((directory, depth)) = waiting.pop_front() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let path = entry.path();
            if kind.is_socket() {
                sockets.push(path);
            } else if kind.is_dir() && depth < DEEPEST && seen < MOST_DIRECTORIES {
                seen += 1;
                waiting
                    .extend((plan.access(&path) == Access::Readable).then_some((path, depth + 1)));
            }
        }
    }
    sockets
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_line_of_the_system_ends_with_the_path() {
        let line = b"00000000c32d42e8: 00000002 00000000 00010000 0001 01 646 /home/u/a b.sock";
        assert_eq!(path_of(line), Some("/home/u/a b.sock".into()));
        assert_eq!(path_of(b"0: 2 0 10000 1 01 646 @abstract"), None);
        assert_eq!(path_of(b"0: 2 0 10000 1 01 646"), None);
    }

    #[test]
    fn sockets_in_sight_are_covered_and_those_that_are_named_stay() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        for folder in ["home/app/run", "home/.ssh", "work"] {
            fs::create_dir_all(top.join(folder)).unwrap();
        }
        let names = ["home/app/run/s", "home/.ssh/s", "home/given", "work/s", "s"];
        let listeners = names.map(|name| UnixListener::bind(top.join(name)).unwrap());
        let mut plan = Plan::default();
        plan.add(top.clone(), Access::Hidden);
        plan.add(top.join("home"), Access::Readable);
        plan.add(top.join("home/.ssh"), Access::Hidden);
        plan.add(top.join("home/given"), Access::Readable);
        plan.add(top.join("work"), Access::Writable);
        let below = |covered: Vec<Replaced>| -> Vec<PathBuf> {
            let paths = covered.into_iter().map(|it| it.path);
            let ours = paths.filter_map(|path| Some(path.strip_prefix(&top).ok()?.to_owned()));
            ours.collect()
        };
        let seen = ["home/app/run/s", "work/s"].map(PathBuf::from);
        assert_eq!(below(covered(&plan)), seen);
        drop(listeners);
        let left = [PathBuf::from("home/app/run/s")];
        assert_eq!(
            below(covered(&plan)),
            left,
            "one that nobody listens at may be replaced in what can be written"
        );
    }
}
