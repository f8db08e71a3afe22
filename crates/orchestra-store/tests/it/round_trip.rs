//! Whatever an agent says and whatever happens comes back byte for byte.

mod agent_events;
mod events;
mod values;

use std::cell::RefCell;
use std::collections::BTreeSet;

use agent_events::agent_event;
use orchestra_core::IterationNumber;
use orchestra_store::{EventFilter, NewItem};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde::Serialize;

use crate::fixture::{Sandbox, add_session, message, read, write};

fn wire<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap()
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    })
}

#[test]
fn any_agent_event_comes_back() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let every = vec(agent_event(), 1..20);
    let made = RefCell::new(BTreeSet::new());
    let result = runner(128).run(&every, |events| {
        made.borrow_mut()
            .extend(events.iter().map(agent_events::kind));
        let items: Vec<_> = events
            .iter()
            .map(|event| NewItem {
                event: event.clone(),
                ..message("")
            })
            .collect();
        let positions = write(&store, |tx| {
            tx.append_transcript(&session, IterationNumber(1), &items)
        });
        let (first, _) = positions.unwrap();
        let read_back = read(&store, |tx| tx.transcript_after(&session, first - 1, 100));
        prop_assert_eq!(read_back.len(), events.len());
        for (item, event) in read_back.iter().zip(&events) {
            let query = format!(
                "SELECT event FROM transcript WHERE position = {}",
                item.position
            );
            prop_assert_eq!(sandbox.ask::<String>(&query), wire(event));
            prop_assert_eq!(wire(&item.event), wire(event));
        }
        Ok(())
    });
    result.unwrap();
    assert_eq!(made.into_inner(), (0..agent_events::KINDS).collect());
}

#[test]
fn any_event_comes_back() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let every = vec(events::event(), 1..20);
    let made = RefCell::new(BTreeSet::new());
    let result = runner(128).run(&every, |bodies| {
        made.borrow_mut().extend(bodies.iter().map(events::kind));
        let after = read(&store, |tx| tx.last_seq());
        write(&store, |tx| {
            bodies
                .iter()
                .try_for_each(|body| tx.append_event(None, body).map(drop))
        });
        let filter = EventFilter {
            after,
            ..EventFilter::default()
        };
        let read_back = read(&store, |tx| tx.events(filter));
        prop_assert_eq!(read_back.len(), bodies.len());
        for (event, body) in read_back.iter().zip(&bodies) {
            let query = format!("SELECT body FROM events WHERE seq = {}", event.seq);
            prop_assert_eq!(sandbox.ask::<String>(&query), wire(body));
            prop_assert_eq!(&event.body, body);
        }
        Ok(())
    });
    result.unwrap();
    assert_eq!(made.into_inner(), (0..events::KINDS).collect());
}
