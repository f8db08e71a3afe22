//! A crash loses nothing: what the agent had committed in its own git directory arrives with the recovery.

use orchestra_testkit::{processes, wait_until};

use super::{commits, held_world, write};
use crate::made::Made;
use crate::ran::ended;
use crate::world::{PATIENCE, World};

fn hanging() -> String {
    commits("done.txt", "done\n") + &write("half.txt", "half\n") + "[[step]]\ndo = 'hang'\n"
}

fn started(world: &World) -> Made {
    let made = world.session("one");
    world.run(&["iterate", "one", "--detach"]).ok();
    wait_until("the agent has written", PATIENCE, || {
        made.worktree.join("half.txt").exists()
    });
    made
}

fn assert_arrived(world: &World, made: &Made) {
    world.run(&["status", "one"]).ok().says("interrupted");
    let tree = world.tree(made);
    assert_eq!(
        tree.git(&["log", "-1", "--format=%s", &made.branch]),
        "by the agent"
    );
    assert_eq!(tree.git(&["status", "--porcelain"]), "?? half.txt");
    let recorded = world.iteration(made, 1, "json_array_length(commits)");
    assert_eq!(recorded.as_deref(), Some("1"));
    world.wait_until_quiet();
    world.orchestra(&["doctor"]).ok();
}

#[test]
fn a_killed_runner_loses_no_commit() {
    let world = held_world(&hanging());
    let made = started(&world);
    processes::kill(world.runner(&made, 1));
    wait_until("nobody works", PATIENCE, || {
        world.json(&["status", "one"])["session"]["status"] == "interrupted"
    });
    assert_arrived(&world, &made);
}

#[test]
fn a_killed_runner_and_guardian_lose_no_commit() {
    let world = held_world(&hanging());
    let made = started(&world);
    let runner = world.runner(&made, 1);
    let home = world.sandbox.data_dir();
    let all = processes::with_variable("ORCHESTRA_HOME", &home.to_string_lossy());
    // The runner first, so that nobody is left who would end the guardian in good order.
    processes::kill(runner);
    all.into_iter()
        .filter(|pid| *pid != runner)
        .for_each(processes::kill);
    wait_until("nobody works", PATIENCE, || {
        world.json(&["status", "one"])["session"]["status"] == "interrupted"
    });
    assert_arrived(&world, &made);
    world.run(&["commit", "one", "--message", "Kept"]).ok();
    world.run(&["approve", "one"]).ok();
    world.run(&["merge", "one"]).ok();
    assert_eq!(world.repository.git(&["show", "main:done.txt"]), "done");
}

/// What could not be fetched when its turn ended is not forgotten, and its worktree not let go until then.
#[test]
fn what_could_not_be_fetched_is_tried_again() {
    let wait = "[[step]]\ndo = 'wait_for_file'\npath = 'go-on'\n";
    let scenario = commits("done.txt", "done\n") + &write("half.txt", "half\n") + wait;
    let world = held_world(&scenario);
    let made = world.session("one");
    let child = world.start(&["iterate", "one"]);
    wait_until("it has committed", PATIENCE, || {
        made.worktree.join("half.txt").exists()
    });
    let workspace = world.sandbox.data_dir().join("workspaces").join(&made.id);
    let in_the_way = workspace.join("earlier");
    std::fs::write(&in_the_way, "no folder").unwrap();
    std::fs::write(made.worktree.join("go-on"), "").unwrap();
    ended(child).ends_with(1);
    let subject = || {
        world
            .repository
            .git(&["log", "-1", "--format=%s", &made.branch])
    };
    assert_ne!(subject(), "by the agent");
    world.run(&["status", "one"]).ok();
    world
        .run(&["cleanup", "one", "--even-unlanded", "--even-dirty"])
        .refuses(3, "committed is still in its workspace");
    assert!(made.worktree.exists());
    std::fs::remove_file(in_the_way).unwrap();
    world.run(&["status", "one"]).ok();
    assert_eq!(subject(), "by the agent");
    world.run(&["iterate", "one"]).ok();
}
