//! `gc`: what is kept for long enough is deleted, what was cut off is finished, on request and in the background.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use orchestra_testkit::wait_until;

use crate::world::{PATIENCE, World};

const NO_TRASH: &[&str] = &["--set-config", "git.trash_retention=0"];
const NO_UNDO: &[&str] = &["--set-config", "git.undo_retention=0"];
const AUTOMATIC: &[&str] = &["--set-config", "git.auto_cleanup_worktrees=true"];

/// Makes it look as if nobody had used the sessions for so many days.
fn age_sessions(world: &World, days: i64) {
    let sql = "UPDATE sessions SET created_at = created_at - ?1, last_run = last_run - ?1";
    let millis = days * 24 * 60 * 60 * 1_000;
    world.writable_store().execute(sql, [millis]).unwrap();
}

#[test]
fn the_trash_is_emptied_after_its_time() {
    let world = World::new();
    let made = world.session("one");
    world.run(&["cleanup", "one"]).ok();
    world.orchestra(&["gc"]).ok().says("0 B freed");
    let foretold = world.orchestra(&[&["gc", "--dry-run", "--json"], NO_TRASH].concat());
    let foretold = foretold.ok().json();
    assert_eq!(foretold["deleted"][0]["session_name"], "one");
    assert!(foretold["freed_bytes"].as_u64().unwrap() > 0);
    world.orchestra(&["trash", "list"]).ok().says("one");
    world
        .orchestra(&[&["gc", "--dry-run"], NO_TRASH].concat())
        .ok()
        .says("would be deleted from the trash");
    world
        .orchestra(&[&["gc"], NO_TRASH].concat())
        .ok()
        .says("deleted from the trash");
    world
        .orchestra(&["trash", "list"])
        .ok()
        .says("the trash is empty");
    assert!(world.repository.has_branch(&made.branch));
}

#[test]
fn snapshots_are_deleted_after_their_time_and_operations_say_so() {
    let world = World::new();
    let made = world.session("one");
    world.tree(&made).write("new.txt", "new\n");
    world.run(&["commit", "one", "-m", "By hand"]).ok();
    let folder = world.sandbox.data_dir().join("snapshots").join(&made.id);
    std::fs::create_dir_all(folder.join("left-behind/files")).unwrap();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
    world.orchestra(&["gc"]).ok();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
    let dry = world.orchestra(&[&["gc", "--dry-run", "--json"], NO_UNDO].concat());
    assert_eq!(dry.ok().json()["snapshots"], 2);
    world
        .orchestra(&[&["gc"], NO_UNDO].concat())
        .ok()
        .says("2 snapshot(s) deleted");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    world
        .run(&["operations", "one"])
        .ok()
        .says("too old to be undone");
    let list = world.json(&["operations", "one"]);
    assert_eq!(list["operations"][0]["has_snapshot"], false);
    world
        .run(&["undo", "one"])
        .refuses(3, "its snapshot is gone");
}

#[test]
fn what_is_left_of_a_snapshot_that_was_cut_off_goes_at_once() {
    let world = World::new();
    let made = world.session("one");
    let folder = world.sandbox.data_dir().join("snapshots").join(&made.id);
    let (whole, left) = (folder.join("whole"), folder.join("cut-off.unfinished"));
    for folder in [&whole, &left] {
        std::fs::create_dir_all(folder.join("files")).unwrap();
    }
    let dry = world.orchestra(&["gc", "--dry-run", "--json"]).ok().json();
    assert_eq!(dry["snapshots"], 1);
    assert!(left.exists());
    world.orchestra(&["gc"]).ok().says("1 snapshot(s) deleted");
    assert!(!left.exists() && whole.exists());
}

#[test]
fn a_snapshot_that_is_being_taken_is_left_alone() {
    let world = World::new();
    let made = world.session("one");
    let data = world.sandbox.data_dir();
    let left = data.join("snapshots").join(&made.id).join("now.unfinished");
    std::fs::create_dir_all(&left).unwrap();
    let lease = data.join("leases").join(format!("{}.start", made.id));
    let lease = std::fs::File::create(lease).unwrap();
    lease.lock().unwrap();
    world.orchestra(&["gc"]).ok();
    assert!(left.exists());
    drop(lease);
    world.orchestra(&["gc"]).ok();
    assert!(!left.exists());
}

#[test]
fn prompts_that_could_not_be_used_are_deleted_after_their_time() {
    let world = World::new();
    world.session("one");
    let prompts = world.sandbox.data_dir().join("prompts");
    std::fs::create_dir_all(&prompts).unwrap();
    let (old, young) = (prompts.join("old.md"), prompts.join("young.md"));
    for file in [&old, &young] {
        std::fs::write(file, "Do it\n").unwrap();
    }
    let file = std::fs::File::options().write(true).open(&old).unwrap();
    let now = file.metadata().unwrap().modified().unwrap();
    file.set_modified(now - Duration::from_secs(31 * 24 * 60 * 60))
        .unwrap();
    let dry = world.orchestra(&["gc", "--dry-run", "--json"]).ok().json();
    assert_eq!(dry["prompts"], 1);
    assert!(old.exists());
    world
        .orchestra(&["gc"])
        .ok()
        .says("1 kept prompt(s) deleted");
    assert!(!old.exists() && young.exists());
}

