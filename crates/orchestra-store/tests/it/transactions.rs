//! Reads see one moment, writes are all or nothing.

use orchestra_store::{Durability, Store, StoreError};

use crate::fixture::{Sandbox, add_session, at, id, note, read, repository, session, write};

#[test]
fn data_version_tells_of_others_only() {
    let sandbox = Sandbox::new();
    let (store, other) = (sandbox.open(), sandbox.open());
    let before = store.data_version().unwrap();
    write(&store, |tx| tx.append_event(None, &note("mine")));
    assert_eq!(store.data_version().unwrap(), before);
    write(&other, |tx| tx.append_event(None, &note("theirs")));
    let after = store.data_version().unwrap();
    assert_ne!(after, before);
    assert_eq!(store.data_version().unwrap(), after);
}

#[test]
fn a_read_is_one_moment() {
    let sandbox = Sandbox::new();
    let (store, other) = (sandbox.open(), sandbox.open());
    write(&store, |tx| tx.append_event(None, &note("one")));
    read(&store, |tx| {
        assert_eq!(tx.last_seq()?, 1);
        write(&other, |tx| tx.append_event(None, &note("two")));
        assert_eq!(tx.last_seq()?, 1);
        assert_eq!(tx.events(Default::default())?.len(), 1);
        Ok(())
    });
    assert_eq!(read(&store, |tx| tx.last_seq()), 2);
}

#[test]
fn what_is_written_in_a_read_is_dropped() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    read(&store, |tx| tx.append_event(None, &note("nowhere")));
    assert_eq!(sandbox.ask::<u32>("SELECT count(*) FROM events"), 0);
}

/// An error of the caller's own, as the engine has one.
#[derive(Debug)]
enum Refusal {
    Mine,
    Store(StoreError),
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

fn fail_half_way(store: &Store) -> Result<(), Refusal> {
    store.write(Durability::State, at(1), |tx| {
        tx.append_event(Some(&id("k7m2qd")), &note("half"))?;
        tx.delete_session(&id("k7m2qd"))?;
        Err(Refusal::Mine)
    })
}

#[test]
fn an_error_rolls_back_rows_and_events() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    add_session(&store, "k7m2qd");
    assert!(matches!(fail_half_way(&store), Err(Refusal::Mine)));
    assert_eq!(sandbox.ask::<u32>("SELECT count(*) FROM sessions"), 1);
    assert_eq!(sandbox.ask::<u32>("SELECT count(*) FROM events"), 0);
    assert_eq!(write(&store, |tx| tx.append_event(None, &note("next"))), 1);
}

#[test]
fn an_error_of_the_store_rolls_back_too() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    add_session(&store, "k7m2qd");
    let again = session(&repository(&store), "k7m2qd");
    let result: Result<(), Refusal> = store.write(Durability::Stream, at(1), |tx| {
        tx.append_event(None, &note("half"))?;
        Ok(tx.insert_session(&again)?)
    });
    assert!(matches!(result, Err(Refusal::Store(StoreError::Taken(_)))));
    assert_eq!(sandbox.ask::<u32>("SELECT count(*) FROM events"), 0);
}

#[test]
fn a_panic_rolls_back_and_the_store_goes_on() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        write::<()>(&store, |tx| {
            tx.append_event(None, &note("half"))?;
            panic!("in the middle of a transaction")
        });
    }));
    assert!(panicked.is_err());
    assert_eq!(write(&store, |tx| tx.append_event(None, &note("next"))), 1);
    assert_eq!(sandbox.ask::<u32>("SELECT count(*) FROM events"), 1);
}

#[test]
fn both_durabilities_are_visible_at_once() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    for (count, durability) in [Durability::Stream, Durability::State, Durability::Stream]
        .into_iter()
        .enumerate()
    {
        let seq: Result<u64, StoreError> = store.write(durability, at(2_000), |tx| {
            tx.append_event(None, &note("now"))
        });
        assert_eq!(seq.unwrap(), count as u64 + 1);
        assert_eq!(
            sandbox.ask::<usize>("SELECT count(*) FROM events"),
            count + 1
        );
        assert_eq!(sandbox.ask::<i64>("SELECT max(at) FROM events"), 2_000);
    }
}

#[test]
fn a_lock_that_stays_is_reported_as_busy() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let other = sandbox.sqlite();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let began = std::time::Instant::now();
    let error =
        crate::fixture::try_write(&store, |tx| tx.append_event(None, &note("late"))).unwrap_err();
    assert_eq!(error.code(), "store.busy");
    assert!(error.hint().is_some());
    assert!(began.elapsed() >= std::time::Duration::from_secs(9));
    other.execute_batch("ROLLBACK").unwrap();
    write(&store, |tx| tx.append_event(None, &note("free")));
}
