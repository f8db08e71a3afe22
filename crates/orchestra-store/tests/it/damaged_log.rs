//! A write-ahead log that is gone, cut short or flipped: whole transactions or none.

use std::fs;

use orchestra_store::{EventFilter, Store};

use crate::fixture::{Sandbox, note, write};

/// A copy of a store in use: the file and its log, as a killed process leaves them.
fn killed() -> (Sandbox, Vec<u8>) {
    let source = Sandbox::new();
    let store = source.open();
    source
        .sqlite()
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    for number in 1..=30 {
        write(&store, |tx| {
            tx.append_event(None, &note(&format!("{number}")))
        });
    }
    let copy = Sandbox::new();
    fs::copy(source.database(), copy.database()).unwrap();
    let log = fs::read(source.directory().join("orchestra.db-wal")).unwrap();
    (copy, log)
}

#[test]
fn a_log_that_is_gone_takes_only_what_was_in_it() {
    let (sandbox, _) = killed();
    let store = sandbox.open();
    assert_eq!(store.epoch().unwrap(), "first");
    assert_eq!(store.read(|tx| tx.last_seq()).unwrap(), 0);
    assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
}

#[test]
fn a_log_that_is_cut_or_flipped_gives_whole_transactions() {
    let (sandbox, log) = killed();
    let file = fs::read(sandbox.database()).unwrap();
    let log_path = sandbox.directory().join("orchestra.db-wal");
    let mut seen = std::collections::BTreeSet::new();
    for part in 0..=20 {
        for flip in [false, true] {
            let mut bytes = log[..log.len() * part / 20].to_vec();
            if let (true, Some(byte)) = (flip, bytes.get_mut(log.len() * part / 40)) {
                *byte ^= 4;
            }
            fs::write(sandbox.database(), &file).unwrap();
            fs::write(&log_path, bytes).unwrap();
            let store = sandbox.open();
            let events = store.read(|tx| tx.events(EventFilter::default())).unwrap();
            for (index, event) in events.iter().enumerate() {
                assert_eq!(event.body, note(&format!("{}", index + 1)));
            }
            seen.insert(events.len());
            assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
        }
    }
    assert!(
        seen.contains(&30) && seen.contains(&0) && seen.len() > 10,
        "{seen:?}"
    );
}

#[test]
fn a_new_file_beside_an_old_log_does_not_read_it() {
    let (sandbox, log) = killed();
    fs::remove_file(sandbox.database()).unwrap();
    fs::write(sandbox.directory().join("orchestra.db-wal"), log).unwrap();
    let store = Store::open(&sandbox.database(), "second").unwrap();
    assert_eq!(store.epoch().unwrap(), "second");
    assert_eq!(store.read(|tx| tx.last_seq()).unwrap(), 0);
}
