//! Worktrees that go into the trash and come back.

mod cut_off;
mod delete;
#[cfg(target_os = "linux")]
mod elsewhere;
mod objects;
mod refusals;
mod round_trip;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use orchestra_core::TrashName;
use orchestra_git::{
    BranchFate, RestoreRequest, Restored, TrashEntry, TrashError, TrashRequest, TrashStep, Worktree,
};

use crate::world::{World, branch};

fn name(text: &str) -> TrashName {
    text.parse().unwrap()
}

fn request(entry: &str, of: &str) -> TrashRequest {
    TrashRequest {
        name: name(entry),
        session: "k7m2qd".parse().unwrap(),
        session_name: "fix-login".parse().unwrap(),
        branch: branch(of),
        last_head: None,
        branch_fate: BranchFate::Stays,
        at: "2026-11-15T20:30:00Z".parse().unwrap(),
        why: "it was cleaned up".to_owned(),
    }
}

fn trash(world: &World, path: &Path, request: &TrashRequest) -> Result<TrashEntry, TrashError> {
    world.repository.trash_worktree(path, request, &|_| {})
}

fn restore(world: &World, entry: &str) -> Result<Restored, TrashError> {
    restore_passing(world, entry, &|_| {})
}

fn restore_passing(
    world: &World,
    entry: &str,
    passed: &dyn Fn(TrashStep),
) -> Result<Restored, TrashError> {
    let request = RestoreRequest {
        name: &name(entry),
        home: None,
        deleted: None,
    };
    world.repository.restore_from_trash(&request, passed)
}

fn trash_dir(world: &World) -> PathBuf {
    world.repository.common_dir().join("orchestra/trash")
}

/// Everything about every file below a worktree and git's folder for it.
fn picture(worktree: &Worktree) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for top in [worktree.path(), worktree.admin_dir()] {
        describe(top, &mut found);
    }
    found
}

fn describe(directory: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let facts = path.symlink_metadata().unwrap();
        let written = facts.modified().unwrap();
        let written = written.duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let content = if facts.is_dir() {
            describe(&path, found);
            "directory".to_owned()
        } else if facts.is_symlink() {
            format!("link to {}", fs::read_link(&path).unwrap().display())
        } else {
            format!("{:?}", fs::read(&path).unwrap())
        };
        let mode = mode(&facts);
        found.insert(
            path.clone(),
            format!("{mode:o} {} {content}", written.as_nanos()),
        );
    }
}

#[cfg(unix)]
fn mode(facts: &fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&facts.permissions())
}

#[cfg(not(unix))]
fn mode(_facts: &fs::Metadata) -> u32 {
    0
}
