//! Everything that is kept anywhere: on branches, in worktrees, in the trash and in snapshots. git's reflog does not count.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use orchestra_testkit::TestRepository;

use super::Actor;
use super::state::{Entry, committed, entries, head};
use crate::world::World;

pub(super) struct Everything {
    pub(super) entries: BTreeSet<Entry>,
    pub(super) commits: BTreeSet<String>,
}

impl Everything {
    pub(super) fn kept(world: &World, actors: &[Actor]) -> Self {
        let objects = kept_objects(world, actors);
        let commits = commits_of(&objects);
        let mut kept = committed(&objects, commits.iter().map(String::as_str));
        for place in places(world, actors) {
            kept.extend(entries(&place));
        }
        Self {
            entries: kept,
            commits,
        }
    }
}

/// A repository with nothing but the objects that something leads to.
fn kept_objects(world: &World, actors: &[Actor]) -> TestRepository {
    let place = world.sandbox.path("kept.git");
    let path = place.to_str().unwrap();
    let main = &world.repository;
    main.git(&["init", "--quiet", "--bare", path]);
    main.git(&["push", "--quiet", path, "refs/heads/*:refs/heads/*"]);
    for actor in actors.iter().filter(|actor| actor.made.worktree.exists()) {
        if head(&world.tree(&actor.made)).is_none() {
            continue;
        }
        let there = format!("HEAD:refs/checked-out/{}", actor.made.id);
        world
            .tree(&actor.made)
            .git(&["push", "--quiet", path, &there]);
    }
    let kept = main.at(&place);
    for pack in snapshots(world).into_iter().chain(trash(world)) {
        if let Ok(pack) = std::fs::read(pack.join("objects.pack")) {
            kept.git_with_input(&["unpack-objects", "-q"], &pack);
        }
    }
    kept
}

fn commits_of(objects: &TestRepository) -> BTreeSet<String> {
    let listed = objects.git(&[
        "cat-file",
        "--batch-all-objects",
        "--batch-check=%(objecttype) %(objectname)",
    ]);
    let commits = listed
        .lines()
        .filter_map(|line| line.strip_prefix("commit "));
    commits.map(str::to_owned).collect()
}

/// Folders with files as they were.
fn places(world: &World, actors: &[Actor]) -> Vec<PathBuf> {
    let mut places = vec![world.repository.root().to_owned()];
    places.extend(actors.iter().map(|actor| actor.made.worktree.clone()));
    places.extend(trash(world).iter().map(|entry| entry.join("worktree")));
    places.extend(snapshots(world).iter().map(|folder| folder.join("files")));
    places.retain(|place| place.exists());
    places
}

fn snapshots(world: &World) -> Vec<PathBuf> {
    let of_sessions = folders(&world.sandbox.data_dir().join("snapshots"));
    of_sessions
        .iter()
        .flat_map(|folder| folders(folder))
        .collect()
}

fn trash(world: &World) -> Vec<PathBuf> {
    folders(&world.repository.path(".git/orchestra/trash"))
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.is_dir()).collect()
}
