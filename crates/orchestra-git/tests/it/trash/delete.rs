//! What is deleted from the trash, for good.

use std::fs;
use std::path::PathBuf;

use orchestra_git::TrashStep;

use super::{name, request, restore, trash, trash_dir};
use crate::world::World;

#[test]
fn a_deleted_entry_is_gone_and_the_branch_stays() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
    world.repository.delete_from_trash(&name("one")).unwrap();
    assert!(!trash_dir(&world).join("one").exists());
    assert_eq!(
        fs::read_dir(trash_dir(&world)).unwrap().count(),
        1,
        "only the readme"
    );
    assert!(world.plain.has_branch("amp/x"));
    let error = world
        .repository
        .delete_from_trash(&name("one"))
        .unwrap_err();
    assert_eq!(error.code(), "git.trash_no_such_entry");
    assert_eq!(error.hint(), None);
    assert_eq!(
        restore(&world, "one").unwrap_err().code(),
        "git.trash_no_such_entry"
    );
    world.plain.fsck();
}

#[test]
fn a_cut_off_deletion_is_finished_later() {
    let world = World::new();
    assert_eq!(world.repository.finish_deletions().unwrap(), 0);
    for (entry, of) in [("one", "amp/x"), ("two", "amp/y"), ("three", "amp/z")] {
        let worktree = world.worktree(of);
        trash(&world, worktree.path(), &request(entry, of)).unwrap();
        let (from, to) = (
            trash_dir(&world).join(entry),
            trash_dir(&world).join(format!("{entry}.deleting")),
        );
        fs::rename(from, to).unwrap();
    }
    // The record of one is gone already, and another one has the name of the third.
    fs::remove_file(trash_dir(&world).join("one.deleting/entry.json")).unwrap();
    let worktree = world.worktree("amp/again");
    trash(&world, worktree.path(), &request("three", "amp/again")).unwrap();
    let listing = world.repository.trash_entries().unwrap();
    assert_eq!((listing.entries.len(), listing.damaged.len()), (1, 0));
    world.repository.delete_from_trash(&name("two")).unwrap();
    world.repository.delete_from_trash(&name("three")).unwrap();
    assert_eq!(world.repository.finish_deletions().unwrap(), 1);
    assert_eq!(world.repository.finish_deletions().unwrap(), 0);
    assert_eq!(
        fs::read_dir(trash_dir(&world)).unwrap().count(),
        1,
        "only the readme"
    );
}

#[test]
fn what_is_not_all_in_the_trash_is_not_deleted() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    let stop = |step| assert_ne!(step, TrashStep::AdminMoved, "cut off here");
    let cut = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let request = request("one", "amp/x");
        drop(
            world
                .repository
                .trash_worktree(worktree.path(), &request, &stop),
        );
    }));
    assert!(cut.is_err());
    let error = world
        .repository
        .delete_from_trash(&name("one"))
        .unwrap_err();
    assert_eq!(error.code(), "git.trash_unfinished");
    assert!(error.hint().unwrap().contains("bring it back first"));
    restore(&world, "one").unwrap();
    assert_eq!(
        world
            .plain_at(worktree.path())
            .git(&["status", "--porcelain"]),
        ""
    );
}

/// An entry whose pack is half written, so nothing was moved yet.
fn half_packed(world: &World, entry: &str, of: &str) -> PathBuf {
    let worktree = world.worktree(of);
    let stop = |step| assert_ne!(step, TrashStep::Recorded, "cut off here");
    let cut = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let request = request(entry, of);
        let trashed = world
            .repository
            .trash_worktree(worktree.path(), &request, &stop);
        drop(trashed);
    }));
    assert!(cut.is_err());
    let pack = trash_dir(world).join(entry).join("objects.pack");
    fs::write(pack, "PACK").unwrap();
    worktree.path().to_owned()
}

#[test]
fn what_was_cut_off_before_anything_moved_is_taken_back_or_deleted() {
    let world = World::new();
    let paths = ["one", "two", "three"].map(|it| half_packed(&world, it, &format!("amp/{it}")));
    restore(&world, "one").unwrap();
    world.repository.delete_from_trash(&name("two")).unwrap();
    let hardly_begun = trash_dir(&world).join("four");
    fs::create_dir(&hardly_begun).unwrap();
    fs::write(hardly_begun.join("entry.json.new"), "{").unwrap();
    assert_eq!(world.repository.finish_deletions().unwrap(), 2);
    assert_eq!(
        fs::read_dir(trash_dir(&world)).unwrap().count(),
        1,
        "only the readme"
    );
    for path in paths {
        assert_eq!(world.plain_at(&path).git(&["status", "--porcelain"]), "");
    }
}
