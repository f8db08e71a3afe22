//! Many processes and threads, each with its own store, on one file.

use std::collections::BTreeSet;
use std::path::Path;

use orchestra_core::{EventBody, IterationNumber};
use orchestra_store::{Durability, NewIteration, Store, StoreError};

use crate::child;
use crate::fixture::{Sandbox, add_session, at, id, message, note, read, write};

const WRITERS: u64 = 16;
const TRANSACTIONS: u64 = 20;
const ITEMS: u64 = 3;

fn append(store: &Store, number: u64) -> Result<(u64, u64), StoreError> {
    let durability = if number.is_multiple_of(4) {
        Durability::State
    } else {
        Durability::Stream
    };
    store.write(durability, at(1), |tx| {
        let session = id("k7m2qd");
        let first = tx.append_event(Some(&session), &note("begin"))?;
        let items = vec![message(&"x".repeat(500)); 3];
        let positions = tx.append_transcript(&session, IterationNumber(1), &items)?;
        let (from, to) = positions.unwrap();
        let body = EventBody::TranscriptAppended {
            iteration: IterationNumber(1),
            from,
            to,
        };
        Ok((first, tx.append_event(Some(&session), &body)?))
    })
}

/// The job of one process: append, and answer which numbers each transaction got.
pub(crate) fn append_here(database: &Path) {
    let store = Store::open(database, "child").unwrap();
    for number in 0..TRANSACTIONS {
        let (first, last) = append(&store, number).unwrap();
        child::answer(&format!("{first} {last}"));
    }
}

/// The job of a process that only looks in.
pub(crate) fn open_and_close(database: &Path) {
    let store = Store::open(database, "child").unwrap();
    child::answer(&read(&store, |tx| tx.last_seq()).to_string());
}

fn assert_no_gaps(sandbox: &Sandbox, numbers: &BTreeSet<(u64, u64)>) {
    let transactions = WRITERS * TRANSACTIONS;
    assert_eq!(numbers.len() as u64, transactions);
    let expected = (0..transactions).map(|number| (2 * number + 1, 2 * number + 2));
    assert_eq!(*numbers, expected.collect());
    for (table, number, count) in [
        ("events", "seq", 2 * transactions),
        ("transcript", "position", ITEMS * transactions),
    ] {
        let query = format!(
            "SELECT min({number}) || ' ' || max({number}) || ' ' || count(DISTINCT {number}) FROM {table}"
        );
        assert_eq!(sandbox.ask::<String>(&query), format!("1 {count} {count}"));
    }
    assert_eq!(sandbox.ask::<String>("PRAGMA integrity_check"), "ok");
}

#[test]
fn sixteen_processes_append_without_a_gap() {
    let sandbox = Sandbox::new();
    add_session(&sandbox.open(), "k7m2qd");
    let numbers = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..WRITERS)
            .map(|_| scope.spawn(|| child::run(child::command("append", &sandbox.database()))))
            .collect();
        let answers = threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap());
        answers
            .map(|line| {
                let (first, last) = line.split_once(' ').unwrap();
                (first.parse().unwrap(), last.parse().unwrap())
            })
            .collect()
    });
    assert_no_gaps(&sandbox, &numbers);
}

#[test]
fn sixteen_threads_append_without_a_gap() {
    let sandbox = Sandbox::new();
    add_session(&sandbox.open(), "k7m2qd");
    let numbers = std::thread::scope(|scope| {
        let work = || {
            let store = sandbox.open();
            (0..TRANSACTIONS)
                .map(|number| append(&store, number).unwrap())
                .collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..WRITERS).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_no_gaps(&sandbox, &numbers);
}

#[test]
fn two_stores_share_the_numbers_of_a_session() {
    let sandbox = Sandbox::new();
    let session = add_session(&sandbox.open(), "k7m2qd");
    let work = || {
        let store = sandbox.open();
        let ask = |_| {
            let new = NewIteration {
                session: &session,
                input: None,
                commit: true,
                queued_at: at(1),
            };
            write(&store, |tx| tx.insert_iteration(&new)).number.0
        };
        (0..50).map(ask).collect::<Vec<_>>()
    };
    let mut numbers = std::thread::scope(|scope| {
        let threads = [scope.spawn(work), scope.spawn(work)];
        threads.map(|thread| thread.join().unwrap()).concat()
    });
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=100).collect::<Vec<_>>());
}

#[test]
fn readers_and_openers_never_fail_while_the_file_grows() {
    let sandbox = Sandbox::new();
    add_session(&sandbox.open(), "k7m2qd");
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(3);
    let running = || std::time::Instant::now() < deadline;
    let big = "x".repeat(50_000);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let store = sandbox.open();
            while running() {
                write(&store, |tx| tx.append_event(None, &note(&big)));
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                let mut before = 0;
                while running() {
                    let seq = read(&sandbox.open(), |tx| tx.last_seq());
                    assert!(seq >= before);
                    before = seq;
                }
            });
        }
    });
    assert_eq!(sandbox.ask::<String>("PRAGMA integrity_check"), "ok");
}

/// On Unix, closing any handle of a file drops the locks this process holds on it. A process that took itself for the
/// last one would then remove the log, and with it what this one commits later.
#[test]
fn a_store_in_use_survives_others_that_come_and_go() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    write(&store, |tx| tx.append_event(None, &note("before")));
    drop(Store::open(&sandbox.database(), "second").unwrap());
    let look = || child::run(child::command("open and close", &sandbox.database()));
    assert_eq!(look(), ["1"]);
    write(&store, |tx| tx.append_event(None, &note("after")));
    assert_eq!(look(), ["2"]);
    store.backup_to(&sandbox.directory().join("copy")).unwrap();
    assert_eq!(look(), ["2"]);
    write(&store, |tx| tx.append_event(None, &note("last")));
    assert_eq!(look(), ["3"]);
}
