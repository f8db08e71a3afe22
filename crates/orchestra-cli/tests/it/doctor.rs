//! `doctor`: what it finds and what it repairs.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::{Child, Stdio};

use orchestra_testkit::{processes, wait_until};

use crate::made::Made;
use crate::oracle::database;
use crate::world::{PATIENCE, World};

const HANG: &str = "[[step]]\ndo = 'message'\ntext = 'Here.'\n[[step]]\ndo = 'hang'\n";

/// A process that carries the mark of a session's run.
fn marked(world: &World, made: &Made, run: &str) -> Child {
    let epoch = world.value("SELECT value FROM meta WHERE key = 'epoch'");
    let mark = format!("{}:{}:{run}", epoch.unwrap(), made.id);
    let mut command = world.sandbox.command(Path::new("/bin/sleep"));
    command.arg("600").env("ORCHESTRA_RUN", &mark);
    let child = command.stdout(Stdio::null()).spawn().unwrap();
    wait_until("the process shows its mark", PATIENCE, || {
        processes::with_variable("ORCHESTRA_RUN", &mark).contains(&child.id())
    });
    child
}

#[test]
fn a_leftover_of_an_earlier_iteration_is_ended_while_a_later_one_runs() {
    let world = World::with_scenario(HANG);
    let made = world.session("one");
    world.run(&["iterate", "one", "--detach"]).ok();
    world.wait_for_progress(&made, 1, "agent");
    world.run(&["stop", "one"]).ok();
    world.run(&["iterate", "one", "--detach"]).ok();
    world.wait_for_progress(&made, 2, "agent");
    let mut leftover = marked(&world, &made, "1");
    world
        .orchestra(&["doctor"])
        .ends_with(1)
        .says("1 process(es) of ended runs");
    world.orchestra(&["doctor", "--fix"]).ok().says("ended 1");
    assert!(!leftover.wait().unwrap().success());
    assert_eq!(world.iteration(&made, 2, "outcome"), None);
    assert!(processes::alive(world.runner(&made, 2)));
    world.run(&["stop", "one"]).ok();
    world.wait_until_quiet();
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_nobody_knows_is_named_and_left_alone() {
    let world = World::with_scenario(HANG);
    let made = world.session("one");
    let mut stranger = world.sandbox.command(Path::new("/bin/sleep"));
    stranger.arg("600").current_dir(&made.worktree);
    let mut stranger = stranger.stdout(Stdio::null()).spawn().unwrap();
    let named = format!("process {} (", stranger.id());
    let said = world.orchestra(&["doctor", "--fix"]).ok();
    let said = said.says(&named).says("sleep 600").says("kill <process>");
    assert!(said.stdout.contains("note"), "{}", said.stdout);
    assert!(processes::alive(stranger.id()));
    world.run(&["iterate", "one", "--detach"]).ok();
    world.wait_for_progress(&made, 1, "agent");
    let said = world.orchestra(&["doctor"]).ok();
    assert!(!said.stdout.contains(&named), "{}", said.stdout);
    world.run(&["stop", "one"]).ok();
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    world.wait_until_quiet();
    let said = world.orchestra(&["doctor"]).ok();
    assert!(!said.stdout.contains("in use by"), "{}", said.stdout);
}

#[test]
fn a_worktree_that_could_not_be_recorded_is_finished_later() {
    let world = World::new();
    world.session("one");
    let store = database(&world.sandbox);
    let refuse = "CREATE TRIGGER refuse BEFORE UPDATE OF worktree_ready ON sessions
                  BEGIN SELECT RAISE(ABORT, 'refused'); END";
    store.execute_batch(refuse).unwrap();
    world
        .run(&["new", "--name", "two", "--prompt", "Greet amp"])
        .ends_with(1)
        .says("stays half-made")
        .says("doctor --fix");
    let made = world.made("two");
    assert!(made.worktree.join("README.md").exists());
    world.orchestra(&["doctor"]).ends_with(1).says("two");
    store.execute_batch("DROP TRIGGER refuse").unwrap();
    world
        .orchestra(&["doctor", "--fix"])
        .ok()
        .says("its worktree was finished");
    world.run(&["iterate", "two"]).ok();
}

#[test]
#[cfg(debug_assertions)]
fn what_would_be_repaired_is_shown_first() {
    let world = World::new();
    world.session("one");
    let lock = world.repository.path(".git/packed-refs.lock");
    std::fs::write(&lock, "").unwrap();
    let half_made = half_made_registration(&world, "two");
    let seen = world.orchestra(&["doctor"]).ends_with(1);
    for path in [&lock, &half_made] {
        let path = path.to_string_lossy().into_owned();
        assert!(seen.stdout.contains(&path), "{path}: {}", seen.stdout);
    }
    assert!(lock.exists() && half_made.exists());
    world.orchestra(&["doctor", "--fix"]).ok();
    assert!(!lock.exists() && !half_made.exists());
    world.orchestra(&["doctor"]).ok();
}

/// A session whose creation was cut off while git registered its worktree.
#[cfg(debug_assertions)]
fn half_made_registration(world: &World, name: &str) -> std::path::PathBuf {
    let mut new = world.session_command(&["new", "--name", name, "--prompt", "Greet amp"]);
    new.env("ORCHESTRA_FAILPOINT", "create.reserved");
    assert!(!new.output().unwrap().status.success());
    let folder = world.made(name).worktree;
    let admin = world
        .repository
        .path(".git/worktrees")
        .join(folder.file_name().unwrap());
    std::fs::create_dir_all(&admin).unwrap();
    std::fs::write(admin.join("commondir"), "../..\n").unwrap();
    admin
}

#[test]
fn what_is_left_of_a_snapshot_that_was_cut_off_is_removed() {
    let world = World::new();
    let made = world.session("one");
    let kept = world.sandbox.data_dir().join("snapshots").join(&made.id);
    let (whole, left) = (kept.join("whole"), kept.join("cut-off.unfinished"));
    for folder in [&whole, &left] {
        std::fs::create_dir_all(folder.join("files")).unwrap();
    }
    world
        .orchestra(&["doctor"])
        .ok()
        .says(&left.to_string_lossy())
        .says("was cut off");
    assert!(left.exists());
    world
        .orchestra(&["doctor", "--fix"])
        .says("removed the unfinished");
    assert!(!left.exists() && whole.exists());
}

#[test]
fn a_worktree_of_ours_without_a_record_is_told() {
    let world = World::new();
    let made = world.session("one");
    let own = world.sandbox.path("own");
    world.repository.add_worktree(&own, "topic");
    let seen = world.orchestra(&["doctor", "--fix"]).ok();
    assert!(!seen.stdout.contains("topic"), "{}", seen.stdout);
    let forget = "DELETE FROM sessions";
    world.writable_store().execute(forget, []).unwrap();
    let seen = world.orchestra(&["doctor"]).ok();
    let said = format!("worktree adopt '{}'", made.worktree.display());
    assert!(seen.stdout.contains(&said), "{}", seen.stdout);
    assert!(!seen.stdout.contains("topic"), "{}", seen.stdout);
}

#[test]
fn what_killed_processes_left_is_shown_before_it_is_removed() {
    let world = World::new();
    world.session("one");
    world.orchestra(&["doctor", "--fix"]).ok();
    let mut gone = world.sandbox.command(Path::new("true")).spawn().unwrap();
    gone.wait().unwrap();
    let left = world.sandbox.data_dir().join("git/shadow");
    let left = left.join(format!("{}-left", gone.id()));
    std::fs::create_dir_all(&left).unwrap();
    world
        .orchestra(&["doctor"])
        .ok()
        .says("killed processes left 1");
    assert!(left.exists());
    world.orchestra(&["doctor", "--fix"]).ok().says("removed 1");
    assert!(!left.exists());
}

#[test]
fn what_became_of_an_operation_is_told_as_long_as_nobody_knows() {
    let world = World::new();
    let made = world.session("one");
    world.tree(&made).write("work.txt", "work\n");
    world.run(&["commit", "one", "-m", "Work"]).ok();
    let store = world.writable_store();
    store
        .execute("UPDATE operations SET state = 'unknown'", [])
        .unwrap();
    world
        .orchestra(&["doctor", "--fix"])
        .ok()
        .says("it is not known what became of its commit: Work")
        .says(&format!("orchestra session operations {}", made.id));
    world.tree(&made).write("more.txt", "more\n");
    world.run(&["commit", "one", "-m", "More"]).ok();
    let said = world.orchestra(&["doctor"]).ok();
    assert!(!said.stdout.contains("not known"), "{}", said.stdout);
}
