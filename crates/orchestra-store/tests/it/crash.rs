//! Processes that are killed while they write.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use orchestra_core::IterationNumber;
use orchestra_store::{Durability, Store, StoreError};

use crate::child;
use crate::fixture::{Sandbox, add_session, at, id, message, note, write};

/// The job of the process that is killed: every commit that was acknowledged is written to a file beside the store.
pub(crate) fn write_until_killed(database: &Path) {
    let store = Store::open(database, "child").unwrap();
    let mut acknowledged = OpenOptions::new()
        .append(true)
        .create(true)
        .open(database.with_extension("acknowledged"))
        .unwrap();
    let big = vec![message(&"x".repeat(20_000)); 8];
    loop {
        let seq: Result<u64, StoreError> = store.write(Durability::State, at(1), |tx| {
            tx.append_event(Some(&id("k7m2qd")), &note("state"))
        });
        // One write: a kill between number and line end would glue two numbers together.
        let line = format!("{}\n", seq.unwrap());
        acknowledged.write_all(line.as_bytes()).unwrap();
        let streamed: Result<_, StoreError> = store.write(Durability::Stream, at(1), |tx| {
            tx.append_transcript(&id("k7m2qd"), IterationNumber(1), &big)
        });
        streamed.unwrap();
    }
}

fn wait_for_growth(file: &Path, length: u64) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while fs::metadata(file).map_or(0, |metadata| metadata.len()) <= length {
        assert!(
            Instant::now() < deadline,
            "the writing process does not write"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn kill_a_writer(sandbox: &Sandbox, after: Duration) {
    let acknowledged = sandbox.database().with_extension("acknowledged");
    let length = fs::metadata(&acknowledged).map_or(0, |metadata| metadata.len());
    let mut writer = child::start(child::command("write until killed", &sandbox.database()));
    wait_for_growth(&acknowledged, length);
    std::thread::sleep(after);
    writer.kill().unwrap();
    writer.wait().unwrap();
}

/// Commits that were acknowledged and are not in the file.
fn lost(sandbox: &Sandbox) -> usize {
    let text = fs::read_to_string(sandbox.database().with_extension("acknowledged")).unwrap();
    let connection = sandbox.sqlite();
    let mut statement = connection
        .prepare("SELECT count(*) FROM events WHERE seq = ?1 AND body LIKE '%state%'")
        .unwrap();
    text.lines()
        .filter(|seq| {
            statement
                .query_row([seq], |row| row.get::<_, u32>(0))
                .unwrap()
                != 1
        })
        .count()
}

fn assert_whole(sandbox: &Sandbox) {
    assert_eq!(sandbox.ask::<String>("PRAGMA integrity_check"), "ok");
    let contiguous = "SELECT coalesce(max(position), 0) = count(*) FROM transcript";
    assert!(sandbox.ask::<bool>(contiguous));
    assert!(sandbox.ask::<bool>("SELECT count(*) % 8 = 0 FROM transcript"));
    assert!(sandbox.ask::<bool>("SELECT max(seq) = count(*) FROM events"));
}

#[test]
fn no_acknowledged_commit_is_lost_when_a_writer_is_killed() {
    let kills = if child::variable("ORCHESTRA_TEST_LONG").is_some() {
        200
    } else {
        20
    };
    let mut lost_commits = 0;
    let mut sandbox = Sandbox::new();
    for kill in 0..kills {
        if kill % 10 == 0 {
            sandbox = Sandbox::new();
            add_session(&sandbox.open(), "k7m2qd");
        }
        kill_a_writer(&sandbox, Duration::from_micros(kill * 7_919 % 100_000));
        let store = Store::open(&sandbox.database(), "after").unwrap();
        assert_eq!(store.epoch().unwrap(), "first");
        assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
        lost_commits += lost(&sandbox);
        assert_whole(&sandbox);
    }
    println!("kills {kills}, lost {lost_commits}");
    assert_eq!(lost_commits, 0);
}

/// What a kill leaves in the middle of moving the log into the file: the new first page, which promises more pages than
/// the file has, and a log that still has them.
#[test]
fn a_half_moved_log_is_moved_again() {
    let source = Sandbox::new();
    let store = source.open();
    add_session(&store, "k7m2qd");
    source
        .sqlite()
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    for _ in 0..10 {
        write(&store, |tx| {
            tx.append_event(None, &note(&"x".repeat(10_000)))
        });
    }
    let killed = Sandbox::new();
    for name in ["orchestra.db", "orchestra.db-wal"] {
        fs::copy(source.directory().join(name), killed.directory().join(name)).unwrap();
    }
    source
        .sqlite()
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    let moved = fs::read(source.database()).unwrap();
    assert!(moved.len() as u64 > fs::metadata(killed.database()).unwrap().len());
    let mut half: File = OpenOptions::new()
        .write(true)
        .open(killed.database())
        .unwrap();
    half.write_all(&moved[..4_096]).unwrap();
    drop(half);

    let store = killed.open();
    assert_eq!(store.read(|tx| tx.last_seq()).unwrap(), 10);
    assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
}
