//! A worktree on another file system than its repository.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use orchestra_git::{Fill, StartingPoint, TrashState};

use super::{name, picture, request, restore, trash};
use crate::world::{World, branch};

const OTHER: &str = "/dev/shm";

#[test]
fn it_stays_on_its_file_system() {
    let world = World::new();
    let device = |path: &Path| fs::metadata(path).unwrap().dev();
    if !Path::new(OTHER).is_dir() || device(Path::new(OTHER)) == device(world.plain.root()) {
        println!("there is no other file system here");
        return;
    }
    let other = own_directory();
    let path = other.join("x");
    let start = StartingPoint::NewBranch {
        name: branch("amp/x"),
        at: world.head(),
    };
    let worktree = world.repository.register_worktree(&path, &start).unwrap();
    worktree.fill(&world.head(), Fill::Fresh).unwrap();
    let before = picture(&worktree);
    let entry = trash(&world, &path, &request("one", "amp/x")).unwrap();
    assert_eq!(entry.directory, Some(other.join(".orchestra-trash/one")));
    assert_eq!(entry.state, TrashState::Whole);
    assert!(!path.exists());
    restore(&world, "one").unwrap();
    assert_eq!(picture(&worktree), before);
    assert!(
        !other.join(".orchestra-trash").exists(),
        "nothing is left there"
    );
    trash(&world, &path, &request("two", "amp/x")).unwrap();
    world.repository.delete_from_trash(&name("two")).unwrap();
    assert_eq!(fs::read_dir(&other).unwrap().count(), 0);
    fs::remove_dir(&other).unwrap();
}

/// A directory of this test alone on the other file system.
fn own_directory() -> std::path::PathBuf {
    let path = Path::new(OTHER).join(format!("orchestra-trash-{}", std::process::id()));
    fs::create_dir(&path).unwrap();
    path.canonicalize().unwrap()
}
