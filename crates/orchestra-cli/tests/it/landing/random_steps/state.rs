//! All of a session that a person could see in git and on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use orchestra_testkit::TestRepository;

use crate::made::Made;
use crate::world::World;

/// A session's branch and worktree, and the base, at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    pub(super) own: Own,
    pub(super) base: Checkout,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Own {
    branch: Option<String>,
    worktree: Option<Checkout>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Checkout {
    head: Option<String>,
    status: String,
    index: String,
    files: BTreeMap<PathBuf, (String, Vec<u8>)>,
}

impl State {
    pub(super) fn of(world: &World, made: &Made) -> Self {
        let branch = format!("refs/heads/{}", made.branch);
        let worktree = made.worktree.exists();
        Self {
            own: Own {
                branch: head_of(&world.repository, &branch),
                worktree: worktree.then(|| Checkout::of(&world.tree(made))),
            },
            base: Checkout::of(&world.repository),
        }
    }
}

impl Checkout {
    fn of(tree: &TestRepository) -> Self {
        let mut files = BTreeMap::new();
        collect(tree.root(), tree.root(), &mut files);
        Self {
            head: head(tree),
            status: tree.git(&["status", "--porcelain=v2", "--untracked-files=all"]),
            index: tree.git(&["ls-files", "--stage"]),
            files,
        }
    }
}

/// The commit that is checked out; none if somebody deleted the branch.
pub(super) fn head(tree: &TestRepository) -> Option<String> {
    head_of(tree, "HEAD")
}

/// The commit of a branch that may be gone.
pub(super) fn head_of(tree: &TestRepository, name: &str) -> Option<String> {
    let answer = tree.try_git(&["rev-parse", "--quiet", "--verify", name]);
    let commit = String::from_utf8_lossy(&answer.stdout).trim().to_owned();
    answer.status.success().then_some(commit)
}

/// A file of some tree: where, of what kind, and what is in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    path: PathBuf,
    kind: Kind,
    content: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Plain,
    Executable,
    Link,
}

impl fmt::Display for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let content = String::from_utf8_lossy(&self.content);
        let path = self.path.display();
        write!(formatter, "{path} ({:?}, {content:?})", self.kind)
    }
}

/// Every file below a folder, git's own left out.
pub(super) fn entries(folder: &Path) -> impl Iterator<Item = Entry> {
    let mut files = BTreeMap::new();
    collect(folder, folder, &mut files);
    files.into_iter().map(|(path, (mode, content))| Entry {
        path,
        kind: match mode.as_str() {
            "link" => Kind::Link,
            mode if mode.starts_with('7') => Kind::Executable,
            _ => Kind::Plain,
        },
        content,
    })
}

/// Every file of some commits.
pub(super) fn committed<'a>(
    repository: &TestRepository,
    commits: impl IntoIterator<Item = &'a str>,
) -> BTreeSet<Entry> {
    let mut listed = BTreeSet::new();
    for commit in commits {
        let listing = repository.git(&["ls-tree", "-r", "--full-tree", commit]);
        listed.extend(listing.lines().map(str::to_owned));
    }
    let rows: Vec<_> = listed.iter().filter_map(|line| Row::read(line)).collect();
    let names: BTreeSet<_> = rows.iter().map(|row| row.blob).collect();
    let contents = contents(repository, &names);
    rows.into_iter()
        .map(|row| Entry {
            path: row.path.into(),
            kind: row.kind,
            content: contents[row.blob].clone(),
        })
        .collect()
}

/// A line of `git ls-tree`: `mode type object TAB path`.
struct Row<'a> {
    kind: Kind,
    blob: &'a str,
    path: &'a str,
}

impl<'a> Row<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (facts, path) = line.split_once('\t')?;
        let mut facts = facts.split(' ');
        let kind = match facts.next()? {
            "120000" => Kind::Link,
            "100755" => Kind::Executable,
            _ => Kind::Plain,
        };
        let blob = facts.nth(1)?;
        Some(Self { kind, blob, path })
    }
}

/// What is in blobs. One that is missing is a failure.
fn contents(repository: &TestRepository, names: &BTreeSet<&str>) -> BTreeMap<String, Vec<u8>> {
    let asked: String = names.iter().map(|name| format!("{name}\n")).collect();
    let mut rest = &repository.git_with_input(&["cat-file", "--batch"], asked.as_bytes())[..];
    let mut found = BTreeMap::new();
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        let facts: Vec<_> = head.split(' ').collect();
        let [name, "blob", size] = facts[..] else {
            panic!("{head}");
        };
        let size: usize = size.parse().unwrap();
        let content = &rest[end + 1..][..size];
        found.insert(name.to_owned(), content.to_vec());
        rest = &rest[end + 1 + size + 1..];
    }
    found
}

fn collect(top: &Path, folder: &Path, files: &mut BTreeMap<PathBuf, (String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        let name = path.strip_prefix(top).unwrap().to_owned();
        if name == Path::new(".git") || name == Path::new(".worktrees") {
            continue;
        }
        if kind.is_symlink() {
            let target = std::fs::read_link(&path).unwrap();
            let target = target.to_string_lossy().into_owned().into_bytes();
            files.insert(name, ("link".to_owned(), target));
        } else if kind.is_dir() {
            collect(top, &path, files);
        } else {
            let mode = mode(&entry.metadata().unwrap());
            files.insert(name, (mode, std::fs::read(&path).unwrap()));
        }
    }
}

#[cfg(unix)]
fn mode(data: &std::fs::Metadata) -> String {
    use std::os::unix::fs::PermissionsExt;
    format!("{:o}", data.permissions().mode() & 0o777)
}

#[cfg(not(unix))]
fn mode(_data: &std::fs::Metadata) -> String {
    String::new()
}
