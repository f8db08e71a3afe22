//! `trash`: what lies there, bringing it back, deleting it for good.

use super::work::with_commit;
use crate::world::World;

/// The name under which a session lies in the trash.
fn entry_of(world: &World, name: &str) -> String {
    let sql = format!("SELECT trash FROM sessions WHERE name = '{name}'");
    world.value(&sql).expect("it is in the trash")
}

#[test]
fn what_lies_there_is_listed_and_restored_by_session_or_by_name() {
    let world = World::new();
    world
        .orchestra(&["trash", "list"])
        .ok()
        .says("the trash is empty");
    let made = world.session("one");
    world.tree(&made).write("kept.txt", "kept\n");
    world.run(&["cleanup", "one", "--even-dirty"]).ok();
    let list = world.orchestra(&["trash", "list", "--json"]).ok().json();
    let row = &list["trash"][0];
    assert_eq!(row["session_name"], "one");
    assert_eq!(row["is_whole"], true);
    assert!(row["bytes"].as_u64().unwrap() > 0);
    assert!(row["why"].as_str().unwrap().contains("uncommitted"));
    world
        .orchestra(&["trash", "list"])
        .ok()
        .says("one")
        .says("13 d");

    let entry = entry_of(&world, "one");
    world.orchestra(&["trash", "restore", &entry]).ok();
    assert_eq!(world.tree(&made).read("kept.txt"), "kept\n");
    world
        .orchestra(&["trash", "restore", "one"])
        .refuses(3, "is not in the trash");
    world.run(&["redo", "one"]).ok();
    std::fs::create_dir_all(&made.worktree).unwrap();
    std::fs::write(made.worktree.join("mine.txt"), "mine").unwrap();
    world
        .orchestra(&["trash", "restore", "one"])
        .ends_with(3)
        .says("move");
    assert_eq!(
        world.count("SELECT count(*) FROM operations WHERE state = 'open'"),
        0
    );
    std::fs::remove_dir_all(&made.worktree).unwrap();
    let answer = world.orchestra(&["trash", "restore", "one", "--json"]);
    let answer = answer.ok().json();
    assert_eq!(answer["session"]["in_trash"], false);
    assert_eq!(world.tree(&made).read("kept.txt"), "kept\n");
    world
        .orchestra(&["trash", "restore", "nothing"])
        .refuses(2, "no session matches");
}

#[test]
fn what_became_of_the_branch_is_told() {
    let world = World::new();
    let made = with_commit(&world, "one", "one.txt", "one\n");
    let words = ["cleanup", "one", "--even-unlanded", "--delete-branch"];
    world.run(&words).ok();
    let answer = world.orchestra(&["trash", "restore", "one", "--json"]);
    let branch = &answer.ok().json()["branches"][0];
    assert_eq!(branch["name"], made.branch);
    assert_eq!(branch["state"], "made_again");
    world.run(&words).ok();
    world.run(&["undo", "one"]).ok().says("is there again");

    world.run(&["cleanup", "one", "--even-unlanded"]).ok();
    let reference = format!("refs/heads/{}", made.branch);
    world.repository.git(&["update-ref", &reference, "main"]);
    world
        .run(&["undo", "one"])
        .ok()
        .says("somebody moved the branch");
}

#[test]
fn a_branch_that_is_lost_is_told() {
    let world = World::new();
    let made = with_commit(&world, "one", "one.txt", "one\n");
    world.run(&["cleanup", "one", "--even-unlanded"]).ok();
    let git = |words: &[&str]| world.repository.git(words);
    git(&["branch", "--quiet", "-D", &made.branch]);
    git(&["reflog", "expire", "--expire=now", "--all"]);
    git(&["gc", "--quiet", "--prune=now"]);
    world
        .orchestra(&["trash", "restore", "one"])
        .ok()
        .says("git has removed its commits since");
    assert_eq!(world.tree(&made).read("one.txt"), "one\n");
}

