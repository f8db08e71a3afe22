//! Random changes of two branches: a replay gives the tree that git's merge gives, however it was made.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::Stdio;

use orchestra_core::CommitId;
use orchestra_git::Replay;

use crate::replay::request;
use crate::world::{World, id};

const CASES: usize = 120;
const START: [&str; 8] = ["a", "b", "d/a", "d/b", "d/e/a", "d/e/b", "f/a", "f/b"];
const NEW: [&str; 4] = ["n", "d/n", "f/n/n", "x/n"];
const DIRECTORIES: [&str; 3] = ["d", "d/e", "f"];
const NEW_DIRECTORIES: [&str; 2] = ["x", "y/z"];

/// The same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % 1_000_000).unwrap() % end
    }

    fn one_of(&mut self, names: &[&'static str]) -> &'static str {
        names[self.below(names.len())]
    }

    fn path(&mut self) -> &'static str {
        let place = self.below(START.len() + NEW.len());
        START.iter().chain(&NEW).nth(place).unwrap()
    }

    fn change(&mut self) -> Change {
        match self.below(8) {
            0 => Change::Delete(self.path()),
            1 => Change::Move(self.path(), self.path()),
            2 => Change::Move(self.one_of(&DIRECTORIES), self.one_of(&NEW_DIRECTORIES)),
            _ => Change::Write {
                path: self.path(),
                first_line: self.below(3),
                is_executable: self.below(6) == 0,
            },
        }
    }
}

#[derive(Clone, Copy)]
enum Change {
    Delete(&'static str),
    Move(&'static str, &'static str),
    Write {
        path: &'static str,
        first_line: usize,
        is_executable: bool,
    },
}

impl Change {
    fn start(path: &'static str) -> Self {
        Self::Write {
            path,
            first_line: 1,
            is_executable: false,
        }
    }

    /// In the words of fast-import.
    fn words(self) -> String {
        match self {
            Self::Delete(path) => format!("D {path}\n"),
            Self::Move(from, to) => format!("R {from} {to}\n"),
            Self::Write {
                path,
                first_line,
                is_executable,
            } => {
                let mode = if is_executable { "100755" } else { "100644" };
                let text = format!("{first_line}\n2\n3\n4\n5\n6\n7\n8\nof {path}\n");
                format!("M {mode} inline {path}\ndata {}\n{text}\n", text.len())
            }
        }
    }

    /// Keeps the list of files true; false if there is nothing to move.
    fn apply(self, files: &mut BTreeSet<String>) -> bool {
        match self {
            Self::Delete(path) => files.retain(|file| !is_below(file, path)),
            Self::Move(from, to) => {
                let moved: Vec<_> = files
                    .iter()
                    .filter(|file| is_below(file, from))
                    .map(|file| file.replacen(from, to, 1))
                    .collect();
                if moved.is_empty() || is_below(to, from) || is_below(from, to) {
                    return false;
                }
                files.retain(|file| !is_below(file, from) && !is_below(file, to));
                files.extend(moved);
            }
            Self::Write { path, .. } => {
                files.retain(|file| !is_below(path, file) && !is_below(file, path));
                files.insert(path.to_owned());
            }
        }
        true
    }
}

fn is_below(file: &str, directory: &str) -> bool {
    let rest = file.strip_prefix(directory);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn commit(name: &str, place: &str, changes: &[Change]) -> String {
    let words: String = changes.iter().map(|change| change.words()).collect();
    let (mark, from) = place.split_at(place.find("from").unwrap_or(place.len()));
    format!("commit refs/heads/{name}\n{mark}committer T <t@x> 1 +0000\ndata 1\nx\n{from}{words}\n")
}

/// All cases as one stream: branches `ours-<n>` and `theirs-<n>` that start from the same files.
fn stream() -> String {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let start = START.map(Change::start);
    let mut stream = commit("start", "mark :1\n", &start);
    for case in 0..CASES {
        for side in ["ours", "theirs"] {
            let mut files = START.map(str::to_owned).into();
            let count = 1 + random.below(4);
            let changes: Vec<_> = (0..count)
                .map(|_| random.change())
                .filter(|change| change.apply(&mut files))
                .collect();
            stream.push_str(&commit(&format!("{side}-{case}"), "from :1\n", &changes));
        }
    }
    stream
}

fn import(world: &World, stream: &str) {
    let mut import = world
        .plain
        .git_command()
        .args(["fast-import", "--quiet", "--force"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = import.stdin.take().unwrap();
    input.write_all(stream.as_bytes()).unwrap();
    drop(input);
    assert!(import.wait().unwrap().success());
}

fn parsed(world: &World, names: impl Iterator<Item = String>) -> Vec<String> {
    let names: Vec<_> = names.collect();
    let words = std::iter::once("rev-parse").chain(names.iter().map(String::as_str));
    let text = world.plain.git(&words.collect::<Vec<_>>());
    text.lines().map(str::to_owned).collect()
}

fn tips(world: &World, side: &str) -> Vec<CommitId> {
    let names = (0..CASES).map(|case| format!("refs/heads/{side}-{case}"));
    parsed(world, names).iter().map(|tip| id(tip)).collect()
}

#[test]
fn a_replay_gives_what_git_merges() {
    let world = World::new();
    import(&world, &stream());
    let pairs: Vec<_> = tips(&world, "ours")
        .into_iter()
        .zip(tips(&world, "theirs"))
        .collect();
    let merges = world.repository.merge_many(&pairs).unwrap();
    let (mut heads, mut expected, mut without_git) = (Vec::new(), Vec::new(), 0);
    for (case, ((ours, theirs), merge)) in pairs.iter().zip(&merges).enumerate() {
        let before = world.git.spawned();
        let found = world
            .repository
            .replay(&request(ours, vec![theirs.clone()]))
            .unwrap();
        let Replay::Clean { head, .. } = found else {
            assert!(!merge.is_clean(), "case {case}");
            continue;
        };
        assert!(merge.is_clean(), "case {case}: {merge:?}");
        heads.push(head);
        expected.push(merge.tree.to_string());
        without_git += usize::from(world.git.spawned() == before);
    }
    let names = heads.iter().map(|head| format!("{head}^{{tree}}"));
    assert_eq!(parsed(&world, names), expected);
    let counts = (CASES, heads.len(), without_git);
    assert!(heads.len() < CASES * 9 / 10, "{counts:?}");
    assert!(heads.len() > without_git, "{counts:?}");
    let is_direct = without_git > CASES / 10;
    assert!(is_direct || cfg!(not(target_os = "linux")), "{counts:?}");
    world.plain.fsck();
}