#[test]
fn landed_sessions_that_nobody_uses_are_cleaned_up_if_that_is_wanted() {
    let world = World::new();
    let (landed, fresh, unlanded, dirty) = (
        world.session("landed"),
        world.session("fresh"),
        world.session("unlanded"),
        world.session("dirty"),
    );
    for (name, made) in [
        ("landed", &landed),
        ("unlanded", &unlanded),
        ("dirty", &dirty),
    ] {
        world.tree(made).write(&format!("{name}.txt"), "work\n");
        world.run(&["commit", name, "-m", "Work"]).ok();
    }
    for made in [&landed, &dirty] {
        let merge = ["merge", "--quiet", "--no-ff", "-m", "Merge", &made.branch];
        world.repository.git(&merge);
    }
    world.tree(&dirty).write("README.md", "changed\n");
    let gc = [&["gc"], AUTOMATIC].concat();
    world.orchestra(&gc).ok();
    assert!(landed.worktree.exists(), "it was used today");
    age_sessions(&world, 2);
    world.orchestra(&["gc"]).ok();
    assert!(landed.worktree.exists(), "nobody wants it");
    let dry = [&gc[..], &["--dry-run"]].concat();
    world
        .orchestra(&dry)
        .ok()
        .says("landed: its worktree would go into the trash");
    let dry = world.orchestra(&[&dry[..], &["--json"]].concat());
    let dry = dry.ok().json();
    assert_eq!(dry["cleaned"].as_array().unwrap().len(), 1);
    world
        .orchestra(&gc)
        .ok()
        .says("landed: its worktree is in the trash now");
    assert!(!landed.worktree.exists());
    for made in [&fresh, &unlanded, &dirty] {
        assert!(made.worktree.exists(), "{}", made.branch);
    }
    world.run(&["undo", "landed"]).ok();
    assert!(landed.worktree.exists());
}

#[test]
fn deletions_that_were_cut_off_are_finished() {
    let world = World::new();
    world.session("one");
    world.run(&["cleanup", "one"]).ok();
    let trash = world.repository.path(".git/orchestra/trash");
    let entry = world.value("SELECT trash FROM sessions").unwrap();
    let deleting = trash.join(format!("{entry}.deleting"));
    std::fs::rename(trash.join(&entry), &deleting).unwrap();
    let report = world.orchestra(&["gc", "--json"]).ok().json();
    assert_eq!(report["finished_deletions"], 1);
    assert!(!deleting.exists());
    world.run(&["status", "one"]).ok().says("deleted just now");
}

#[test]
fn it_runs_in_the_background_when_it_is_due() {
    let world = World::new();
    world.session("one");
    world.run(&["cleanup", "one"]).ok();
    let stamp = world.sandbox.data_dir().join("gc.stamp");
    assert!(stamp.exists(), "the first command notes when it began");
    world
        .orchestra(&["config", "set", "git.trash_retention", "0"])
        .ok();
    let file = std::fs::File::options().write(true).open(&stamp).unwrap();
    let now = file.metadata().unwrap().modified().unwrap();
    file.set_modified(now - Duration::from_secs(25 * 60 * 60))
        .unwrap();
    world.run(&["list"]).ok();
    let deleted = || world.count("SELECT count(*) FROM events WHERE type = 'worktree_deleted'");
    assert_eq!(deleted(), 0, "to look starts nothing");
    world.run(&["set", "one", "notes", "x"]).ok();
    wait_until("the trash is empty", PATIENCE, || deleted() == 1);
    world.wait_until_quiet();
    let log = world.sandbox.data_dir().join("logs/gc.log");
    let log = std::fs::read_to_string(log).unwrap();
    assert!(!log.contains("ERROR"), "{log}");
}

#[test]
fn one_runs_at_a_time() {
    let world = World::new();
    world.session("one");
    let lock = world.sandbox.data_dir().join("gc.lock");
    let lock = std::fs::File::create(lock).unwrap();
    lock.lock().unwrap();
    world.orchestra(&["gc"]).refuses(3, "another gc runs");
    drop(lock);
    world.orchestra(&["gc"]).ok();
}

#[test]
fn a_session_that_cannot_be_looked_at_keeps_no_other_from_it() {
    let world = World::new();
    let [broken, landed] = ["broken", "landed"].map(|name| world.session(name));
    for made in [&broken, &landed] {
        world.tree(made).write(&format!("{}.txt", made.id), "x\n");
        world.run(&["commit", &made.id, "-m", "Work"]).ok();
        let merge = ["merge", "--quiet", "--no-ff", "-m", "Merge", &made.branch];
        world.repository.git(&merge);
    }
    age_sessions(&world, 2);
    let index = world
        .tree(&broken)
        .git(&["rev-parse", "--git-path", "index"]);
    std::fs::write(broken.worktree.join(index.trim()), "no index").unwrap();
    let answer = world
        .orchestra(&[&["gc", "--json"], AUTOMATIC].concat())
        .ends_with(1)
        .json();
    assert_eq!(answer["cleaned"], serde_json::json!([landed.id]));
    let problem = answer["problems"][0].as_str().unwrap();
    assert!(problem.starts_with(&broken.id), "{problem}");
    assert!(broken.worktree.exists() && !landed.worktree.exists());
}
