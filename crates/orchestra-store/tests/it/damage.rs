//! Damaged files: refused, or read as they were; never made up.

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_core::IterationNumber;
use orchestra_store::{
    Control, ControlTarget, Effect, EventFilter, NewIteration, SessionFilter, Store, StoreError,
};

use crate::fixture::{Sandbox, add_session, at, dump, message, note, write};

const SESSIONS: [&str; 4] = ["bbbbbb", "cccccc", "dddddd", "ffffff"];

/// A closed store with rows in every table, some longer than a page.
fn filled() -> Sandbox {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    for name in SESSIONS {
        let session = add_session(&store, name);
        write(&store, |tx| {
            let new = NewIteration {
                session: &session,
                input: None,
                commit: true,
                queued_at: at(1),
            };
            let iteration = tx.insert_iteration(&new)?;
            let items: Vec<_> = (0..20)
                .map(|size| message(&name.repeat(size * 100)))
                .collect();
            tx.append_transcript(&session, iteration.number, &items)?;
            tx.open_intent(&session, &Effect::MakeWorktree)?;
            tx.insert_control(
                &session,
                ControlTarget::Iteration(iteration.key),
                Control::Stop,
            )?;
            (0..50).try_for_each(|number| {
                tx.append_event(Some(&session), &note(&format!("{name} {number}")))
                    .map(drop)
            })
        });
    }
    sandbox
}

/// Everything the store can tell.
fn everything(store: &Store) -> Result<String, StoreError> {
    store.read(|tx| {
        let mut told = format!(
            "{:?} {:?} {:?} {:?} {:?}",
            tx.repositories()?,
            tx.sessions(SessionFilter {
                repository: None,
                archived: true
            })?,
            tx.latest_iterations()?,
            tx.open_intents()?,
            tx.events(EventFilter::default())?,
        );
        for name in SESSIONS {
            let session = name.parse().unwrap();
            told += &format!("{:?}", tx.find_session(&session)?);
            told += &format!("{:?}", tx.find_iteration(&session, IterationNumber(1))?);
            told += &format!("{:?}", tx.transcript_after(&session, 0, 1_000)?);
        }
        Ok(told)
    })
}

fn open_and_read(database: &Path) -> Result<String, StoreError> {
    everything(&Store::open(database, "second")?)
}

fn copy_with(directory: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = directory.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn what_is_no_database_is_refused_and_kept() {
    let sandbox = Sandbox::new();
    let cases: [&[u8]; 5] = [
        b"xy",
        b"SQLite format 3\0",
        &[0; 4_096],
        &[b'#'; 100_000],
        b"SQLite format 3\0 and then something else",
    ];
    for (number, bytes) in cases.into_iter().enumerate() {
        let path = copy_with(sandbox.directory(), &format!("{number}.db"), bytes);
        let error = Store::open(&path, "first").unwrap_err();
        assert_eq!(error.code(), "store.damaged", "{number}: {error:?}");
        assert!(
            error.to_string().contains(&format!("{number}.db")),
            "{error}"
        );
        assert!(error.hint().unwrap().contains("doctor --fix"));
        assert!(fs::read(&path).unwrap() == bytes);
    }
}

#[test]
fn a_truncated_file_is_refused_and_kept() {
    let sandbox = filled();
    let expected = open_and_read(&sandbox.database()).unwrap();
    let whole = fs::read(sandbox.database()).unwrap();
    // SQLite takes a file of one byte for an empty one, so the shortest has two.
    let even = (1..20).map(|part| whole.len() * part / 20);
    let odd = [
        2,
        15,
        16,
        50,
        99,
        100,
        4_095,
        4_096,
        4_097,
        whole.len() - 4_096,
        whole.len() - 1,
    ];
    let mut refused = 0;
    for length in even.chain(odd) {
        let cut = copy_with(
            sandbox.directory(),
            &format!("cut-{length}.db"),
            &whole[..length],
        );
        match open_and_read(&cut) {
            Err(error) => {
                assert_eq!(error.code(), "store.damaged", "{length}: {error:?}");
                assert!(fs::read(&cut).unwrap() == whole[..length]);
                refused += 1;
            }
            Ok(rows) => assert_eq!(rows, expected, "{length}"),
        }
    }
    println!("cuts 30, refused {refused}");
}

/// What SQLite itself says about a file, on a copy of its own.
fn sqlite_finds_it_whole(path: &Path) -> bool {
    let answer = rusqlite::Connection::open(path).and_then(|connection| {
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))
    });
    answer.is_ok_and(|line: String| line == "ok")
}

#[derive(Debug, PartialEq)]
enum Found {
    Refused,
    Right,
    /// SQLite keeps no checksums: another letter within a value is a value.
    OtherValue,
}

fn look_at_flipped(path: &Path, expected: &str, rows: &[String]) -> Found {
    let store = match Store::open(path, "second") {
        Ok(store) => store,
        Err(error) => {
            assert!(
                [
                    "store.damaged",
                    "store.newer",
                    "store.failed",
                    "store.cannot_open"
                ]
                .contains(&error.code()),
                "{error:?}"
            );
            return Found::Refused;
        }
    };
    match everything(&store) {
        Err(_) => Found::Refused,
        Ok(told) if told == expected => Found::Right,
        Ok(_) => match store.check_integrity() {
            Ok(problems) if problems.is_empty() => {
                drop(store);
                assert!(
                    sqlite_finds_it_whole(path),
                    "SQLite sees damage that the store does not"
                );
                assert_ne!(dump(path).unwrap(), rows);
                Found::OtherValue
            }
            _ => Found::Refused,
        },
    }
}

#[test]
fn a_flipped_bit_is_noticed_or_harmless() {
    let sandbox = filled();
    let expected = open_and_read(&sandbox.database()).unwrap();
    let rows = dump(&sandbox.database()).unwrap();
    let whole = fs::read(sandbox.database()).unwrap();
    let mut found = Vec::new();
    let mut random: u64 = 0x5eed;
    for flip in 0..60 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // The first ones hit the header and the schema, where one bit decides most.
        let reach = if flip < 10 { 200 } else { whole.len() as u64 };
        let (byte, bit) = (((random >> 16) % reach) as usize, random >> 61);
        let mut bytes = whole.clone();
        bytes[byte] ^= 1 << bit;
        let path = copy_with(sandbox.directory(), &format!("flip-{flip}.db"), &bytes);
        found.push(look_at_flipped(&path, &expected, &rows));
    }
    let count = |kind| found.iter().filter(|one| **one == kind).count();
    println!(
        "flips 60, refused {}, right {}, other value {}",
        count(Found::Refused),
        count(Found::Right),
        count(Found::OtherValue)
    );
}

#[test]
fn damage_inside_is_found_when_it_is_looked_for() {
    let sandbox = filled();
    let mut bytes = fs::read(sandbox.database()).unwrap();
    let (pages, middle) = (bytes.len() / 4_096, bytes.len() / 8_192);
    assert!(pages > 20);
    for page in middle..middle + 4 {
        bytes[page * 4_096..(page + 1) * 4_096].fill(0xa5);
    }
    fs::write(sandbox.database(), bytes).unwrap();
    let store = sandbox.open();
    let problems = store.check_integrity();
    assert!(
        !matches!(&problems, Ok(problems) if problems.is_empty()),
        "{problems:?}"
    );
    let error = everything(&store).unwrap_err();
    assert_eq!(error.code(), "store.damaged");
    assert!(
        error.to_string().starts_with("the database is damaged: "),
        "{error}"
    );
}
