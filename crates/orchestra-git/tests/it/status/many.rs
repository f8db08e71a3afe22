//! A worktree with many files is looked at by several threads, and every change is found all the same.

use std::fs;
use std::os::unix::fs::symlink;

use orchestra_git::Worktree;
use orchestra_testkit::TestRepository;

use crate::world::World;

fn world() -> World {
    World::with(|plain| {
        for number in 0..1_500 {
            let (large, small) = (number % 3, number % 50);
            plain.write(&format!("d{large}/e{small}/f{number}"), "x\n");
        }
        plain.write("top", "x\n");
        plain.commit("many files");
    })
}

/// What the worktree answers, and how many processes that took.
fn asked(worktree: &Worktree) -> (bool, u64) {
    let git = worktree.repository().git();
    let before = git.spawned();
    (worktree.is_dirty().unwrap(), git.spawned() - before)
}

#[test]
fn changes_are_found_wherever_they_are() {
    let world = world();
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    assert_eq!(asked(&worktree), (false, 0));
    let deeds: [fn(&TestRepository); 5] = [
        |plain| plain.write("d0/e0/f0", "y\n"),
        |plain| plain.write("d2/e49/new", "y\n"),
        |plain| fs::remove_file(plain.path("d1/e1/f1")).unwrap(),
        |plain| plain.write("top", "y\n"),
        |plain| {
            fs::rename(plain.path("d1/e4"), plain.path("d1/e5/moved")).unwrap();
            symlink("e5/moved", plain.path("d1/e4")).unwrap();
        },
    ];
    for (number, deed) in deeds.into_iter().enumerate() {
        deed(&plain);
        assert!(worktree.is_dirty().unwrap(), "{number}");
        plain.git(&["clean", "--quiet", "-fdx"]);
        plain.git(&["reset", "--quiet", "--hard"]);
        assert!(!worktree.is_dirty().unwrap(), "{number}");
    }
}
