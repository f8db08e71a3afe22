//! Sockets with a path that somebody outside listens at: whoever sees one could connect to it, whatever the network is.

use std::os::unix::net::UnixListener;
use std::path::PathBuf;

use orchestra_testkit::Sandbox;

use super::holding;
use crate::world::World;

const PLACES: [&str; 4] = [
    "home/u.sock",
    "home/app/d.sock",
    "home/.cache/c.sock",
    "repositories/sample/m.sock",
];

/// An agent that connects to a socket, and whoever listens there.
struct Called {
    world: World,
    listener: UnixListener,
    socket: PathBuf,
}

impl Called {
    fn at(place: &str) -> Self {
        let sandbox = Sandbox::new();
        let socket = sandbox.path(place);
        let path = sandbox.scenario(&format!("[[step]]\ndo = 'connect'\npath = {socket:?}\n"));
        let sandbox = holding(sandbox.with_knob("scenario", &path.to_string_lossy()));
        let world = World::of(sandbox.with_variable("ORCHESTRA_SECURITY_SANDBOX_NETWORK", "off"));
        std::fs::create_dir_all(socket.parent().unwrap()).unwrap();
        let listener = UnixListener::bind(&socket).unwrap();
        listener.set_nonblocking(true).unwrap();
        Self {
            world,
            listener,
            socket,
        }
    }

    fn was_reached(&self) -> bool {
        self.listener.accept().is_ok()
    }
}

#[test]
fn sockets_that_are_there_are_out_of_reach() {
    for place in PLACES {
        let called = Called::at(place);
        let world = &called.world;
        world.session("one");
        let refused = "Connection refused";
        world.run(&["iterate", "one"]).ends_with(4).says(refused);
        assert!(!called.was_reached(), "{place}");
        let record = world.json(&["guard", "one"])["isolation"]["sandbox"].clone();
        let connection = &record["escapes"][8];
        assert_eq!(connection["end"], "stopped", "{record}");
        let by = connection["by"].as_str().unwrap();
        let left =
            "not stopped: a socket with a path, made in a readable place while the agent runs";
        assert!(by.ends_with(left), "{by}");
    }
}

/// Both show that the test would notice an agent that comes through.
#[test]
fn without_a_sandbox_and_where_it_is_named_a_socket_is_reached() {
    let called = Called::at(PLACES[0]);
    called.world.session_with("free", &["--isolation", "none"]);
    called.world.run(&["iterate", "free"]).ok();
    assert!(called.was_reached());

    called.world.session("held");
    let own = called.world.sandbox.path("fake-amp");
    let writable = format!("[{own:?}, {:?}]", called.socket);
    let mut iterate = called.world.session_command(&["iterate", "held"]);
    iterate.env("ORCHESTRA_SECURITY_SANDBOX_WRITABLE", writable);
    crate::ran::ran(iterate).ok();
    assert!(called.was_reached());
}
