//! Intents: open until they are closed, whatever happens in between.

use orchestra_store::Effect;

use crate::fixture::{Sandbox, add_session, read, write};

#[test]
fn an_intent_is_open_until_it_is_closed() {
    let sandbox = Sandbox::new();
    let session = add_session(&sandbox.open(), "k7m2qd");
    let effects = [
        Effect::MakeWorktree,
        Effect::PublishCommit {
            branch: "amp/fix/1".parse().unwrap(),
            parent: "a".repeat(40).parse().unwrap(),
            commit: "b".repeat(40).parse().unwrap(),
        },
        Effect::DiscardChanges {
            patch: "it's \"lost\"\n.patch".to_owned(),
        },
    ];
    let keys = write(&sandbox.open(), |tx| {
        effects
            .iter()
            .map(|effect| tx.open_intent(&session, effect))
            .collect::<Result<Vec<_>, _>>()
    });
    let store = sandbox.open();
    let open = read(&store, |tx| tx.open_intents());
    assert_eq!(
        open.iter().map(|intent| intent.key).collect::<Vec<_>>(),
        keys
    );
    assert!(open.iter().all(|intent| intent.session == session));
    assert_eq!(
        open.into_iter()
            .map(|intent| intent.effect)
            .collect::<Vec<_>>(),
        effects
    );

    write(&store, |tx| tx.close_intent(keys[1], "done"));
    let open = read(&store, |tx| tx.open_intents());
    assert_eq!(
        open.iter().map(|intent| intent.key).collect::<Vec<_>>(),
        [keys[0], keys[2]]
    );
    assert_eq!(
        sandbox.ask::<String>(
            "SELECT closed_at || ' ' || result FROM intents WHERE closed_at IS NOT NULL ORDER BY key"
        ),
        "1000 done"
    );
}

#[test]
fn an_effect_of_a_newer_version_is_not_passed_over() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    write(&store, |tx| tx.open_intent(&session, &Effect::MakeWorktree));
    let newer = "UPDATE intents SET effect = '{\"kind\":\"fly\"}'";
    sandbox.sqlite().execute(newer, []).unwrap();
    let error = store.read(|tx| tx.open_intents()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("cannot read the column effect"),
        "{error}"
    );
}

#[test]
fn a_discard_that_an_older_version_recorded_is_read() {
    let sandbox = Sandbox::new();
    add_session(&sandbox.open(), "k7m2qd");
    let old = "INSERT INTO intents (session, effect, created_at)
         VALUES ('k7m2qd', '{\"kind\":\"discard_changes\",\"patch\":\"p\",\"kept\":\"k\"}', 0)";
    sandbox.sqlite().execute(old, []).unwrap();
    let open = read(&sandbox.open(), |tx| tx.open_intents());
    let patch = "p".to_owned();
    assert_eq!(open[0].effect, Effect::DiscardChanges { patch });
}
