//! What changed around a worktree.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use orchestra_git::{FileFate, SurroundingChange, Surroundings, Worktree};
use tempfile::TempDir;

use crate::world::World;

struct Around {
    world: World,
    worktree: Worktree,
    folder: TempDir,
}

impl Around {
    fn of(world: World) -> Self {
        let worktree = world.worktree("one");
        let folder = tempfile::tempdir().unwrap();
        Self {
            world,
            worktree,
            folder,
        }
    }

    fn remember(&self) -> Surroundings {
        let surroundings = self.worktree.remember_surroundings(self.folder.path());
        // As it is when another process compares.
        let text = serde_json::to_string(&surroundings.unwrap()).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    fn changes(&self, before: &Surroundings) -> Vec<SurroundingChange> {
        let none = BTreeSet::new();
        self.worktree
            .changed_surroundings(before, self.folder.path(), &none)
            .unwrap()
    }

    fn files(&self, before: &Surroundings) -> Vec<(PathBuf, FileFate)> {
        let changes = self.changes(before).into_iter();
        let files = changes.map(|change| match change {
            SurroundingChange::File { path, fate, .. } => (path, fate),
            other => panic!("{other:?}"),
        });
        files.collect()
    }
}

fn file(path: &str, fate: FileFate) -> (PathBuf, FileFate) {
    (path.into(), fate)
}

#[test]
fn only_what_changed_meanwhile_is_found() {
    let around = Around::of(World::with(|plain| {
        plain.write(".gitignore", "*.log\n/target/\n");
        plain.write("deep/er/file.txt", "x\n");
        plain.write("touched.txt", "x\n");
        plain.write("gone/a.txt", "x\n");
        plain.commit("files");
        plain.write("dirty.txt", "before\n");
        plain.write("README.md", "dirty before\n");
        plain.write("own/notes.txt", "before\n");
        plain.write("lost.txt", "before\n");
        plain.write("target/x", "before\n");
    }));
    let plain = &around.world.plain;
    let before = around.remember();
    assert_eq!(around.changes(&before), []);
    plain.write("touched.txt", "x\n");
    plain.write("noise.log", "x\n");
    plain.write("target/y", "x\n");
    plain.git(&["status"]);
    assert_eq!(around.changes(&before), [], "the same content, or ignored");
    plain.write("deep/er/file.txt", "y\n");
    plain.write("own/more.txt", "x\n");
    std::fs::remove_dir_all(plain.path("gone")).unwrap();
    std::fs::remove_file(plain.path("lost.txt")).unwrap();
    std::fs::remove_dir_all(plain.path("target")).unwrap();
    let found = [
        file("deep/er/file.txt", FileFate::Changed),
        file("gone/a.txt", FileFate::Removed),
        file("lost.txt", FileFate::Removed),
        file("own/more.txt", FileFate::Untracked),
    ];
    assert_eq!(around.files(&before), found);
}

/// Nothing comes into these directories or leaves them, so that they are not listed again.
#[test]
fn what_changes_in_place_is_found() {
    let around = Around::of(World::with(|plain| {
        plain.write("deep/er/file.txt", "x\n");
        plain.write("missing/a.txt", "x\n");
        plain.commit("files");
        std::fs::remove_dir_all(plain.path("missing")).unwrap();
        plain.write("deep/notes.txt", "before\n");
        plain.write("deep/er/own/notes.txt", "before\n");
        let name = OsStr::from_bytes(b"no text \xff");
        std::fs::write(plain.path("deep").join(name), "before\n").unwrap();
    }));
    let plain = &around.world.plain;
    let before = around.remember();
    assert_eq!(around.changes(&before), [], "it was missing before");
    plain.write("deep/er/file.txt", "y\n");
    plain.write("deep/notes.txt", "after\n");
    plain.write("deep/er/own/notes.txt", "after\n");
    let name = Path::new("deep").join(OsStr::from_bytes(b"no text \xff"));
    std::fs::write(plain.root().join(&name), "after\n").unwrap();
    let mut found = [
        file("deep/er/file.txt", FileFate::Changed),
        file("deep/er/own/notes.txt", FileFate::Untracked),
        (name, FileFate::Untracked),
        file("deep/notes.txt", FileFate::Untracked),
    ];
    let mut told = around.files(&before);
    told.sort();
    found.sort();
    assert_eq!(told, found);
}

/// The directory of a worktree goes while git still knows it, or another one comes in its place.
#[test]
fn a_worktree_that_is_taken_away_is_found() {
    let around = Around::of(World::new());
    let plain = &around.world.plain;
    let other = plain.root().with_file_name("other");
    plain.add_worktree(&other, "other");
    let before = around.remember();
    let moved = other.with_file_name("moved");
    let is_replaced = |before: &Surroundings| match around.changes(before).as_slice() {
        [
            SurroundingChange::Directory {
                checkout,
                is_replaced,
            },
        ] if checkout.path.ends_with("other") => *is_replaced,
        changes => panic!("{changes:?}"),
    };
    std::fs::rename(&other, &moved).unwrap();
    assert!(!is_replaced(&before));
    std::fs::create_dir(&other).unwrap();
    assert!(is_replaced(&before));
    std::fs::remove_dir(&other).unwrap();
    assert_eq!(around.changes(&around.remember()), [], "it was gone before");
    std::fs::rename(&moved, &other).unwrap();
    assert_eq!(around.changes(&before), [], "it is back");
}

/// git says nothing of such files, whoever told it so and when.
#[test]
fn files_that_git_does_not_look_at_are_looked_at() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let around = Around::of(World::with(|plain| {
            plain.write("known.txt", "x\n");
            plain.write("touched.txt", "x\n");
            plain.commit("files");
            plain.git(&["update-index", flag, "known.txt", "touched.txt"]);
        }));
        let plain = &around.world.plain;
        let before = around.remember();
        plain.write("touched.txt", "x\n");
        assert_eq!(around.changes(&before), [], "the same content");
        plain.write("known.txt", "y\n");
        let known = file("known.txt", FileFate::Changed);
        assert_eq!(around.files(&before), std::slice::from_ref(&known));

