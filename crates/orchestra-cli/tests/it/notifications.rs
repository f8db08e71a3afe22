//! Desktop notifications: one is claimed per event, and a desktop that cannot show it harms nothing.

#![cfg(target_os = "linux")]

use orchestra_testkit::Sandbox;

use crate::world::World;

const CLAIMED: &str = "SELECT count(*) FROM notifications";

#[test]
fn a_desktop_that_does_not_answer_changes_nothing() {
    let bus = "unix:path=/no/such/bus";
    let world = World::of(Sandbox::new().with_variable("DBUS_SESSION_BUS_ADDRESS", bus));
    world.session_with("one", &["--script", "exit 3"]);
    world.run(&["run", "one"]).ends_with(5);
    assert_eq!(world.count(CLAIMED), 1);
    world
        .orchestra(&["config", "set", "ui.notifications", "false"])
        .ok();
    world.run(&["run", "one"]).ends_with(5);
    assert_eq!(world.count(CLAIMED), 1);
}

#[test]
fn a_desktop_that_listens_and_never_answers_keeps_no_runner() {
    let sandbox = Sandbox::new();
    let socket = sandbox.path("bus");
    let _bus = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let address = format!("unix:path={}", socket.display());
    let world = World::of(sandbox.with_variable("DBUS_SESSION_BUS_ADDRESS", &address));
    world.session_with("one", &["--script", "exit 3"]);
    world.run(&["run", "one"]).ends_with(5);
    world.wait_until_quiet();
    assert_eq!(world.count(CLAIMED), 1);
}
