//! Controls reach the one they are meant for, once.

use orchestra_store::{Control, ControlTarget};

use crate::fixture::{Sandbox, add_session, id, read, try_write, write};

#[test]
fn a_control_waits_for_its_runner() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let (iteration, script) = (ControlTarget::Iteration(1), ControlTarget::ScriptRun(1));
    let wait = ControlTarget::Wait(1);
    write(&store, |tx| {
        tx.insert_control(&session, iteration, Control::Stop)?;
        tx.insert_control(&session, script, Control::Kill)?;
        tx.insert_control(&session, iteration, Control::Kill)?;
        tx.insert_control(&session, wait, Control::Stop)
    });
    let asked = read(&store, |tx| tx.pending_controls(iteration));
    let names: Vec<_> = asked.iter().map(|pending| pending.control.name()).collect();
    assert_eq!(names, ["stop", "kill"]);
    write(&store, |tx| tx.take_control(asked[0].key));
    assert_eq!(
        read(&store, |tx| tx.pending_controls(iteration)),
        [asked[1]]
    );
    assert_eq!(read(&store, |tx| tx.pending_controls(script)).len(), 1);
    assert_eq!(read(&store, |tx| tx.pending_controls(wait)).len(), 1);
    assert_eq!(
        read(&store, |tx| tx
            .pending_controls(ControlTarget::Iteration(11))),
        []
    );
    assert_eq!(
        sandbox.ask::<i64>("SELECT max(taken_at) FROM controls"),
        1_000
    );
    assert_eq!(
        sandbox.ask::<String>("SELECT group_concat(target || ' ' || control, ', ') FROM controls"),
        "iteration 1 stop, script 1 kill, iteration 1 kill, wait 1 stop"
    );
}

#[test]
fn what_cannot_be_understood_or_placed_is_an_error() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let target = ControlTarget::Iteration(1);
    write(&store, |tx| {
        tx.insert_control(&session, target, Control::Stop)
    });
    sandbox
        .sqlite()
        .execute("UPDATE controls SET control = 'sing'", [])
        .unwrap();
    let error = store.read(|tx| tx.pending_controls(target)).unwrap_err();
    assert_eq!(error.to_string(), "cannot read the column control: sing");
    let gone = try_write(&store, |tx| {
        tx.insert_control(&id("bbbbbb"), target, Control::Stop)
    });
    assert_eq!(gone.unwrap_err().code(), "store.failed");
}
