//! More iterations than may run at once: they wait in the order they came, and can be seen and stopped.

use orchestra_testkit::{Sandbox, wait_until};

use crate::world::{PATIENCE, World};

fn one_at_a_time() -> (World, std::path::PathBuf) {
    let sandbox = Sandbox::new();
    let go = sandbox.path("go");
    let scenario = sandbox.scenario(&format!(
        "[[step]]\ndo = 'wait_for_file'\npath = '{}'\n[[step]]\ndo = 'write'\npath = 'done.txt'\ntext = 'x'\n",
        go.display()
    ));
    let sandbox = sandbox.with_knob("scenario", &scenario.to_string_lossy());
    let sandbox = sandbox.with_variable("ORCHESTRA_CORE_MAX_CONCURRENT_SESSIONS", "1");
    (World::of(sandbox), go)
}

#[test]
fn first_come_first_served() {
    let (world, go) = one_at_a_time();
    let names = ["a", "b", "c", "d"];
    let made = names.map(|name| world.session(name));
    world.run(&["iterate", "a", "--detach"]).ok();
    world.wait_for_progress(&made[0], 1, "agent");
    for (waiting, name) in names[1..].iter().enumerate() {
        let place = format!("is queued: 1 run, {waiting} wait before it");
        world.run(&["iterate", name, "--detach"]).ok().says(&place);
    }
    let queue = world.json(&["queue"]);
    assert!(queue["seq"].as_u64().is_some_and(|seq| seq > 0), "{queue}");
    let states: Vec<_> = queue["queue"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["session_id"].as_str().unwrap().to_owned(),
                row["iteration"]["state"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    let expected: Vec<_> = made
        .iter()
        .zip(["running", "queued", "queued", "queued"])
        .map(|(made, state)| (made.id.clone(), state.to_owned()))
        .collect();
    assert_eq!(states, expected);
    assert_eq!(world.json(&["status", "b"])["session"]["status"], "queued");
    world.orchestra(&["queue"]).ok().says("queued");

    let attached = world.start(&["attach", "d"]);
    world
        .run(&["stop", "c"])
        .ok()
        .says("is stopped: it waited in the queue");
    assert!(
        world
            .iteration(&made[2], 1, "outcome")
            .unwrap()
            .contains("stopped")
    );
    assert_eq!(world.iteration(&made[2], 1, "started_at"), None);
    std::fs::write(go, "").unwrap();
    for name in ["a", "b", "d"] {
        world.run(&["wait", name]).ok();
    }
    let attached = crate::ran::ended(attached).ok();
    assert!(
        attached.stderr.contains("waiting for a free slot"),
        "{}",
        attached.stderr
    );
    let started = |index: usize| -> i64 {
        world
            .iteration(&made[index], 1, "started_at")
            .unwrap()
            .parse()
            .unwrap()
    };
    let finished = |index: usize| -> i64 {
        world
            .iteration(&made[index], 1, "finished_at")
            .unwrap()
            .parse()
            .unwrap()
    };
    assert!(
        finished(0) <= started(1) && finished(1) <= started(3),
        "one at a time, in order"
    );
    assert!(!made[2].worktree.join("done.txt").exists());
    world.orchestra(&["queue"]).ok().says("nothing runs");
    world.wait_until_quiet();
}

#[test]
fn a_dead_runner_does_not_block_the_queue() {
    let (world, go) = one_at_a_time();
    let first = world.session("first");
    let waiting = world.session("waiting");
    let last = world.session("last");
    world.run(&["iterate", "first", "--detach"]).ok();
    world.wait_for_progress(&first, 1, "agent");
    world.run(&["iterate", "waiting", "--detach"]).ok();
    world.run(&["iterate", "last", "--detach"]).ok();
    let pid = world.runner(&waiting, 1);
    crate::ran::signal(&world.sandbox, "KILL", pid.into());
    wait_until("the runner is gone", PATIENCE, || {
        !orchestra_testkit::processes::alive(pid)
    });
    std::fs::write(go, "").unwrap();
    world.run(&["wait", "last"]).ok();
    assert!(last.worktree.join("done.txt").exists());
    assert_eq!(
        world.json(&["status", "waiting"])["session"]["status"],
        "interrupted"
    );
    world.run(&["resume", "waiting"]).ok();
    assert!(waiting.worktree.join("done.txt").exists());
}
