//! What existed before a command, and where it may be afterwards: on a branch, in a snapshot, in a worktree or in the trash.

use std::path::{Path, PathBuf};

use super::case::{in_trash, notes};
use crate::concurrency::world::World;
use crate::made::Made;

pub(super) struct Kept {
    session: Made,
    commits: Vec<String>,
}

impl Kept {
    pub(super) fn of(world: &World, session: &Made) -> Self {
        let branches = [session.branch.as_str(), "main", "release"];
        Self {
            session: session.clone(),
            commits: branches
                .map(|name| world.repository.branch_sha(name))
                .to_vec(),
        }
    }

    pub(super) fn assert_still_there(&self, world: &World, when: &str) {
        let worktree = match in_trash(world, &self.session) {
            Some(entry) => entry.join("worktree"),
            None => self.session.worktree.clone(),
        };
        let found = std::fs::read_to_string(worktree.join("notes.txt"));
        let expected = notes(&self.session);
        assert_eq!(found.ok(), Some(expected), "{when}: what was not committed");
        let lost = self.commits.iter().filter(|it| !is_on_a_branch(world, it));
        let lost: Vec<_> = lost.collect();
        if lost.is_empty() {
            return;
        }
        let snapshots = Unpacked::of(world, &self.session);
        for commit in lost {
            assert!(snapshots.has(world, commit), "{when}: {commit} is lost");
        }
    }
}

fn is_on_a_branch(world: &World, commit: &str) -> bool {
    let on = ["for-each-ref", "--contains", commit, "refs/heads"];
    let on = world.repository.try_git(&on);
    on.status.success() && !on.stdout.is_empty()
}

/// The objects of a session's snapshots in a repository of their own, so that nothing else can have kept them.
struct Unpacked {
    folder: PathBuf,
}

impl Unpacked {
    fn of(world: &World, session: &Made) -> Self {
        let folder = world.sandbox.path("unpacked").join(&session.id);
        let place = folder.to_str().unwrap();
        world.repository.git(&["init", "--quiet", "--bare", place]);
        let snapshots = world.sandbox.data_dir().join("snapshots");
        let entries = std::fs::read_dir(snapshots.join(&session.id));
        let folders = entries.into_iter().flatten().flatten();
        let folders = folders.map(|entry| entry.path());
        // What was cut off while it was taken is no snapshot yet.
        for folder in folders.filter(|folder| folder.extension().is_none()) {
            unpack(world, &folder.join("objects.pack"), place);
        }
        Self { folder }
    }

    fn has(&self, world: &World, commit: &str) -> bool {
        let place = self.folder.to_str().unwrap();
        let object = format!("{commit}^{{commit}}");
        let asked = ["--git-dir", place, "cat-file", "-e", &object];
        world.repository.try_git(&asked).status.success()
    }
}

fn unpack(world: &World, pack: &Path, place: &str) {
    let Ok(pack) = std::fs::read(pack) else {
        return;
    };
    let words = ["--git-dir", place, "unpack-objects", "-q"];
    world.repository.git_with_input(&words, &pack);
}
