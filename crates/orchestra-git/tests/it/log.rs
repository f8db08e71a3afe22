//! The commits of a range.

use std::path::PathBuf;

use crate::world::{World, id};

#[test]
fn commits_come_with_their_files_in_one_process() {
    let world = World::new();
    let base = world.head();
    world.plain.write("commit", "c\n");
    world.plain.write("a b\nc", "x\n");
    world.plain.commit("first\n\n:100644 body\n\ncommit");
    world
        .plain
        .git(&["checkout", "--quiet", "-b", "side", "HEAD~1"]);
    world.plain.write("side", "s\n");
    world.plain.commit("side");
    world.plain.git(&["checkout", "--quiet", "main"]);
    world
        .plain
        .git(&["merge", "--quiet", "--no-ff", "--message", "merge", "side"]);
    world.plain.commit("empty");
    let head = id(&world.plain.head());
    world.repository.commit_exists(&head).unwrap();
    let before = world.git.spawned();
    let commits = world.repository.log(&base, &head, 100).unwrap();
    assert_eq!(world.git.spawned() - before, 1);
    assert_eq!(
        commits
            .iter()
            .map(|commit| commit.subject.as_str())
            .collect::<Vec<_>>(),
        ["empty", "merge", "side", "first"]
    );
    assert_eq!((commits[0].files.len(), commits[1].parents.len()), (0, 2));
    assert_eq!(commits[1].files[0].path, PathBuf::from("side"));
    let first = &commits[3];
    assert_eq!(first.body, ":100644 body\n\ncommit");
    assert_eq!(
        first
            .files
            .iter()
            .map(|file| file.path.to_str().unwrap())
            .collect::<Vec<_>>(),
        ["a b\nc", "commit"]
    );
    assert_eq!(
        (first.files[1].insertions, first.files[1].deletions),
        (Some(1), Some(0))
    );
    assert_eq!(
        (first.author.name.as_str(), first.parents[0].clone()),
        ("Test", base.clone())
    );
    assert_eq!(first.at.as_second(), 1_767_225_600);
    assert_eq!(world.repository.log(&base, &head, 2).unwrap().len(), 2);
    assert_eq!(world.repository.log(&head, &head, 2).unwrap(), []);
    assert_eq!(
        world
            .repository
            .log(&base, &id(&"1".repeat(40)), 2)
            .unwrap_err()
            .code(),
        "git.failed"
    );
}