#[test]
fn what_is_deleted_for_good_was_asked_for() {
    let world = World::new();
    let made = world.session("one");
    world.run(&["cleanup", "one"]).ok();
    let trash = world.repository.path(".git/orchestra/trash");
    let entry = trash.join(entry_of(&world, "one"));
    world
        .orchestra(&["trash", "empty"])
        .refuses(3, "cannot be restored");
    let dry = world.orchestra(&["trash", "empty", "--dry-run", "--json"]);
    let dry = dry.ok().json();
    assert_eq!(dry["deleted"].as_array().unwrap().len(), 1);
    let older = ["trash", "empty", "--older-than", "1h", "--yes"];
    world.orchestra(&older).ok().says("nothing was deleted");
    assert!(entry.exists());
    world
        .orchestra(&["trash", "empty", "--yes"])
        .ok()
        .says("1 worktree(s) deleted for good");
    assert!(!entry.exists());
    assert!(world.repository.has_branch(&made.branch));

    let status = &world.json(&["status", "one"])["session"];
    assert_eq!(status["in_trash"], false);
    assert!(status["worktree_deleted_at"].is_string());
    world
        .run(&["list", "--all"])
        .ok()
        .says("(worktree deleted)");
    world.run(&["status", "one"]).ok().says("deleted just now");
    for words in [&["diff", "one"][..], &["iterate", "one"]] {
        world
            .run(words)
            .refuses(3, "was deleted for good")
            .says("git log");
    }
    world
        .run(&["undo", "one"])
        .refuses(3, "was deleted for good");
    world
        .orchestra(&["trash", "restore", "one"])
        .refuses(3, "was deleted for good");
    let events = "SELECT count(*) FROM events WHERE type = 'worktree_deleted'";
    assert_eq!(world.count(events), 1);
    world.orchestra(&["doctor", "--fix"]).ok();
}

#[test]
fn what_is_deleted_for_good_holds_no_name() {
    let world = World::new();
    let patterns = [
        "--set-config",
        "git.branch_pattern=work/{slug}",
        "--set-config",
        "git.folder_pattern={slug}",
    ];
    let first = world.session_with("one", &patterns);
    world.run(&["cleanup", "one", "--delete-branch"]).ok();
    let new = ["new", "--name", "one", "--prompt", "Again"];
    let again = [&new[..], &patterns].concat();
    world.run(&again).refuses(3, "already has a session called");
    world.orchestra(&["trash", "empty", "--yes"]).ok();
    world.run(&["status", "one"]).ok().says("deleted just now");
    world.run(&again).ok();
    let second = world.made("one");
    assert_ne!(second.id, first.id);
    assert_eq!(
        (second.branch, second.worktree),
        (first.branch, first.worktree)
    );
    world
        .run(&["status", &first.id])
        .ok()
        .says(&format!("one ({})", first.id))
        .says("deleted just now");
    world.run(&["forget", &first.id]).ok();
}

#[test]
fn an_entry_outlives_the_records_of_its_session() {
    let world = World::new();
    let (kept, lost) = (world.session("kept"), world.session("lost"));
    world.run(&["cleanup", "lost"]).ok();
    let entry = entry_of(&world, "lost");
    let store = world.writable_store();
    store.execute_batch("PRAGMA foreign_keys = ON").unwrap();
    let deleted = store.execute("DELETE FROM sessions WHERE name = 'lost'", []);
    assert_eq!(deleted.unwrap(), 1);
    drop(store);
    world
        .orchestra(&["trash", "restore", &entry])
        .ok()
        .says("worktree adopt");
    assert!(lost.worktree.join("README.md").exists());
    assert!(kept.worktree.exists());
    std::fs::create_dir_all(world.repository.path(".git/orchestra/trash/broken/admin")).unwrap();
    world
        .orchestra(&["trash", "list"])
        .ok()
        .says("cannot be read");
}

#[test]
fn what_was_done_while_it_lay_there_stays() {
    let world = World::new();
    let made = with_commit(&world, "one", "one.txt", "one\n");
    world.run(&["approve", "one"]).ok();
    world.run(&["cleanup", "one", "--even-unlanded"]).ok();
    world.run(&["merge", "one"]).ok();
    let head = world.repository.head();
    world.orchestra(&["trash", "restore", "one"]).ok();
    assert_eq!(world.tree(&made).read("one.txt"), "one\n");
    let session = &world.json(&["status", "one"])["session"];
    assert_eq!(session["in_trash"], false);
    assert!(!session["landed_at"].is_null(), "{session}");
    assert_eq!(world.repository.head(), head);
    world
        .run(&["redo", "one"])
        .refuses(3, "nothing of it was undone last");
    world.run(&["undo", "one"]).ok().says("merge");
    assert_ne!(world.repository.head(), head);
    world.run(&["redo", "one"]).ok();
    world.run(&["cleanup", "one"]).ok();
    world.run(&["undo", "one"]).ok();
    assert_eq!(world.tree(&made).read("one.txt"), "one\n");
}
