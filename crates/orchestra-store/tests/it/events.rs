//! The event log.

use orchestra_core::{EventBody, IterationNumber, SessionStatus};
use orchestra_store::EventFilter;

use crate::fixture::{Sandbox, add_session, at, id, note, read, write};

#[test]
fn events_keep_their_order_and_their_session() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    assert_eq!(read(&store, |tx| tx.last_seq()), 0);
    let changed = EventBody::SessionStatusChanged {
        from: SessionStatus::Idle,
        to: SessionStatus::Running,
    };
    let numbers = write(&store, |tx| {
        Ok([
            tx.append_event(Some(&session), &changed)?,
            tx.append_event(None, &note("all"))?,
            tx.append_event(Some(&session), &note("mine"))?,
        ])
    });
    assert_eq!(numbers, [1, 2, 3]);
    let all = read(&store, |tx| tx.events(EventFilter::default()));
    assert_eq!(all.len(), 3);
    assert_eq!(
        (all[0].seq, all[0].at, &all[0].body),
        (1, at(1_000), &changed)
    );
    assert_eq!(all[0].session, Some(session.clone()));
    assert_eq!(all[1].session, None);
    let mine = read(&store, |tx| {
        tx.events(EventFilter {
            session: Some(&session),
            ..EventFilter::default()
        })
    });
    assert_eq!(
        mine.iter().map(|event| event.seq).collect::<Vec<_>>(),
        [1, 3]
    );
    assert_eq!(
        sandbox.ask::<String>("SELECT group_concat(type) FROM events"),
        "session_status_changed,recovered,recovered"
    );
}

#[test]
fn a_follower_goes_on_where_it_stopped() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    write(&store, |tx| {
        (0..1_100).try_for_each(|_| tx.append_event(None, &note("tick")).map(drop))
    });
    let page = |after, limit| -> (usize, Option<u64>) {
        let filter = EventFilter {
            after,
            limit,
            session: None,
        };
        let events = read(&store, |tx| tx.events(filter));
        (events.len(), events.last().map(|event| event.seq))
    };
    assert_eq!(page(0, 0), (1_000, Some(1_000)));
    assert_eq!(page(1_000, 0), (100, Some(1_100)));
    assert_eq!(page(5, 2), (2, Some(7)));
    assert_eq!(page(1_100, 0), (0, None));
    assert_eq!(page(u64::MAX, 0), (0, None));
    assert_eq!(read(&store, |tx| tx.last_seq()), 1_100);
}

#[test]
fn a_number_is_never_given_twice() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    write(&store, |tx| tx.append_event(None, &note("one")));
    write(&store, |tx| tx.append_event(None, &note("two")));
    sandbox
        .sqlite()
        .execute("DELETE FROM events WHERE seq = 2", [])
        .unwrap();
    assert_eq!(write(&store, |tx| tx.append_event(None, &note("three"))), 3);
}

#[test]
fn an_event_may_tell_of_a_session_that_is_gone() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let gone = id("k7m2qd");
    write(&store, |tx| tx.append_event(Some(&gone), &note("removed")));
    let events = read(&store, |tx| tx.events(EventFilter::default()));
    assert_eq!(events[0].session, Some(gone));
}

#[test]
fn what_a_person_changed_since_an_iteration_started_is_told() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let changed = |field: &str| EventBody::SessionChanged {
        field: field.to_owned(),
    };
    let started = |number| EventBody::IterationStarted {
        iteration: IterationNumber(number),
    };
    let log = [
        changed("prompt"),
        started(1),
        changed("notes"),
        changed("notes"),
        started(2),
        changed("model"),
    ];
    write(&store, |tx| {
        log.iter()
            .try_for_each(|body| tx.append_event(Some(&session), body).map(drop))
    });
    let since = |number| {
        let fields = read(&store, |tx| {
            tx.fields_changed_since(&session, IterationNumber(number))
        });
        fields.into_iter().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(since(1), "model notes");
    assert_eq!(since(2), "model");
    assert_eq!(since(9), "model notes prompt", "never started");
}
