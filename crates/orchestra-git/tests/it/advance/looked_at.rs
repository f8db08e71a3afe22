//! Before a branch moves with its files, only the files that change are looked at, and git is asked only about those that are
//! not certainly clean.

use std::fs::{self, File};
use std::time::{Duration, UNIX_EPOCH};

use orchestra_testkit::TestRepository;

use super::Moving;

/// A repository whose files are older than its index, so that none could have changed in the same instant.
fn settled() -> Moving {
    let moving = Moving::new();
    age(&moving.world.plain, &["changed", "gone", "untouched"]);
    moving
}

fn age(plain: &TestRepository, names: &[&str]) {
    let earlier = UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    for name in names {
        let file = File::options().write(true).open(plain.path(name));
        file.unwrap().set_modified(earlier).unwrap();
    }
    plain.git(&["update-index", "-q", "--refresh"]);
}

/// What is said of the move, and how many processes that took.
fn checked(moving: &Moving) -> (Option<&'static str>, u64) {
    let git = &moving.world.git;
    let before = git.spawned();
    let refused = moving.world.repository.check_advance(&moving.advance).err();
    (refused.map(|error| error.code()), git.spawned() - before)
}

#[test]
fn clean_files_need_no_process_whatever_else_changed() {
    let moving = settled();
    let plain = &moving.world.plain;
    assert_eq!(checked(&moving), (None, 0));
    plain.write("untouched", "mine\n");
    plain.write("new", "mine\n");
    plain.git(&["add", "new"]);
    // The same content again is no change, whatever its time.
    plain.write("changed", "old\n");
    assert_eq!(checked(&moving), (None, 0));
    moving.go().unwrap();
    assert_eq!(
        plain.git(&["status", "--porcelain"]),
        "A  new
 M untouched"
    );
    assert_eq!(plain.read("untouched"), "mine\n");
}

#[test]
fn what_is_different_is_asked_about() {
    type Deed = (fn(&TestRepository), Option<&'static str>);
    let deeds: [Deed; 6] = [
        (
            |plain| plain.write("changed", "mine\n"),
            Some("git.checkout_dirty"),
        ),
        (
            |plain| fs::remove_file(plain.path("gone")).unwrap(),
            Some("git.checkout_dirty"),
        ),
        (
            |plain| {
                plain.git(&["rm", "--quiet", "--cached", "gone"]);
            },
            Some("git.checkout_dirty"),
        ),
        (
            |plain| {
                plain.git(&["mv", "changed", "moved"]);
            },
            Some("git.checkout_dirty"),
        ),
        (
            |plain| {
                plain.write("folder/added", "mine\n");
                plain.git(&["add", "folder/added"]);
            },
            Some("git.checkout_dirty"),
        ),
        (
            |plain| {
                plain.git(&["update-index", "--assume-unchanged", "changed"]);
                plain.write("changed", "old\n");
            },
            None,
        ),
    ];
    for (number, (deed, refused)) in deeds.into_iter().enumerate() {
        let moving = settled();
        deed(&moving.world.plain);
        assert_eq!(checked(&moving), (refused, 1), "{number}");
    }
}
