//! Ports that somebody else took meanwhile.

use std::net::{Ipv4Addr, TcpListener};

use super::{ask, listens, port, world_with};

#[test]
fn a_stranger_on_a_leased_port_is_got_out_of_the_way_of() {
    let world = world_with(
        "\n[worktree]\ncopy = [\".env\"]\n\n[worktree.rewrite]\nPORT = \"{port.web}\"\n",
    );
    world.repository.write(".gitignore", ".env\n");
    world.repository.commit("Ignore it");
    world.repository.write(".env", "# mine\nPORT=3000\n");
    let made = world.session_with("one", &["--wait-setup"]);
    let first = world.json(&["run", "one", "dev", "--restart"]);
    let first = port(&first["script_run"]);
    world.run(&["run", "one", "dev", "--stop"]).ok();
    let stranger = TcpListener::bind((Ipv4Addr::LOCALHOST, first)).unwrap();
    let moved = world
        .run(&["run", "one", "dev", "--detach"])
        .ok()
        .says(&format!("port {first} is used by"))
        .says(&format!("orchestra session setup {}", made.id));
    assert!(
        !moved.stdout.contains(&first.to_string()),
        "{}",
        moved.stdout
    );
    let second = port(&super::server(&world, "one"));
    assert_ne!(first, second);
    assert_eq!(ask(second, "GET /")["session"], made.id.as_str());
    let leases = world.orchestra(&["leases", "--json"]).ok().json();
    assert_eq!(leases["ports"].as_array().unwrap().len(), 1);
    assert_eq!(leases["ports"][0]["first"], second);
    assert_eq!(
        world.count("SELECT count(*) FROM events WHERE type = 'ports_moved'"),
        1
    );
    let env_file = |port: u16| format!("# mine\nPORT={port}\n");
    let tree = world.tree(&made);
    assert_eq!(tree.read(".env"), env_file(first));
    world.run(&["setup", "one", "--follow"]).ok();
    assert_eq!(tree.read(".env"), env_file(second));
    tree.write(".env", "PORT=1\n");
    world.run(&["setup", "one", "--follow"]).ok();
    assert_eq!(
        tree.read(".env"),
        "PORT=1\n",
        "what was changed is left alone"
    );
    drop(stranger);
    world.run(&["run", "one", "dev", "--stop"]).ok();
    world.wait_until_quiet();
}

#[test]
fn what_listens_there_and_is_of_the_session_is_left_alone() {
    let world = world_with("\n[servers.test]\nport = \"web\"\n");
    world.session_with("one", &["--wait-setup"]);
    let started = world.json(&["run", "one", "dev", "--detach"]);
    world
        .run(&["run", "one", "test", "--detach"])
        .refuses(3, "which runs in the session too");
    assert!(listens(port(&started["script_run"])));
    world.run(&["run", "one", "dev", "--stop"]).ok();
    world.wait_until_quiet();
}

#[test]
fn ports_that_nobody_named_are_missed() {
    let world = world_with("\n[servers.test]\nport = \"api\"\n");
    world.session_with("one", &["--wait-setup"]);
    world
        .run(&["run", "one", "test", "--detach"])
        .refuses(3, "there are none called so")
        .says("[ports]");
}
