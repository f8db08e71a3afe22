//! Sessions whose repository, branch or directory was deleted: what they say, and the way out.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::made::Made;
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
    let own = world.sandbox.data_dir().join("environments");
    let two = world.value("SELECT id FROM sessions WHERE name = 'two'");
    fs::create_dir_all(own.join(two.unwrap()).join("cache/deep")).unwrap();
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
    let refused = refused.says("session set");
    assert!(refused.stderr.contains(&back), "{}", refused.stderr);
    world.orchestra(&["doctor", "--fix"]).ok().says(&back);
    world.repository.git(&["worktree", "move", to, from]);
    world.run(&["merge", "one"]).refuses(3, "uncommitted");
}

/// A session with something uncommitted, whose directory was moved without git.
fn moved(world: &World) -> (Made, PathBuf) {
    let made = world.session("one");
    fs::write(made.worktree.join("uncommitted.txt"), "mine\n").unwrap();
    let place = world.sandbox.path("else where/one");
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::rename(&made.worktree, &place).unwrap();
    (made, place)
}

fn require_taken(world: &World, place: &Path) {
    assert_eq!(world.made("one").worktree, place);
    let tree = world.repository.at(place);
    assert!(tree.git(&["status", "--porcelain"]).contains("uncommitted"));
    let listed = world.repository.git(&["worktree", "list", "--porcelain"]);
    assert!(listed.contains(place.to_str().unwrap()), "{listed}");
    assert!(!listed.contains("prunable"), "{listed}");
    let open = "SELECT count(*) FROM intents WHERE closed_at IS NULL";
    assert_eq!(world.count(open), 0);
    world.run(&["iterate", "one"]).ok();
    world.orchestra(&["doctor", "--fix"]).ok();
}

#[test]
fn whoever_stands_in_a_directory_that_was_moved_brings_its_session_along() {
    let world = World::new();
    let (_, place) = moved(&world);
    world.run(&["status", "one"]).ok().says("session set");
    world
        .run(&["iterate", "one"])
        .refuses(3, "is missing")
        .says("session set");
    world
        .orchestra(&["doctor", "--fix"])
        .ok()
        .says("session set");
    let inside = place.join("deeper");
    fs::create_dir(&inside).unwrap();
    let mut command = world.sandbox.orchestra();
    command.args(["session", "list"]).current_dir(&inside);
    ran(command).ok().says("is linked again").says("one");
    require_taken(&world, &place);
}

#[test]
fn a_session_takes_the_place_that_it_is_told() {
    let world = World::new();
    let (_, place) = moved(&world);
    let place_text = place.to_str().unwrap();
    for _ in 0..2 {
        let answer = world.json(&["set", "one", "worktree", place_text]);
        assert_eq!(answer["session"]["worktree_path"], place_text);
    }
    require_taken(&world, &place);

    let world = World::new();
    let made = world.session("one");
    let place = world.sandbox.path("moved-by-git");
    let (from, to) = (made.worktree.to_str().unwrap(), place.to_str().unwrap());
    fs::write(made.worktree.join("uncommitted.txt"), "mine\n").unwrap();
    world.repository.git(&["worktree", "move", from, to]);
    world.run(&["set", "one", "worktree", to]).ok();
    require_taken(&world, &place);
}

#[test]
fn no_other_directory_is_taken() {
    let world = World::new();
    let (made, place) = moved(&world);
    let two = world.session("two");
    let own = world.sandbox.path("own");
    let own_text = own.to_str().unwrap();
    world
        .repository
        .git(&["worktree", "add", "--quiet", own_text]);
    let forged = world.sandbox.path("forged");
    fs::create_dir(&forged).unwrap();
    fs::copy(two.worktree.join(".git"), forged.join(".git")).unwrap();
    let refused = |directory: &Path, why: &str| {
        let words = ["set", "one", "worktree", directory.to_str().unwrap()];
        world.run(&words).refuses(3, why);
    };
    for directory in [&two.worktree, &own, &forged, world.repository.root()] {
        refused(directory, "is not its worktree");
    }
    let nowhere = world.sandbox.path("nowhere");
    let words = ["set", "one", "worktree", nowhere.to_str().unwrap()];
    world.run(&words).refuses(2, "there is no directory");
    fs::create_dir_all(&made.worktree).unwrap();
    refused(&place, "still where its worktree was");
    assert_eq!(world.made("one").worktree, made.worktree);
    fs::remove_dir(&made.worktree).unwrap();
    world
        .run(&["set", "one", "worktree", place.to_str().unwrap()])
        .ok();
    require_taken(&world, &place);
}

#[test]
#[cfg(debug_assertions)]
fn taking_a_new_place_that_is_cut_off_is_finished() {
    let world = World::new();
    let (_, place) = moved(&world);
    let mut command = world.sandbox.orchestra();
    command
        .args(["session", "set", "one", "worktree"])
        .arg(&place)
        .current_dir(world.repository.root())
        .env("ORCHESTRA_FAILPOINT", "move.recorded");
    assert_eq!(command.output().unwrap().status.code(), None);
    world.run(&["status", "one"]).ok();
    require_taken(&world, &place);
}

#[test]
fn a_worktree_that_outlives_its_repository_is_told_of_and_stays() {
    let world = World::new();
    let root = world.sandbox.path("trees");
    let setting = format!("core.worktrees_root={}", root.display());
    let made = world.session_with("one", &["--set-config", &setting]);
    fs::remove_dir_all(world.repository.root()).unwrap();
    let seen = outside(&world, &["session", "status", "one", "--json"]).ok();
    assert_eq!(seen.json()["session"]["status"], "error");
    outside(&world, &["session", "status", "one"])
        .ok()
        .says("has lost its repository");
    outside(&world, &["doctor"])
        .ends_with(1)
        .says("session forget");
    outside(&world, &["session", "forget", "one"])
        .ok()
        .says("stays in");
    assert!(made.worktree.join("README.md").exists());
}

#[test]
fn a_repository_in_place_of_gits_link_is_noticed() {
    let world = World::new();
    let made = world.session("one");
    let link = made.worktree.join(".git");
    fs::remove_file(&link).unwrap();
    let place = made.worktree.to_str().unwrap();
    world.repository.git(&["init", "--quiet", place]);
    let seen = world.json(&["status", "one"]);
    assert_eq!(seen["session"]["status"], "error");
    world
        .run(&["status", "one"])
        .ok()
        .says("has lost git's link");
    world
        .orchestra(&["doctor"])
        .ends_with(1)
        .says("a repository of its own is in");
    world.run(&["iterate", "one"]).refuses(3, "git's link");
    fs::rename(&link, world.sandbox.path("kept.git")).unwrap();
    world.repository.git(&["worktree", "repair"]);
    world.run(&["iterate", "one"]).ok();
    world.orchestra(&["doctor", "--fix"]).ok();
}
