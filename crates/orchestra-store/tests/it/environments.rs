//! Ports and databases that sessions have for themselves.

use orchestra_core::{
    Artifact, DatabaseKind, DatabaseState, Landing, PortLease, SessionDatabase, SessionId,
};
use orchestra_store::StoreError;

use crate::fixture::{Sandbox, add_session, at, read, try_write, write};

fn lease(session: &SessionId, name: &str, first: u16, count: u16) -> PortLease {
    PortLease {
        session: session.clone(),
        name: name.to_owned(),
        first,
        count,
        leased_at: at(7),
    }
}

#[test]
fn a_port_has_one_owner() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let (one, two) = (add_session(&store, "k7m2qd"), add_session(&store, "k7m2qf"));
    let web = lease(&one, "web", 3000, 3);
    let api = lease(&one, "api", 2000, 1);
    write(&store, |tx| tx.lease_ports(&web));
    write(&store, |tx| tx.lease_ports(&api));
    let overlapping = lease(&two, "web", 2998, 3);
    let refused = try_write(&store, |tx| tx.lease_ports(&overlapping));
    assert!(matches!(refused, Err(StoreError::Taken(_))), "{refused:?}");
    let beside = lease(&two, "web", 2997, 3);
    write(&store, |tx| tx.lease_ports(&beside));
    let all = read(&store, |tx| tx.port_leases(None));
    assert_eq!(all, [api.clone(), beside, web.clone()]);
    assert_eq!(read(&store, |tx| tx.port_leases(Some(&one))), [api, web]);
    write(&store, |tx| tx.free_ports(&one, "web"));
    assert_eq!(sandbox.ask::<i64>("SELECT count(*) FROM ports"), 4);
}

#[test]
fn a_session_that_is_cleaned_up_or_put_away_has_no_ports() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let (one, two) = (add_session(&store, "k7m2qd"), add_session(&store, "k7m2qf"));
    write(&store, |tx| tx.lease_ports(&lease(&one, "web", 3000, 2)));
    write(&store, |tx| tx.lease_ports(&lease(&two, "web", 4000, 2)));
    write(&store, |tx| {
        let session = tx.find_session(&one)?.unwrap();
        let landing = Landing {
            trash: Some("entry".parse().unwrap()),
            ..session.landing()
        };
        tx.set_landing(&one, &landing)
    });
    assert!(read(&store, |tx| tx.port_leases(Some(&one))).is_empty());
    write(&store, |tx| tx.set_archived(&two, Some(at(9))));
    assert_eq!(sandbox.ask::<i64>("SELECT count(*) FROM ports"), 0);
}

#[test]
fn a_database_has_one_owner() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let (one, two) = (add_session(&store, "k7m2qd"), add_session(&store, "k7m2qf"));
    let mut database = SessionDatabase {
        session: one.clone(),
        name: "main".to_owned(),
        kind: DatabaseKind::Postgresql,
        location: "app_k7m2qd".to_owned(),
        state: DatabaseState::Reserved,
        changed_at: at(7),
    };
    write(&store, |tx| tx.reserve_database(&database));
    let same_place = SessionDatabase {
        session: two,
        ..database.clone()
    };
    let refused = try_write(&store, |tx| tx.reserve_database(&same_place));
    assert!(matches!(refused, Err(StoreError::Taken(_))), "{refused:?}");
    let elsewhere = SessionDatabase {
        kind: DatabaseKind::Mysql,
        ..same_place
    };
    write(&store, |tx| tx.reserve_database(&elsewhere));
    write(&store, |tx| {
        tx.set_database_state(&one, "main", DatabaseState::Ready)
    });
    (database.state, database.changed_at) = (DatabaseState::Ready, at(1_000));
    let all = read(&store, |tx| tx.databases(None));
    assert_eq!(all, [database.clone(), elsewhere]);
    assert_eq!(read(&store, |tx| tx.databases(Some(&one))), [database]);
    write(&store, |tx| tx.forget_database(&one, "main"));
    assert!(read(&store, |tx| tx.databases(Some(&one))).is_empty());
}

#[test]
fn a_name_of_an_artifact_has_one_owner() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let (one, two) = (add_session(&store, "k7m2qd"), add_session(&store, "k7m2qf"));
    let session = read(&store, |tx| tx.find_session(&one)).unwrap();
    let repository = session.repository;
    let artifact = |session: &SessionId, source: &str, name: &str| Artifact {
        session: session.clone(),
        source: source.to_owned(),
        name: name.to_owned(),
        bytes: None,
        collected_at: at(7),
    };
    let reserved = artifact(&one, "a.xml", "issue-1-a.xml");
    write(&store, |tx| tx.reserve_artifact(repository, &reserved));
    let other = artifact(&two, "a.xml", "issue-1-A.xml");
    let refused = try_write(&store, |tx| tx.reserve_artifact(repository, &other));
    assert!(matches!(refused, Err(StoreError::Taken(_))), "{refused:?}");
    let renamed = artifact(&one, "a.xml", "issue-1-a-2.xml");
    write(&store, |tx| tx.reserve_artifact(repository, &renamed));
    let found = read(&store, |tx| tx.find_artifact(&one, "a.xml"));
    assert_eq!(found, Some(renamed));
    write(&store, |tx| tx.reserve_artifact(repository, &reserved));
    let taken = read(&store, |tx| {
        tx.is_artifact_name_taken(repository, "ISSUE-1-a.xml")
    });
    assert!(taken);
    let whole = Artifact {
        bytes: Some(12),
        collected_at: at(9),
        ..reserved
    };
    write(&store, |tx| tx.put_artifact(&whole));
    let found = read(&store, |tx| tx.find_artifact(&one, "a.xml"));
    assert_eq!(found.as_ref(), Some(&whole));
    assert_eq!(read(&store, |tx| tx.artifacts(&one)), [whole]);
    assert_eq!(read(&store, |tx| tx.artifacts(&two)), []);
}
