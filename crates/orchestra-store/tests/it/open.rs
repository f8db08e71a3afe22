//! Opening, reopening, migrating and copying.

use std::fs;
use std::sync::Barrier;
use std::time::Duration;

use orchestra_store::{LATEST_VERSION, Store, StoreError};

use crate::child;
use crate::fixture::{Sandbox, add_session, dump, id, note, read, write};

#[test]
fn a_fresh_store_has_the_latest_schema() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    assert_eq!(store.path(), sandbox.database());
    assert_eq!(sandbox.ask::<u32>("PRAGMA user_version"), LATEST_VERSION);
    assert_eq!(sandbox.ask::<String>("PRAGMA journal_mode"), "wal");
    assert_eq!(
        sandbox.ask::<String>("SELECT value FROM meta WHERE key = 'epoch'"),
        "first"
    );
    assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn a_new_store_and_its_log_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;

    let sandbox = Sandbox::new();
    let store = sandbox.open();
    add_session(&store, "k7m2qd");
    let names = sandbox.file_names();
    assert_eq!(names.len(), 3, "{names:?}");
    for name in names {
        let file = sandbox.database().with_file_name(&name);
        let mode = fs::metadata(file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn reopening_keeps_rows_and_epoch() {
    let sandbox = Sandbox::new();
    add_session(&sandbox.open(), "k7m2qd");
    let store = Store::open(&sandbox.database(), "second").unwrap();
    assert_eq!(store.epoch().unwrap(), "first");
    assert!(read(&store, |tx| tx.find_session(&id("k7m2qd"))).is_some());
    assert_eq!(sandbox.ask::<u32>("SELECT count(*) FROM meta"), 1);
}

#[test]
fn a_closed_store_is_one_file() {
    let sandbox = Sandbox::new();
    add_session(&sandbox.open(), "k7m2qd");
    assert_eq!(sandbox.file_names(), ["orchestra.db"]);
}

#[test]
fn an_empty_file_and_a_file_without_a_schema_are_migrated() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.database(), b"").unwrap();
    drop(sandbox.open());
    assert_eq!(sandbox.ask::<u32>("PRAGMA user_version"), LATEST_VERSION);

    let sandbox = Sandbox::new();
    sandbox
        .sqlite()
        .execute_batch("PRAGMA journal_mode = DELETE; CREATE TABLE t (x); DROP TABLE t; PRAGMA user_version = 0;")
        .unwrap();
    let store = sandbox.open();
    add_session(&store, "k7m2qd");
    assert_eq!(sandbox.ask::<u32>("PRAGMA user_version"), LATEST_VERSION);
    assert_eq!(sandbox.ask::<u32>("SELECT count(*) FROM sessions"), 1);
    assert_eq!(store.epoch().unwrap(), "first");
}

#[test]
fn many_that_open_a_new_store_at_once_all_get_it() {
    for round in 0..20 {
        let sandbox = Sandbox::new();
        let barrier = Barrier::new(16);
        let epochs: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..16)
                .map(|number| {
                    let (sandbox, barrier) = (&sandbox, &barrier);
                    scope.spawn(move || {
                        barrier.wait();
                        let store = Store::open(&sandbox.database(), &format!("epoch {number}"));
                        store.unwrap().epoch().unwrap()
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        assert!(
            epochs.iter().all(|epoch| *epoch == epochs[0]),
            "{round}: {epochs:?}"
        );
    }
}

#[test]
fn processes_that_open_a_new_store_at_once_all_get_it() {
    let sandbox = Sandbox::new();
    let open = || child::run(child::command("open and close", &sandbox.database()));
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16).map(|_| scope.spawn(open)).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), ["0"]);
        }
    });
}

#[test]
fn a_new_file_that_another_process_holds_is_waited_for() {
    let sandbox = Sandbox::new();
    let other = sandbox.sqlite();
    let taken = "CREATE TABLE t (x); DROP TABLE t; BEGIN IMMEDIATE";
    other.execute_batch(taken).unwrap();
    std::thread::scope(|scope| {
        let opening = scope.spawn(|| sandbox.open().epoch().unwrap());
        std::thread::sleep(Duration::from_millis(300));
        assert!(!opening.is_finished());
        other.execute_batch("ROLLBACK").unwrap();
        assert_eq!(opening.join().unwrap(), "first");
    });
}

/// Every byte of the store's directory, except what a reader of the log leaves: its index, and a log with nothing in it.
fn bytes(sandbox: &Sandbox) -> Vec<(String, Vec<u8>)> {
    let names = sandbox.file_names().into_iter();
    names
        .map(|name| {
            let content = fs::read(sandbox.directory().join(&name)).unwrap();
            (name, content)
        })
        .filter(|(name, content)| !name.ends_with("-shm") && !content.is_empty())
        .collect()
}

fn assert_newer_is_refused(sandbox: &Sandbox) {
    let before = bytes(sandbox);
    let error = Store::open(&sandbox.database(), "second").unwrap_err();
    assert_eq!(error.code(), "store.newer");
    assert!(error.hint().unwrap().contains("update"));
    assert_eq!(
        error.to_string(),
        format!(
            "the database {} has schema version {}; this program knows {LATEST_VERSION}",
            sandbox.database().display(),
            LATEST_VERSION + 1
        )
    );
    assert!(bytes(sandbox) == before, "the refused file changed");
}

