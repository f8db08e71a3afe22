//! Sessions whose repository, branch or directory was deleted: what they say, and the way out.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use crate::ran::{Ran, ran};
use crate::world::World;

/// From outside: the repository may be gone.
fn outside(world: &World, words: &[&str]) -> Ran {
    let mut command = world.sandbox.orchestra();
    command
        .args(words)
        .current_dir(world.sandbox.path("").parent().unwrap());
    ran(command)
}

#[test]
fn a_deleted_repository_leaves_nothing_that_cannot_be_put_right() {
    let world = World::new();
    let one = world.session("one");
    world.run(&["iterate", "one"]).ok();
    world.session("two");
    let root = world.repository.root().to_owned();
    let copy = world.sandbox.path("copy");
    fs::rename(&root, &copy).unwrap();
    fs::remove_dir_all(&copy).unwrap();

    let said = outside(&world, &["session", "status", "one"]).ok();
    let said = said.says("has lost its repository").says("session forget");
    assert!(!said.stderr.contains("every commit"), "{}", said.stderr);
    outside(&world, &["session", "resume", "one"])
        .refuses(3, "not there any more")
        .says("session forget");
    outside(&world, &["doctor", "--fix"])
        .ends_with(1)
        .says("not there any more");
    for name in ["one", "two"] {
        outside(&world, &["session", "archive", name])
            .ok()
            .says("its repository is gone");
    }
    outside(&world, &["doctor", "--fix"])
        .ok()
        .says("its 2 session(s) are put away");

    let copied = world.sandbox.repository("sample");
    assert_eq!(copied.root(), root);
    outside(&world, &["session", "status", "one"])
        .ok()
        .says("lost its directory and its branch");
    let again = ["new", "--name", "one", "--prompt", "x"];
    world.run(&again).refuses(3, "already has a session");
    let forgotten = world.run(&["forget", "one"]).ok();
    forgotten.says("is forgotten").says(
        &world
            .sandbox
            .data_dir()
            .join("output")
            .join(&one.id)
            .to_string_lossy(),
    );
    world.run(&again).ok();
    let answer = world.json(&["forget", "two"]);
    assert_eq!(
        (&answer["name"], &answer["left"]),
        (&"two".into(), &serde_json::json!([]))
    );
    assert_eq!(world.count("SELECT count(*) FROM sessions"), 1);
    world.orchestra(&["doctor", "--fix"]).ok();
}

#[test]
fn a_repository_is_forgotten_with_its_last_session() {
    let world = World::new();
    world.session("one");
    fs::remove_dir_all(world.repository.root()).unwrap();
    outside(&world, &["session", "forget", "one"]).ok();
    assert_eq!(world.count("SELECT count(*) FROM repositories"), 0);
    outside(&world, &["doctor", "--fix"]).ok();
}

#[test]
fn a_repository_without_sessions_is_forgotten_by_the_doctor() {
    let world = World::new();
    world.session("one");
    world
        .writable_store()
        .execute("DELETE FROM sessions", [])
        .unwrap();
    fs::remove_dir_all(world.repository.root()).unwrap();
    outside(&world, &["doctor"]).says("`orchestra doctor --fix` forgets it");
    outside(&world, &["doctor", "--fix"]).ok().says("forgotten");
    assert_eq!(world.count("SELECT count(*) FROM repositories"), 0);
}

#[test]
fn what_is_left_of_a_session_keeps_it() {
    let world = World::new();
    let made = world.session("one");
    world
        .run(&["forget", "one"])
        .refuses(3, "its directory")
        .says("archive");
    fs::remove_dir_all(&made.worktree).unwrap();
    world.run(&["forget", "one"]).refuses(3, "its branch");
    world
        .orchestra(&["doctor", "--fix"])
        .ok()
        .says("its branch has every commit");
    world
        .run(&["archive", "one"])
        .ok()
        .says("its worktree is missing");
    world.run(&["archive", "one", "--undo"]).ok();
    world.repository.git(&["worktree", "prune"]);
    world.repository.git(&["branch", "-D", &made.branch]);
    world
        .orchestra(&["doctor", "--fix"])
        .ok()
        .says("session forget");
    world.run(&["status", "one"]).ok().says("forget");
    world.run(&["archive", "one"]).ok().says("are gone");
    world.run(&["forget", "one"]).ok();
    assert_eq!(world.count("SELECT count(*) FROM sessions"), 0);
}

#[test]
fn what_was_cut_off_in_a_repository_that_is_gone_keeps_nobody_from_looking() {
    let world = World::new();
    let made = world.session("one");
    let open = "INSERT INTO intents (session, effect, created_at) VALUES (?1, ?2, 0)";
    let effect = r#"{"kind":"make_worktree"}"#;
    let store = world.writable_store();
    store.execute(open, [made.id.as_str(), effect]).unwrap();
    fs::remove_dir_all(world.repository.root()).unwrap();
    outside(&world, &["session", "status", "one"])
        .ok()
        .says("has lost its repository");
    outside(&world, &["session", "forget", "one"]).ok();
}

#[test]
fn a_directory_that_was_moved_is_found_and_keeps_the_session_from_landing() {
    let world = World::new();
    let made = world.session("one");
    world.tree(&made).write("file.txt", "committed\n");
    world.tree(&made).commit("Work");
    let elsewhere = world.sandbox.path("elsewhere");
    let (from, to) = (made.worktree.to_str().unwrap(), elsewhere.to_str().unwrap());
    world.repository.git(&["worktree", "move", from, to]);
    fs::write(elsewhere.join("uncommitted.txt"), "mine\n").unwrap();
    world.run(&["approve", "one"]).ok();
    let refused = world
        .run(&["merge", "one"])
        .refuses(3, "its directory was moved to");
    let back = format!("git worktree move '{to}' '{from}'");
    assert!(refused.stderr.contains(&back), "{}", refused.stderr);
    world.orchestra(&["doctor", "--fix"]).ok().says(&back);
    world.repository.git(&["worktree", "move", to, from]);
    world.run(&["merge", "one"]).refuses(3, "uncommitted");
}
