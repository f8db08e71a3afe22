//! All of a session that a person could see in git and on disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::made::Made;
use crate::world::World;

/// A session's branch and worktree at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    branch: String,
    worktree: Option<Worktree>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Worktree {
    head: String,
    status: String,
    index: String,
    files: BTreeMap<PathBuf, (String, Vec<u8>)>,
}

impl State {
    pub(super) fn of(world: &World, made: &Made) -> Self {
        let full = format!("refs/heads/{}", made.branch);
        let branch = world
            .repository
            .git(&["for-each-ref", "--format=%(objectname)", &full]);
        if !made.worktree.exists() {
            return Self {
                branch,
                worktree: None,
            };
        }
        let tree = world.tree(made);
        let mut files = BTreeMap::new();
        collect(&made.worktree, &made.worktree, &mut files);
        Self {
            branch,
            worktree: Some(Worktree {
                head: tree.git(&["rev-parse", "HEAD"]),
                status: tree.git(&["status", "--porcelain=v2", "--untracked-files=all"]),
                index: tree.git(&["ls-files", "--stage"]),
                files,
            }),
        }
    }
}

fn collect(top: &Path, folder: &Path, files: &mut BTreeMap<PathBuf, (String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        let name = path.strip_prefix(top).unwrap().to_owned();
        if name == Path::new(".git") {
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
