//! Pushes, disk space and worktrees that were deleted for good.

use orchestra_core::{DiskFacts, EventBody, Push};

use crate::fixture::{Sandbox, add_session, at, read, write};

#[test]
fn the_last_push_to_each_branch_is_known() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "bcdfgh");
    let push = |remote: &str, commit: &str, second: i64| Push {
        remote: remote.parse().unwrap(),
        branch: "amp/x".parse().unwrap(),
        commit: commit.repeat(40).parse().unwrap(),
        at: at(second),
    };
    for push in [
        push("origin", "a", 1),
        push("fork", "b", 3),
        push("origin", "c", 2),
    ] {
        write(&store, |tx| tx.put_push(&session, &push));
    }
    let known = read(&store, |tx| tx.pushes(&session));
    assert_eq!(known, [push("fork", "b", 3), push("origin", "c", 2)]);
    write(&store, |tx| tx.delete_session(&session));
    assert_eq!(sandbox.ask::<u32>("SELECT count(*) FROM pushes"), 0);
}

#[test]
fn disk_space_is_what_was_counted_last() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "bcdfgh");
    let facts = |own_bytes: u64| DiskFacts {
        own_bytes,
        shared_bytes: 7,
        is_sharing_known: own_bytes > 1,
        checked_at: at(5),
    };
    write(&store, |tx| tx.put_disk_use(&session, &facts(1)));
    write(&store, |tx| tx.put_disk_use(&session, &facts(1 << 40)));
    let known = read(&store, |tx| tx.disk_use());
    assert_eq!(known, [(session.clone(), facts(1 << 40))]);
    let one = read(&store, |tx| tx.disk_use_of(&session));
    assert_eq!(one, Some(facts(1 << 40)));
    write(&store, |tx| tx.forget_disk_use(&session));
    assert_eq!(read(&store, |tx| tx.disk_use()), []);
    write(&store, |tx| tx.delete_session(&session));
    write(&store, |tx| tx.put_disk_use(&session, &facts(2)));
    assert_eq!(read(&store, |tx| tx.disk_use()), [], "the session is gone");
}

#[test]
fn a_worktree_that_was_deleted_for_good_is_known_as_such() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let id = add_session(&store, "bcdfgh");
    let session = || read(&store, |tx| tx.find_session(&id)).unwrap();
    assert_eq!(session().worktree_deleted_at, None);
    write(&store, |tx| {
        tx.set_worktree_deleted(&id)?;
        tx.append_event(Some(&id), &EventBody::WorktreeDeleted)
    });
    assert!(session().worktree_deleted_at.is_some());
}
