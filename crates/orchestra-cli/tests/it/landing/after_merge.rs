//! `commands.after_merge`: what runs once work has landed.

use super::work::{add_remote, merge, with_commit};
use crate::world::World;

#[test]
fn what_is_refused_allows_no_command() {
    let world = World::new();
    let key = "commands.after_merge";
    let made = with_commit(&world, "one", "new.txt", "new\n");
    merge(&world, &made, &[]);
    world
        .orchestra(&["config", "set", key, "true", "--repo"])
        .ok();
    world
        .run(&["merge", "one", "--yes"])
        .refuses(3, "has landed");
    let list = world.orchestra(&["commands", "list"]).ok();
    assert!(list.stdout.contains("not allowed"), "{}", list.stdout);
    world.run(&["merge", "one", "--after-merge", "--yes"]).ok();
    let list = world.orchestra(&["commands", "list"]).ok();
    assert!(list.stdout.contains("yes, allowed"), "{}", list.stdout);
}

#[test]
fn what_is_set_for_after_a_merge_runs_once_it_was_allowed() {
    let world = World::new();
    let key = "commands.after_merge";
    let command =
        "echo \"$ORCHESTRA_BRANCH $ORCHESTRA_BASE\" > ../after.txt; pwd > ../where.txt; exit 3";
    world
        .orchestra(&["config", "set", key, command, "--repo"])
        .ok();
    let made = with_commit(&world, "one", "new.txt", "new\n");
    let skipped = merge(&world, &made, &[]);
    assert_eq!(skipped["after_merge"], serde_json::Value::Null);
    let after = world.repository.path("../after.txt");
    assert!(!after.exists());
    world.run(&["undo", "one"]).ok();
    world
        .run(&["merge", "one"])
        .ok()
        .says("comes from the repository's own settings file and was not run");
    world.run(&["undo", "one"]).ok();

    world
        .run(&["merge", "one", "--yes"])
        .ends_with(5)
        .says("landed: one in `main`")
        .says("the merge stays")
        .says("--after-merge");
    let told = std::fs::read_to_string(&after).unwrap();
    assert_eq!(told.trim(), format!("{} main", made.branch));
    let place = std::fs::read_to_string(world.repository.path("../where.txt")).unwrap();
    assert_eq!(place.trim(), world.repository.root().to_str().unwrap());
    std::fs::remove_file(&after).unwrap();

    world.run(&["undo", "one"]).ok();
    let answer = world.run(&["merge", "one", "--json"]).ends_with(5).json();
    assert_eq!(answer["after_merge"]["exit_code"], 3);
    assert!(after.exists(), "allowed from then on");
    world.run(&["undo", "one"]).ok();
    let other = command.replace("exit 3", "exit 4");
    world
        .orchestra(&["config", "set", key, &other, "--repo"])
        .ok();
    let answer = world.json(&["merge", "one"]);
    assert_eq!(
        answer["after_merge"],
        serde_json::Value::Null,
        "another text"
    );
    world.run(&["undo", "one"]).ok();
    world.orchestra(&["config", "unset", key, "--repo"]).ok();
    world.orchestra(&["config", "set", key, "true"]).ok();
    let answer = world.json(&["merge", "one"]);
    assert_eq!(answer["after_merge"]["state"], "passed", "the user's own");
    world.wait_until_quiet();
}

#[test]
fn what_failed_after_a_merge_can_be_done_again() {
    let world = World::new();
    let colleague = add_remote(&world);
    for (key, value) in [
        ("commands.after_merge", "test -e ../ready.txt"),
        ("git.auto_cleanup_worktrees", "true"),
    ] {
        world.orchestra(&["config", "set", key, value]).ok();
    }
    world
        .run(&["merge", "one", "--after-merge"])
        .refuses(2, "no session matches");
    let made = with_commit(&world, "one", "new.txt", "new\n");
    world
        .run(&["merge", "one", "--after-merge"])
        .refuses(3, "it has not landed");
    world.run(&["approve", "one"]).ok();
    let words = ["merge", "one", "--push", "--json"];
    let answer = world.run(&words).ends_with(5).json();
    assert_eq!(answer["after_merge"]["state"], "failed");
    assert_eq!(answer["error"]["code"], "script.failed");
    assert_eq!(answer["pushed_to"], serde_json::Value::Null);
    assert!(made.worktree.exists(), "what comes after it waits");
    world
        .run(&["merge", "one", "--after-merge"])
        .ends_with(5)
        .says("the merge stays");
    let slow = ["commands.after_merge=sleep 600", "commands.timeout=300ms"];
    let slow = ["--set-config", slow[0], "--set-config", slow[1]];
    world
        .run(&[&["merge", "one", "--after-merge"][..], &slow].concat())
        .ends_with(5)
        .says("`commands.after_merge` failed: it took longer than 300ms")
        .says("`commands.timeout` says how long it may take");

    std::fs::write(world.repository.path("../ready.txt"), "").unwrap();
    let words = ["merge", "one", "--after-merge", "--push", "--json"];
    let answer = world.run(&words).ok().json();
    assert_eq!(answer["after_merge"]["state"], "passed");
    assert!(answer.get("error").is_none(), "{answer}");
    assert_eq!(answer["pushed_to"], "origin/main");
    assert!(answer["trash"].is_string(), "{answer}");
    assert!(!made.worktree.exists());
    colleague.git(&["pull", "--quiet", "origin", "main"]);
    assert_eq!(colleague.read("new.txt"), "new\n");
    world
        .orchestra(&["config", "unset", "commands.after_merge"])
        .ok();
    world
        .run(&["merge", "one", "--after-merge"])
        .refuses(3, "no command is set for `commands.after_merge`");
    world.wait_until_quiet();
}