fn set_version(connection: &rusqlite::Connection, version: u32) {
    connection
        .pragma_update(None, "user_version", version)
        .unwrap();
}

#[test]
fn a_newer_schema_is_refused_and_left_as_it_is() {
    let sandbox = Sandbox::new();
    add_session(&sandbox.open(), "k7m2qd");
    set_version(&sandbox.sqlite(), LATEST_VERSION + 1);
    assert_newer_is_refused(&sandbox);
}

#[test]
fn a_newer_schema_in_another_journal_mode_is_left_as_it_is() {
    let sandbox = Sandbox::new();
    drop(sandbox.open());
    let connection = sandbox.sqlite();
    connection
        .pragma_update(None, "journal_mode", "DELETE")
        .unwrap();
    set_version(&connection, LATEST_VERSION + 1);
    drop(connection);
    assert_newer_is_refused(&sandbox);
}

#[test]
fn a_newer_schema_that_is_still_in_the_log_is_left_as_it_is() {
    let source = Sandbox::new();
    let store = source.open();
    let connection = source.sqlite();
    set_version(&connection, LATEST_VERSION + 1);
    // A copy of the files while they are in use is what a killed process leaves.
    let sandbox = Sandbox::new();
    for name in ["orchestra.db", "orchestra.db-wal"] {
        fs::copy(
            source.directory().join(name),
            sandbox.directory().join(name),
        )
        .unwrap();
    }
    assert!(
        fs::metadata(sandbox.directory().join("orchestra.db-wal"))
            .unwrap()
            .len()
            > 0
    );
    assert_newer_is_refused(&sandbox);
    drop((store, connection));
}

#[test]
fn the_database_of_another_program_is_refused_and_left_as_it_is() {
    let sandbox = Sandbox::new();
    sandbox
        .sqlite()
        .execute_batch("CREATE TABLE bookmarks (url TEXT)")
        .unwrap();
    let before = bytes(&sandbox);
    let error = Store::open(&sandbox.database(), "first").unwrap_err();
    assert_eq!(error.code(), "store.cannot_open");
    assert!(error.hint().is_some());
    assert!(bytes(&sandbox) == before, "the refused file changed");
}

#[test]
fn a_copy_has_every_row_and_nothing_beside_it() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    add_session(&store, "k7m2qd");
    write(&store, |tx| tx.append_event(None, &note("one")));
    let target = sandbox.directory().join("orchestra.backup");
    fs::write(&target, "an older copy").unwrap();
    store.backup_to(&target).unwrap();
    assert_eq!(dump(&target).unwrap(), dump(&sandbox.database()).unwrap());
    let copy = Store::open(&target, "second").unwrap();
    assert_eq!(copy.epoch().unwrap(), "first");
    assert_eq!(copy.check_integrity().unwrap(), Vec::<String>::new());
    drop((store, copy));
    assert_eq!(sandbox.file_names(), ["orchestra.backup", "orchestra.db"]);
}

#[test]
fn a_copy_ends_while_others_write() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let big = "x".repeat(100_000);
    for _ in 0..100 {
        write(&store, |tx| tx.append_event(None, &note(&big)));
    }
    let target = sandbox.directory().join("orchestra.backup");
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let other = sandbox.open();
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                write(&other, |tx| tx.append_event(None, &note("small")));
            }
        });
        let result = store.backup_to(&target);
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        result.unwrap();
    });
    let copy = Store::open(&target, "second").unwrap();
    assert_eq!(copy.check_integrity().unwrap(), Vec::<String>::new());
    assert!(read(&copy, |tx| tx.last_seq()) >= 100);
}

#[cfg(unix)]
#[test]
fn a_copy_is_as_private_as_the_store() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    fs::set_permissions(sandbox.database(), fs::Permissions::from_mode(0o600)).unwrap();
    let target = sandbox.directory().join("orchestra.backup");
    store.backup_to(&target).unwrap();
    let mode = fs::metadata(&target).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_copy_that_cannot_be_written_names_its_file() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let missing = sandbox.directory().join("missing/orchestra.backup");
    let error = store.backup_to(&missing).unwrap_err();
    assert_eq!(error.code(), "store.cannot_open");
    assert!(
        error.to_string().contains("missing/orchestra.backup"),
        "{error}"
    );
    let directory = sandbox.directory().join("taken.backup");
    fs::create_dir_all(directory.join("inside")).unwrap();
    assert_eq!(
        store.backup_to(&directory).unwrap_err().code(),
        "store.cannot_open"
    );
    drop(store);
    assert_eq!(sandbox.file_names(), ["orchestra.db", "taken.backup"]);
}

#[test]
fn what_cannot_be_opened_names_the_file_and_a_way_out() {
    let sandbox = Sandbox::new();
    let missing = sandbox.directory().join("missing/orchestra.db");
    for path in [missing.as_path(), sandbox.directory()] {
        let error = Store::open(path, "first").unwrap_err();
        assert_eq!(error.code(), "store.cannot_open", "{error:?}");
        assert!(matches!(&error, StoreError::Open { path: named, .. } if named == path));
        assert!(error.hint().unwrap().contains("ORCHESTRA_HOME"));
    }
    assert_eq!(sandbox.file_names(), Vec::<String>::new());
}