        plain.git(&["update-index", flag, "README.md"]);
        plain.write("README.md", "unseen\n");
        let mut changes = around.changes(&before);
        let first = changes.remove(0);
        assert!(
            matches!(&first, SurroundingChange::PassedOver { paths, .. } if paths == &[PathBuf::from("README.md")]),
            "{first:?}"
        );
        assert_eq!(changes.len(), 2, "{changes:?}");
    }
}

#[test]
fn where_only_git_can_tell_it_is_asked() {
    let around = Around::of(World::with(|plain| {
        plain.write("a.txt", "x\n");
        plain.commit("files");
        plain.write("dirty.txt", "before\n");
        plain.git(&["update-index", "--split-index"]);
    }));
    let before = around.remember();
    assert_eq!(around.changes(&before), []);
    around.world.plain.write("a.txt", "y\n");
    around.world.plain.write("new.txt", "y\n");
    std::fs::remove_file(around.world.plain.path("dirty.txt")).unwrap();
    let found: BTreeSet<_> = around.files(&before).into_iter().collect();
    let wanted = [
        file("a.txt", FileFate::Changed),
        file("dirty.txt", FileFate::Removed),
        file("new.txt", FileFate::Untracked),
    ];
    assert_eq!(found, BTreeSet::from(wanted));
}

#[test]
fn a_stash_that_somebody_uses_is_left_alone() {
    let around = Around::of(World::new());
    let plain = &around.world.plain;
    let before = around.remember();
    plain.write("README.md", "stashed\n");
    plain.git(&["stash"]);
    let changes = around.changes(&before);
    let [SurroundingChange::Stash { added, removed }] = changes.as_slice() else {
        panic!("{changes:?}");
    };
    assert!(added.len() == 1 && removed.is_empty());
    std::fs::write(plain.path(".git/refs/stash.lock"), "").unwrap();
    around.worktree.keep_stash(added).unwrap();
    assert!(!around.worktree.take_out_of_stash(added).unwrap());
    assert_eq!(plain.git(&["stash", "list"]).lines().count(), 1);
    std::fs::remove_file(plain.path(".git/refs/stash.lock")).unwrap();
    plain.git(&["pack-refs", "--all"]);
    assert!(around.worktree.take_out_of_stash(added).unwrap());
    assert_eq!(plain.git(&["stash", "list"]), "");
    assert_eq!(around.changes(&before), []);
}
