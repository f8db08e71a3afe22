//! One notification per event.

use std::sync::Barrier;

use crate::fixture::{Sandbox, note, write};

#[test]
fn one_of_many_shows_it() {
    let sandbox = Sandbox::new();
    let event = write(&sandbox.open(), |tx| tx.append_event(None, &note("look")));
    let barrier = Barrier::new(8);
    let claims: Vec<bool> = std::thread::scope(|scope| {
        let claim = || {
            let store = sandbox.open();
            barrier.wait();
            write(&store, |tx| tx.claim_notification(event))
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(claim)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(claims.iter().filter(|claimed| **claimed).count(), 1);
    assert_eq!(sandbox.ask::<u32>("SELECT count(*) FROM notifications"), 1);
    assert!(write(&sandbox.open(), |tx| tx.claim_notification(event + 1)));
}
