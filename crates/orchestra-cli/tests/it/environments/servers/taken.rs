//! Ports that somebody else took meanwhile.

use std::net::{Ipv4Addr, TcpListener};

use super::{ask, listens, port, start, stop, world_with};
use crate::world::World;

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
    stop(&world);
}

#[test]
fn what_listens_there_and_is_of_the_session_is_left_alone() {
    let world = world_with("\n[servers.test]\nport = \"web\"\n");
    world.session_with("one", &["--wait-setup"]);
    let run = start(&world);
    world
        .run(&["run", "one", "test", "--detach"])
        .refuses(3, "which runs in the session too");
    assert!(listens(port(&run)));
    stop(&world);
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

fn leased(world: &World) -> u16 {
    let leases = world.orchestra(&["leases", "--json"]).ok().json();
    u16::try_from(leases["ports"][0]["first"].as_u64().unwrap()).unwrap()
}

fn moves(world: &World) -> i64 {
    world.count("SELECT count(*) FROM events WHERE type = 'ports_moved'")
}

#[test]
#[cfg(target_os = "linux")]
fn whatever_begins_gets_ports_that_no_stranger_has() {
    let world = World::with_scenario("[[step]]\ndo = 'print_env'\npath = 'told.txt'\n");
    world.settle(
        "[ports]\nweb = 1\n[scripts]\ntest = \"echo told $PORT\"\n[commands]\nsetup = \"echo told $PORT\"\n",
    );
    let made = world.session_with("one", &["--wait-setup"]);
    for words in [
        &["run", "one", "test"][..],
        &["setup", "one", "--follow"],
        &["iterate", "one"],
        &["shell", "one"],
    ] {
        let before = leased(&world);
        let stranger = TcpListener::bind((Ipv4Addr::LOCALHOST, before)).unwrap();
        let said = world.run(words).ok();
        let now = leased(&world);
        assert_ne!(before, now, "{words:?}");
        let note = format!("port {before} is used by");
        let said = said.says(&note).says(&format!("`web` begins at {now} now"));
        if words[0] == "run" || words[0] == "setup" {
            said.says(&format!("told {now}"));
        }
        if words[0] == "iterate" {
            let told = world.tree(&made).read("told.txt");
            assert!(told.contains(&now.to_string()), "{told}");
        }
        drop(stranger);
    }
    assert_eq!(moves(&world), 4);
    world.wait_until_quiet();
}

#[test]
#[cfg(target_os = "linux")]
fn ports_that_moved_are_told_after_work_on_a_conflict_too() {
    let world = World::new();
    world.settle("[ports]\nweb = 1\n");
    world.repository.write("a.txt", "base\n");
    world.repository.commit("base");
    let made = world.session_with("one", &["--wait-setup"]);
    let tree = world.tree(&made);
    for (place, word) in [(&tree, "session"), (&world.repository, "main")] {
        place.write("a.txt", word);
        place.commit(word);
    }
    world.run(&["rebase", "one"]).ends_with(7);
    let before = leased(&world);
    let _stranger = TcpListener::bind((Ipv4Addr::LOCALHOST, before)).unwrap();
    world
        .run(&["iterate", "one"])
        .says("conflicts are left")
        .says(&format!("port {before} is used by"));
    world.wait_until_quiet();
}

#[test]
fn the_port_of_a_server_that_runs_is_its_own() {
    let world = world_with("");
    world.session_with("one", &["--wait-setup"]);
    let run = start(&world);
    for words in [&["run", "one", "test"][..], &["iterate", "one"]] {
        world.run(words).ok();
    }
    assert_eq!((moves(&world), leased(&world)), (0, port(&run)));
    stop(&world);
}
