//! Finding sessions by what people type, and listing them.

use orchestra_core::Session;
use orchestra_store::{SessionField, SessionFilter, Store};

use crate::fixture::{Sandbox, at, id, read, repository, session, try_write, write};

fn add_named(store: &Store, session_id: &str, name: &str, created_at: i64) {
    let named = Session {
        name: name.parse().unwrap(),
        created_at: at(created_at),
        ..session(&repository(store), session_id)
    };
    write(store, |tx| tx.insert_session(&named));
}

fn matching(store: &Store, text: &str) -> Vec<String> {
    let found = read(store, |tx| tx.sessions_matching(text));
    found
        .into_iter()
        .map(|session| session.id.to_string())
        .collect()
}

#[test]
fn an_id_comes_before_a_name_and_a_name_before_a_prefix() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    add_named(&store, "k7m2qd", "first", 10);
    add_named(&store, "bbbbbb", "k7m2qd", 5);
    add_named(&store, "k7xxxx", "k7", 30);
    add_named(&store, "k7zzzz", "last", 1);
    add_named(&store, "k7yyyy", "also", 1);
    assert_eq!(matching(&store, "k7m2qd"), ["k7m2qd", "bbbbbb"]);
    assert_eq!(
        matching(&store, "k7"),
        ["k7xxxx", "k7yyyy", "k7zzzz", "k7m2qd"]
    );
    assert_eq!(matching(&store, "last"), ["k7zzzz"]);
    assert_eq!(matching(&store, "K7M2QD"), Vec::<String>::new());
    assert_eq!(matching(&store, "k7m2qdd"), Vec::<String>::new());
    assert_eq!(matching(&store, ""), Vec::<String>::new());
}

#[test]
fn characters_with_a_meaning_in_patterns_match_themselves() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let names = [
        "100%",
        "a_b",
        "axb",
        "*",
        "k?",
        "it's; DROP TABLE sessions",
        "[k]",
        "\\",
    ];
    let ids = [
        "k7m2qd", "k8m2qd", "k9m2qd", "kbm2qd", "kcm2qd", "kdm2qd", "kfm2qd", "kgm2qd",
    ];
    for (session_id, name) in ids.into_iter().zip(names) {
        add_named(&store, session_id, name, 1);
    }
    for (session_id, name) in ids.into_iter().zip(names) {
        assert_eq!(matching(&store, name), [session_id], "{name}");
    }
    for text in [
        "%", "_", "k_m2qd", "k%", "k*", "[k]7", "k7m2q_", "\0", "k7\0",
    ] {
        assert_eq!(matching(&store, text), Vec::<String>::new(), "{text:?}");
    }
}

#[test]
fn lists_are_newest_first_and_leave_out_what_was_put_away() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    add_named(&store, "bbbbbb", "old", 1);
    add_named(&store, "dddddd", "new", 9);
    add_named(&store, "cccccc", "new too", 9);
    let listed = |archived| -> Vec<_> {
        let filter = SessionFilter {
            repository: None,
            archived,
        };
        let sessions = read(&store, |tx| tx.sessions(filter));
        sessions
            .into_iter()
            .map(|session| session.id.to_string())
            .collect()
    };
    assert_eq!(listed(false), ["cccccc", "dddddd", "bbbbbb"]);
    write(&store, |tx| tx.set_archived(&id("dddddd"), Some(at(20))));
    assert_eq!(listed(false), ["cccccc", "bbbbbb"]);
    assert_eq!(listed(true), ["cccccc", "dddddd", "bbbbbb"]);
    write(&store, |tx| tx.set_archived(&id("dddddd"), None));
    assert_eq!(listed(false), ["cccccc", "dddddd", "bbbbbb"]);
}

#[test]
fn a_name_in_use_cannot_be_taken_by_renaming() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    add_named(&store, "bbbbbb", "mine", 1);
    add_named(&store, "cccccc", "other", 1);
    let rename = SessionField::Name("mine".parse().unwrap());
    let error = try_write(&store, |tx| tx.set_field(&id("cccccc"), &rename)).unwrap_err();
    assert_eq!(error.code(), "store.taken");
    assert_eq!(error.hint(), None);
    write(&store, |tx| tx.set_field(&id("bbbbbb"), &rename));
}
