//! What went on from a moment on.

use std::collections::BTreeSet;

use orchestra_core::status::Outcome;
use orchestra_core::{Progress, SessionId};
use orchestra_store::{DONE, Effect, NewIteration, Store};

use crate::fixture::{Sandbox, add_session, at, id, read, write};

/// The sessions at work since a moment, long after all of them were made.
fn at_work(store: &Store, since: i64) -> BTreeSet<SessionId> {
    let repository = read(store, |tx| tx.find_session(&id("bbbbbb")))
        .unwrap()
        .repository;
    read(store, |tx| tx.activity_since(repository, at(since))).sessions
}

#[test]
fn a_session_is_at_work_from_the_start_to_the_end() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let (one, two) = (add_session(&store, "bbbbbb"), add_session(&store, "cccccc"));
    let later = 1_000_000;
    assert_eq!(at_work(&store, later), BTreeSet::new());
    let mut iteration = write(&store, |tx| {
        tx.insert_iteration(&NewIteration {
            session: &one,
            input: None,
            commit: true,
            queued_at: at(later),
        })
    });
    assert_eq!(at_work(&store, later), BTreeSet::new(), "it only waits");
    iteration.progress = Progress::Agent;
    iteration.started_at = Some(at(later));
    write(&store, |tx| tx.put_iteration(&iteration));
    assert_eq!(at_work(&store, later + 5), BTreeSet::from([one.clone()]));
    iteration.progress = Progress::Finished(Outcome::Succeeded);
    iteration.finished_at = Some(at(later + 10));
    write(&store, |tx| tx.put_iteration(&iteration));
    assert_eq!(at_work(&store, later + 10), BTreeSet::from([one]));
    assert_eq!(at_work(&store, later + 11), BTreeSet::new());
    let intent = write(&store, |tx| tx.open_intent(&two, &Effect::MakeWorktree));
    assert_eq!(at_work(&store, later + 11), BTreeSet::from([two]));
    write(&store, |tx| tx.close_intent(intent, DONE));
    assert_eq!(at_work(&store, later + 11), BTreeSet::new());
}
