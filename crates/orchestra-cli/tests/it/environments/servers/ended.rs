//! Servers end with their session.

use super::{assert_healthy, listens, port, start, state, stop, with_one, world};

#[test]
fn putting_a_session_away_ends_its_servers() {
    let world = with_one();
    let run = start(&world);
    world
        .run(&["archive", "one"])
        .ok()
        .says("its server dev was ended");
    assert!(!listens(port(&run)));
    assert_eq!(state(&world, "one"), "stopped");
    world
        .run(&["run", "one", "dev", "--detach"])
        .refuses(3, "it was put away");
    world.run(&["archive", "one", "--undo"]).ok();
    start(&world);
    stop(&world);
}

#[test]
fn a_cleanup_ends_servers_once_nothing_else_is_in_the_way() {
    let world = with_one();
    let made = world.made("one");
    let port = port(&start(&world));
    world.tree(&made).write("work.txt", "x\n");
    world.run(&["cleanup", "one"]).refuses(3, "uncommitted");
    assert!(listens(port), "a cleanup that was refused changed nothing");
    std::fs::remove_file(made.worktree.join("work.txt")).unwrap();
    world
        .run(&["cleanup", "one", "--dry-run"])
        .ok()
        .says("its server dev would be ended");
    assert!(listens(port));
    let cleaned = world.json(&["cleanup", "one"]);
    assert_eq!(cleaned["servers"][0], "dev");
    assert!(!listens(port) && !made.worktree.exists());
    let leases = world.orchestra(&["leases", "--json"]).ok().json();
    assert_eq!(leases["ports"].as_array().unwrap().len(), 0);
    world
        .run(&["run", "one", "dev", "--detach"])
        .refuses(3, "in the trash");

    world.run(&["undo", "one"]).ok();
    start(&world);
    world.run(&["redo", "one"]).ok();
    assert!(!made.worktree.exists());
    world.wait_until_quiet();
    assert_healthy(&world);
}

#[test]
fn a_cleanup_that_is_done_again_ends_servers_before_it_tears_down() {
    let world = world();
    let settings = world.repository.read(".orchestra/config.toml");
    let seen = world.sandbox.path("seen");
    let teardown = format!(
        "(exec 3<>/dev/tcp/127.0.0.1/$ORCHESTRA_PORT_WEB) 2> /dev/null && echo listens >> '{0}'; echo torn >> '{0}'",
        seen.display()
    );
    world.settle(&format!(
        "{settings}\n[commands]\nsetup = \"true\"\nteardown = {:?}\n",
        format!("bash -c {teardown:?}")
    ));
    world.session_with("one", &["--wait-setup"]);
    world.run(&["cleanup", "one"]).ok();
    world.run(&["undo", "one"]).ok();
    world.run(&["setup", "one", "--follow"]).ok();
    start(&world);
    world.run(&["redo", "one"]).ok();
    assert_eq!(std::fs::read_to_string(&seen).unwrap(), "torn\ntorn\n");
    world.wait_until_quiet();
    assert_healthy(&world);
}
