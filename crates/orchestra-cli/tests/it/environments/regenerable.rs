//! `gc --regenerable`: directories that can be made again go first, and what made them is to be done again.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::{Child, Command};

use serde_json::Value;

use crate::made::Made;
use crate::world::World;

const SETTINGS: &str = "\
[commands]
setup = \"mkdir -p node_modules/a && head -c 300000 /dev/zero > node_modules/a/file\"
[worktree]
reuse = [\"deps/*\", \"!kept/target\"]
";
const IGNORED: &str = "node_modules\n/deps\n/dist/\n/target\n/kept/target\n/.venv\n*.o\n";

/// A session that was set up, in a repository that ignores what others make again.
fn world() -> (World, Made) {
    let world = World::new();
    world.repository.write(".gitignore", IGNORED);
    world.repository.write("kept/readme", "x\n");
    world.repository.commit("what is ignored");
    world.settle(SETTINGS);
    let made = world.session_with("one", &["--wait-setup"]);
    (world, made)
}

fn gc(world: &World, words: &[&str]) -> Value {
    let words = [&["gc", "--json"], words].concat();
    world.orchestra(&words).ok().json()
}

/// The directories of an answer, below the worktree, with whether they are gone.
fn rows(answer: &Value, made: &Made) -> Vec<(String, bool)> {
    let rows = answer["regenerable"].as_array().unwrap().iter();
    let rows = rows.map(|row| {
        let path = Path::new(row["path"].as_str().unwrap());
        let path = path.strip_prefix(&made.worktree).unwrap();
        let removed = row["removed"].as_bool().unwrap();
        (path.to_str().unwrap().to_owned(), removed)
    });
    rows.collect()
}

fn setup_state(world: &World) -> Value {
    world.json(&["status", "one"])["session"]["setup"].clone()
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test starts what somebody may have left running"
)]
fn sleeping_in(directory: &Path) -> Child {
    let mut command = Command::new("sleep");
    command.arg("600").current_dir(directory).spawn().unwrap()
}

#[test]
fn they_are_offered_first_and_removed_if_somebody_agrees() {
    let (world, made) = world();
    let dependencies = made.worktree.join("node_modules");
    let shown = world.orchestra(&["gc", "--dry-run"]).ok();
    shown
        .says("node_modules (")
        .says("can be made again")
        .says("gc --regenerable");
    let offered = gc(&world, &[]);
    assert_eq!(rows(&offered, &made), [("node_modules".to_owned(), false)]);
    assert!(offered["regenerable"][0]["own_bytes"].as_u64().unwrap() >= 300_000);
    assert_eq!(offered["freed_bytes"], 0);
    let foretold = gc(&world, &["--regenerable", "--dry-run"]);
    assert!(foretold["freed_bytes"].as_u64().unwrap() >= 300_000);
    world
        .orchestra(&["gc", "--regenerable"])
        .refuses(3, "only if somebody agrees");
    assert!(dependencies.join("a/file").exists());
    let removed = gc(&world, &["--regenerable", "--yes"]);
    assert_eq!(rows(&removed, &made), [("node_modules".to_owned(), true)]);
    assert!(removed["freed_bytes"].as_u64().unwrap() >= 300_000);
    assert!(!dependencies.exists());
    assert_eq!(rows(&gc(&world, &[]), &made), []);
}

#[test]
fn what_holds_a_database_or_a_copied_file_is_none_of_them() {
    let world = World::new();
    let ignored = "build\ndist\ndeps\ntarget\nnode_modules\n";
    world.repository.write(".gitignore", ignored);
    world.repository.commit("what is ignored");
    world.repository.write("dist/seed/key", "mine\n");
    world.repository.write("deps/settings", "mine\n");
    world.settle(
        "[databases.main]\nlocation = \"build/deep/app.db\"\n[databases.late]\nlocation = \"target/late.db\"\n\
         [worktree]\ncopy = [\"dist/seed\", \"deps/settings\"]\nreuse = [\"deps\", \"build/deep\"]\n\
         [commands]\nsetup = \"mkdir -p node_modules/a target; echo x > build/deep/app.db\"\n",
    );
    let made = world.session_with("one", &["--wait-setup"]);
    // A database stays the session's when its setting goes.
    world.settle("[worktree]\ncopy = [\"dist/seed\", \"deps/settings\"]\nreuse = [\"deps\"]\n");
    let removed = gc(&world, &["--regenerable", "--yes"]);
    assert_eq!(rows(&removed, &made), [("node_modules".to_owned(), true)]);
    for kept in ["build/deep/app.db", "dist/seed/key", "deps/settings"] {
        assert!(made.worktree.join(kept).exists(), "{kept}");
    }
}

