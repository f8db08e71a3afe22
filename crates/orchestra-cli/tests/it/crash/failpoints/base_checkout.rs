//! A merge that was killed while it wrote the files of the base's checkout: whatever command comes next makes it whole.

use crate::concurrency::world::{World, shown};

use super::{BY_HAND, world_with_mergeable_work};

/// Commands that are not about the session whose merge was killed.
const ANY: &[&[&str]] = &[
    &[],
    &["session", "list"],
    &["session", "list", "--json", "--no-refresh"],
    &["session", "status", "other"],
    &["session", "diff", "other"],
    &["session", "operations", "other"],
    &["session", "queue"],
    &["session", "new", "--name", "third", "--prompt", "Do it"],
    &["conflicts"],
    &["trash", "list"],
    &["worktree", "list"],
    &["gc"],
    &["doctor", "--fix"],
];

fn checkout(world: &World) -> String {
    world.repository.git(&["status", "--porcelain"])
}

fn open_operations(world: &World) -> i64 {
    world.count("SELECT count(*) FROM operations WHERE state = 'open'")
}

/// The checkout of the base has files of the merge, and the base is where it was.
fn half_merged() -> World {
    let (world, _victim) = world_with_mergeable_work();
    world.create("other", &[]);
    kill_merge(&world);
    world
}

fn kill_merge(world: &World) {
    world.abort_at("advance.files_written", &["merge", "victim"]);
    assert_ne!(checkout(world), "", "the merge was cut off too late");
    assert_eq!(open_operations(world), 1);
}

#[test]
fn any_command_makes_the_checkout_of_the_base_whole() {
    let world = half_merged();
    for words in ANY {
        let output = world.sandbox.orchestra().args(*words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", shown(&output));
        assert_eq!(checkout(&world), "", "{words:?}: {}", shown(&output));
        assert_eq!(open_operations(&world), 0, "{words:?}");
        if !words.contains(&"--json") {
            assert!(
                shown(&output).contains("merge was cut off"),
                "{words:?}: {}",
                shown(&output)
            );
        }
        kill_merge(&world);
    }
    world.succeed(&["merge", "victim"]);
    assert_eq!(world.repository.read(BY_HAND.0), BY_HAND.1);
    world.assert_whole("after the merge");
}

#[test]
fn the_doctor_tells_of_it_and_only_looks() {
    let world = half_merged();
    let before = checkout(&world);
    let output = world.sandbox.orchestra().arg("doctor").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
    let said = shown(&output);
    assert!(said.contains("merge was cut off"), "{said}");
    assert!(said.contains("`main` is checked out"), "{said}");
    assert_eq!(checkout(&world), before);
    assert_eq!(open_operations(&world), 1);
}

/// What somebody has under way in the checkout is left alone, and the next command tries again.
#[test]
fn a_checkout_that_is_busy_is_told_and_put_right_later() {
    let world = half_merged();
    let marker = world.repository.path(".git/MERGE_HEAD");
    std::fs::write(&marker, format!("{}\n", world.repository.head())).unwrap();
    let list = || world.session(&["list"]).output().unwrap();
    let busy = list();
    assert!(busy.status.success(), "{}", shown(&busy));
    assert!(
        shown(&busy).contains("victim: what was cut off cannot be put right"),
        "{}",
        shown(&busy)
    );
    assert_eq!(open_operations(&world), 1);
    std::fs::remove_file(&marker).unwrap();
    let free = list();
    assert_eq!(checkout(&world), "", "{}", shown(&free));
}
