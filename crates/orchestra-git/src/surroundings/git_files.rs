//! Small files of the git directory that say what git does: configuration, hooks, rules.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::SurroundingChange;
use crate::error::{AtPath, GitError};
use crate::worktree::{AdminDir, Worktree};

const SHARED: &[&str] = &[
    "config",
    "config.worktree",
    "info/exclude",
    "info/attributes",
    "info/sparse-checkout",
    "info/grafts",
    "objects/info/alternates",
];
const HOOKS: &str = "hooks";
const OF_WORKTREE: &[&str] = &["config.worktree", "info/sparse-checkout", "commondir"];
/// Says where a worktree is.
const GITDIR: &str = "gitdir";
/// More of a file is not kept.
const LARGEST: u64 = 256 * 1024;

/// What was in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GitFile {
    text: String,
    /// Beyond what is kept, its length tells whether it changed.
    length: u64,
    is_executable: bool,
    /// The worktree that it says where it is.
    worktree: Option<PathBuf>,
}

/// The files of the shared directory, and of the folders of all other worktrees.
pub(super) fn all(worktree: &Worktree) -> Result<BTreeMap<String, GitFile>, GitError> {
    let common = worktree.repository().common_dir();
    let mut found = BTreeMap::new();
    for name in SHARED {
        put(common, (*name).to_owned(), &mut found);
    }
    if let Ok(hooks) = std::fs::read_dir(common.join(HOOKS)) {
        for hook in hooks {
            let name = hook.at(&common.join(HOOKS))?.file_name();
            let name = format!("{HOOKS}/{}", name.to_string_lossy());
            put(common, name, &mut found);
        }
    }
    for dir in worktree.repository().admin_paths()? {
        if dir != worktree.admin_dir() {
            put_worktree(common, &dir, &mut found);
        }
    }
    Ok(found)
}

fn put_worktree(common: &Path, dir: &Path, found: &mut BTreeMap<String, GitFile>) {
    let Some(id) = dir.file_name().map(|id| id.to_string_lossy()) else {
        return;
    };
    let name = format!("worktrees/{id}/{GITDIR}");
    put(common, name.clone(), found);
    if let Some(file) = found.get_mut(&name) {
        file.worktree = AdminDir::named_worktree(dir);
    }
    for file in OF_WORKTREE {
        put(common, format!("worktrees/{id}/{file}"), found);
    }
}

fn put(common: &Path, name: String, found: &mut BTreeMap<String, GitFile>) {
    if let Some(file) = read(&common.join(&name)) {
        found.insert(name, file);
    }
}

/// `None` for what is not there or cannot be read, which is all the same to git.
fn read(path: &Path) -> Option<GitFile> {
    let facts = std::fs::metadata(path)
        .ok()
        .filter(|facts| facts.is_file())?;
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(GitFile {
        text: String::from_utf8_lossy(&bytes).into_owned(),
        length: facts.len(),
        is_executable: is_executable(&facts),
        worktree: None,
    })
}

#[cfg(unix)]
fn is_executable(facts: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&facts.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_facts: &std::fs::Metadata) -> bool {
    false
}

pub(super) fn differences(
    before: &BTreeMap<String, GitFile>,
    now: &BTreeMap<String, GitFile>,
) -> Vec<SurroundingChange> {
    let gone = before.keys().filter(|name| !now.contains_key(*name));
    let differs = |name: &&String| before.get(*name) != now.get(*name);
    let changed = now.keys().filter(differs).chain(gone);
    changed
        .filter_map(|name| difference(name, before, now))
        .collect()
}

fn difference(
    name: &str,
    before: &BTreeMap<String, GitFile>,
    now: &BTreeMap<String, GitFile>,
) -> Option<SurroundingChange> {
    let gitdir = name.strip_prefix("worktrees/").map(|rest| {
        let id = rest.split('/').next().unwrap_or_default();
        format!("worktrees/{id}/{GITDIR}")
    });
    let mut worktree = None;
    if let Some(gitdir) = gitdir {
        let (was, is) = (before.get(&gitdir), now.get(&gitdir));
        // One that was just being made did not say yet where its worktree is.
        let mut said = was.into_iter().chain(is);
        worktree = said.find_map(|file| file.worktree.clone());
        if was.is_some() != is.is_some() {
            // What belongs to a worktree comes and goes with it.
            let worktree = worktree.filter(|_| name == gitdir)?;
            let is_there = is.is_some();
            return Some(SurroundingChange::WorktreeList { worktree, is_there });
        }
    }
    Some(SurroundingChange::GitFile {
        path: name.to_owned(),
        worktree,
        from: before.get(name).map(GitFile::shown),
        to: now.get(name).map(GitFile::shown),
    })
}

impl GitFile {
    fn shown(&self) -> String {
        let mode = if self.is_executable {
            "executable\n"
        } else {
            ""
        };
        format!("{mode}{}", self.text)
    }
}
