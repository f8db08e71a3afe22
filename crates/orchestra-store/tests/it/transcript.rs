//! Transcripts: positions, lines, pages.

use orchestra_core::{AgentEvent, IterationNumber};
use orchestra_store::NewItem;

use crate::fixture::{Sandbox, add_session, at, id, message, read, try_write, write};

const FIRST: IterationNumber = IterationNumber(1);
const SECOND: IterationNumber = IterationNumber(2);

#[test]
fn positions_count_from_one_in_each_session() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let (one, two) = (add_session(&store, "bbbbbb"), add_session(&store, "cccccc"));
    let append = |session, iteration, count: usize| {
        let items = vec![message("hello"); count];
        write(&store, |tx| {
            tx.append_transcript(session, iteration, &items)
        })
    };
    assert_eq!(append(&one, FIRST, 0), None);
    assert_eq!(append(&one, FIRST, 3), Some((1, 3)));
    assert_eq!(append(&two, FIRST, 1), Some((1, 1)));
    assert_eq!(append(&one, SECOND, 2), Some((4, 5)));
    assert_eq!(read(&store, |tx| tx.last_position(&one)), 5);
    assert_eq!(read(&store, |tx| tx.last_position(&id("dddddd"))), 0);
    assert_eq!(
        sandbox.ask::<String>(
            "SELECT group_concat(position) FROM transcript WHERE session = 'bbbbbb'"
        ),
        "1,2,3,4,5"
    );
}

#[test]
fn an_iteration_begins_after_the_items_of_earlier_ones() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let (session, other) = (add_session(&store, "bbbbbb"), add_session(&store, "cccccc"));
    let before = |number| {
        read(&store, |tx| {
            tx.position_before(&session, IterationNumber(number))
        })
    };
    assert_eq!(before(1), 0);
    write(&store, |tx| {
        tx.append_transcript(&session, FIRST, &[message("one"), message("two")])?;
        tx.append_transcript(&other, FIRST, &vec![message("elsewhere"); 9])?;
        tx.append_transcript(&session, IterationNumber(3), &[message("three")])
    });
    assert_eq!([before(1), before(2), before(3), before(4)], [0, 2, 2, 3]);
}

#[test]
fn pages_follow_one_another() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let items: Vec<_> = (1..=7).map(|number| message(&number.to_string())).collect();
    write(&store, |tx| tx.append_transcript(&session, FIRST, &items));
    let page = |after, limit| -> Vec<u64> {
        let items = read(&store, |tx| tx.transcript_after(&session, after, limit));
        items.iter().map(|item| item.position).collect()
    };
    assert_eq!(page(0, 3), [1, 2, 3]);
    assert_eq!(page(3, 3), [4, 5, 6]);
    assert_eq!(page(6, 3), [7]);
    assert_eq!(page(7, 3), Vec::<u64>::new());
    assert_eq!(page(u64::MAX, 3), Vec::<u64>::new());
    let last = read(&store, |tx| tx.transcript_after(&session, 6, 1));
    assert_eq!((last[0].iteration, last[0].at), (FIRST, at(700)));
    assert_eq!(last[0].line, items[6].line);
    assert_eq!(last[0].event, items[6].event);
}

#[test]
fn pages_go_backwards_too() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let items: Vec<_> = (1..=7).map(|number| message(&number.to_string())).collect();
    write(&store, |tx| tx.append_transcript(&session, FIRST, &items));
    let page = |before, limit| -> Vec<u64> {
        let items = read(&store, |tx| tx.transcript_before(&session, before, limit));
        items.iter().map(|item| item.position).collect()
    };
    assert_eq!(page(u64::MAX, 3), [5, 6, 7]);
    assert_eq!(page(5, 3), [2, 3, 4]);
    assert_eq!(page(2, 3), [1]);
    assert_eq!(page(1, 3), Vec::<u64>::new());
    assert_eq!(page(0, 3), Vec::<u64>::new());
}

#[test]
fn large_items_come_on_smaller_pages() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let items = vec![message(&"x".repeat(3_000_000)); 3];
    write(&store, |tx| tx.append_transcript(&session, FIRST, &items));
    let page = |after| -> Vec<u64> {
        let items = read(&store, |tx| tx.transcript_after(&session, after, 100));
        items.iter().map(|item| item.position).collect()
    };
    assert_eq!(page(0), [1, 2]);
    assert_eq!(page(2), [3]);
}

#[test]
fn the_last_line_is_that_of_the_iteration() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let on = |line| NewItem {
        line,
        ..message("hello")
    };
    assert_eq!(read(&store, |tx| tx.last_line(&session, FIRST)), 0);
    write(&store, |tx| {
        tx.append_transcript(
            &session,
            FIRST,
            &[on(Some(1)), on(Some(9)), on(Some(4)), on(None)],
        )?;
        tx.append_transcript(&session, SECOND, &[on(None)])
    });
    assert_eq!(read(&store, |tx| tx.last_line(&session, FIRST)), 9);
    assert_eq!(read(&store, |tx| tx.last_line(&session, SECOND)), 0);
}

#[test]
fn an_item_of_a_newer_version_is_named_and_not_dropped() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let item = NewItem {
        event: AgentEvent::Unrecognized {
            raw: "\0\u{fffd}".to_owned(),
        },
        ..message("")
    };
    write(&store, |tx| tx.append_transcript(&session, FIRST, &[item]));
    sandbox
        .sqlite()
        .execute("UPDATE transcript SET event = '{\"kind\":\"song\"}'", [])
        .unwrap();
    let error = store
        .read(|tx| tx.transcript_after(&session, 0, 9))
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("cannot read the column event"),
        "{error}"
    );
}

#[test]
fn a_session_that_is_gone_gets_no_items() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let gone = id("k7m2qd");
    let error = try_write(&store, |tx| {
        tx.append_transcript(&gone, FIRST, &[message("late")])
    });
    assert_eq!(error.unwrap_err().code(), "store.failed");
}

#[test]
fn the_last_turn_the_agent_heard_is_found() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let heard_before = |next| read(&store, |tx| tx.last_heard_iteration(&session, next));
    let heard = || heard_before(IterationNumber(3));
    assert_eq!(heard(), None);
    let started = NewItem {
        event: AgentEvent::Started {
            thread: None,
            model: None,
            mode: None,
            tools: Vec::new(),
        },
        ..message("")
    };
    let append = |iteration, item: NewItem| {
        write(&store, |tx| {
            tx.append_transcript(&session, iteration, &[item])
        })
    };
    append(FIRST, started);
    append(FIRST, message("hello"));
    append(SECOND, message("it never came up"));
    assert_eq!(heard(), Some(FIRST));
    assert_eq!(heard_before(FIRST), None);
}