#[test]
fn a_session_without_them_is_to_be_set_up_again() {
    let (world, made) = world();
    assert_eq!(setup_state(&world), "passed");
    world
        .orchestra(&["gc", "--regenerable", "--yes"])
        .ok()
        .says("removed");
    assert_eq!(setup_state(&world), "cleared");
    world
        .run(&["status", "one"])
        .ok()
        .says("directories that it makes were removed");
    let waiting = world.json(&["list", "--needs-me"]);
    assert_eq!(waiting["sessions"].as_array().unwrap().len(), 0);
    world
        .run(&["iterate", "one"])
        .refuses(3, "has to be done again")
        .says("orchestra session setup");
    world.run(&["setup", "one", "--follow"]).ok();
    assert!(made.worktree.join("node_modules/a/file").exists());
    assert_eq!(setup_state(&world), "passed");
    world.run(&["iterate", "one"]).ok();
}

#[test]
fn only_what_git_ignores_and_others_make_is_meant() {
    let (world, made) = world();
    let tree = world.tree(&made);
    for file in [
        "deps/one/file",
        "dist/file",
        "target/debug/file",
        "kept/target/file",
        "build/only.o",
        "packages/web/node_modules/x/file",
        "notes/file.o",
    ] {
        tree.write(file, "x\n");
    }
    tree.write("packages/web/index.js", "x\n");
    tree.git(&["add", "--force", "dist/file", "packages/web/index.js"]);
    tree.git(&["init", "--quiet", "target/debug/nested"]);
    let elsewhere = world.sandbox.path("environment");
    std::fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, made.worktree.join(".venv")).unwrap();
    let names: Vec<String> = rows(&gc(&world, &[]), &made)
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    assert_eq!(
        names,
        ["deps/one", "node_modules", "packages/web/node_modules"]
    );
    gc(&world, &["--regenerable", "--yes"]);
    for file in [
        "dist/file",
        "target/debug/nested/.git",
        "kept/target/file",
        "build/only.o",
        "notes/file.o",
    ] {
        assert!(made.worktree.join(file).exists(), "{file}");
    }
    assert!(elsewhere.exists() && made.worktree.join(".venv").is_symlink());
    assert!(!made.worktree.join("packages/web/node_modules").exists());
}

#[test]
fn a_session_with_a_server_is_named_and_keeps_them() {
    let (world, made) = world();
    let start = ["run", "one", "dev", "--detach"];
    let command = ["--set-config", "scripts.dev=echo up; exec sleep 600"];
    let ready = ["--set-config", "servers.dev.ready=up"];
    world.run(&[&start[..], &command, &ready].concat()).ok();
    let answer = gc(&world, &["--regenerable", "--dry-run"]);
    assert_eq!(answer["freed_bytes"], 0);
    assert_eq!(rows(&answer, &made), []);
    world
        .orchestra(&["gc", "--regenerable", "--yes"])
        .ok()
        .says("one: its server dev runs, so nothing is removed there");
    assert!(made.worktree.join("node_modules").exists());
    world.run(&["run", "one", "dev", "--stop"]).ok();
}

#[test]
fn a_session_at_work_or_in_use_keeps_them() {
    let (world, made) = world();
    let words = ["new", "--name", "two", "--prompt", "x", "--script", "cat"];
    world.run(&[&words[..], &["--wait-setup"]].concat()).ok();
    let two = world.made("two");
    let pipe = world.sandbox.path("pipe");
    let script = format!("scripts.wait=mkfifo '{0}'; cat '{0}'", pipe.display());
    let running = ["run", "two", "wait", "--detach", "--set-config", &script];
    world.run(&running).ok();
    orchestra_testkit::wait_until("the script runs", crate::world::PATIENCE, || pipe.exists());
    let mut inside = sleeping_in(&made.worktree);
    let answer = gc(&world, &["--regenerable", "--yes"]);
    world
        .orchestra(&["gc", "--regenerable", "--yes"])
        .ok()
        .says("is in use by")
        .says("so nothing is removed there");
    let foretold = gc(&world, &["--regenerable", "--dry-run"]);
    assert_eq!(foretold["freed_bytes"], 0);
    assert_eq!(foretold["skipped"], answer["skipped"]);
    assert_eq!(gc(&world, &[])["skipped"], serde_json::json!([]));
    inside.kill().unwrap();
    inside.wait().unwrap();
    assert_eq!(rows(&answer, &made), []);
    let skipped = answer["skipped"].to_string();
    assert!(skipped.contains(" one: "), "{skipped}");
    assert!(skipped.contains("is in use by"), "{skipped}");
    assert!(skipped.contains(" two: it is evaluating"), "{skipped}");
    assert_eq!(answer["problems"], serde_json::json!([]));
    assert!(two.worktree.join("node_modules").exists());
    assert_eq!(setup_state(&world), "passed");
    world.run(&["stop", "two"]).ok();
    world.wait_until_quiet();
    let gone = gc(&world, &["--regenerable", "--yes"]);
    assert_eq!(gone["regenerable"].as_array().unwrap().len(), 2);
}
