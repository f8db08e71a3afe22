//! `undo`, `redo` and `operations`.

use super::work::{add_remote, base_moves, merge, with_commit, with_two_commits};
use crate::world::World;

#[test]
fn a_commit_goes_back_and_forth() {
    let world = World::new();
    let made = world.session("one");
    let tree = world.tree(&made);
    let state = || tree.git(&["status", "--porcelain=v2", "--branch"]);
    tree.write("README.md", "staged\n");
    tree.git(&["add", "README.md"]);
    tree.write("README.md", "on disk\n");
    tree.write("new.txt", "new\n");
    let before = state();
    world.run(&["commit", "one", "-m", "By hand"]).ok();
    let after = state();

    let answer = world.json(&["undo", "one"]);
    assert_eq!(answer["operation"]["kind"], "commit");
    assert_eq!(answer["operation"]["state"], "undone");
    assert_eq!(state(), before, "staged and unstaged as they were");
    tree.write("since.txt", "since\n");
    world
        .run(&["redo", "one"])
        .ok()
        .says("done again: commit (By hand)");
    std::fs::remove_file(made.worktree.join("since.txt")).unwrap();
    assert_eq!(state(), after);
    world
        .run(&["redo", "one"])
        .ends_with(3)
        .says("nothing of it was undone last");

    let list = world.json(&["operations", "one"]);
    let kinds: Vec<_> = list["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            format!(
                "{} {}",
                row["kind"].as_str().unwrap(),
                row["state"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(kinds, ["commit done", "undo undone", "redo done"]);
    for row in &list["operations"].as_array().unwrap()[1..] {
        assert_eq!(row["summary"], "commit: By hand");
    }
    world.run(&["undo", "one"]).ok();
    let answer = world.json(&["redo", "one"]);
    assert_eq!(answer["operation"]["state"], "done");
    assert_eq!(list["next_undo"], list["operations"][0]["id"]);
    world
        .run(&["operations", "one"])
        .ok()
        .says("By hand")
        .says("undo takes it back");
    assert_eq!(
        world.count("SELECT count(*) FROM events WHERE type = 'operation_finished'"),
        5
    );
    world.repository.fsck();
}

#[test]
fn what_came_since_is_not_lost() {
    let world = World::new();
    let made = world.session("one");
    let tree = world.tree(&made);
    world
        .run(&["undo", "one"])
        .ends_with(3)
        .says("nothing of it can be undone");
    tree.write("README.md", "mine\n");
    world.run(&["commit", "one", "-m", "First"]).ok();
    tree.write("README.md", "staged since\n");
    tree.git(&["add", "README.md"]);
    world
        .run(&["undo", "one"])
        .ends_with(3)
        .says("git restore --staged");
    assert_eq!(tree.git(&["log", "-1", "--format=%s"]), "First");
    tree.git(&["commit", "--quiet", "-m", "By somebody else"]);
    world.run(&["undo", "one"]).ends_with(3);
    assert_eq!(tree.git(&["log", "-1", "--format=%s"]), "By somebody else");
    assert_eq!(
        world.count("SELECT count(*) FROM operations WHERE state = 'open'"),
        0
    );
}

#[test]
fn an_undo_that_would_lose_something_says_what() {
    let world = World::new();
    let made = world.session("one");
    let tree = world.tree(&made);
    tree.write("README.md", "by hand\n");
    world.run(&["commit", "one", "-m", "By hand"]).ok();
    tree.write("staged.txt", "staged\n");
    tree.git(&["add", "staged.txt"]);
    world
        .run(&["undo", "one"])
        .refuses(3, "other staged changes would be lost: `staged.txt`");
    tree.git(&["commit", "--quiet", "-m", "Later"]);
    world
        .run(&["undo", "one"])
        .refuses(3, "is no longer at")
        .says(&made.branch);
}

#[test]
fn a_base_that_was_set_back_by_hand_needs_no_undo() {
    let world = World::new();
    let before = world.repository.head();
    let made = with_commit(&world, "one", "new.txt", "new\n");
    let head = world.tree(&made).head();
    merge(&world, &made, &[]);
    world
        .repository
        .git(&["reset", "--quiet", "--hard", &before]);
    world
        .run(&["undo", "one"])
        .ok()
        .says("undone: merge")
        .says("so nothing had to be moved");
    assert_eq!(world.repository.head(), before);
    let states = || {
        let list = world.json(&["operations", "one"]);
        let rows = list["operations"].as_array().unwrap().clone();
        let word = |row: &serde_json::Value| format!("{} {}", row["kind"], row["state"]);
        rows.iter()
            .map(word)
            .collect::<Vec<_>>()
            .join(", ")
            .replace('"', "")
    };
    assert_eq!(states(), "commit done, merge undone, undo done");
    assert_eq!(world.tree(&made).head(), head, "the commit is untouched");

    world.run(&["redo", "one"]).ok();
    assert_eq!(world.repository.head(), head);
    world
        .repository
        .git(&["reset", "--quiet", "--hard", &before]);
    let own = base_moves(&world, "mine.txt", "mine\n");
    world.run(&["undo", "one"]).ok().says("went on from");
    assert_eq!(world.repository.head(), own);
    world.run(&["redo", "one"]).refuses(3, "is no longer at");
    assert_eq!(world.repository.head(), own);
    world.repository.fsck();
}

#[test]
fn what_somebody_else_did_is_not_taken_for_done() {
    let world = World::new();
    let made = with_commit(&world, "one", "new.txt", "new\n");
    let head = world.tree(&made).head();
    merge(&world, &made, &[]);
    base_moves(&world, "mine.txt", "mine\n");
    world.run(&["undo", "one"]).refuses(3, "is no longer at");
    let list = world.json(&["operations", "one"]);
    let last = list["operations"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .clone();
    assert_eq!(
        (&last["kind"], &last["state"]),
        (&"undo".into(), &"failed".into())
    );
    assert_eq!(world.tree(&made).head(), head);
}

/// git removes everything that no branch leads to.
fn prune(world: &World) {
    let expire = [
        "reflog",
        "expire",
        "--expire=now",
        "--expire-unreachable=now",
    ];
    world.repository.git(&[&expire[..], &["--all"]].concat());
    world.repository.git(&["gc", "--quiet", "--prune=now"]);
}

#[test]
fn commits_that_git_removed_come_back() {
    let world = World::new();
    let made = with_commit(&world, "one", "a.txt", "one\n");
    let tree = world.tree(&made);
    tree.write("b.txt", "two\n");
    tree.commit("Change b.txt");
    let before = tree.git(&["rev-parse", "HEAD"]);
    world.run(&["squash", "one", "-m", "Both"]).ok();
    let after = tree.git(&["rev-parse", "HEAD"]);
    prune(&world);
    world.run(&["undo", "one"]).ok();
    assert_eq!(tree.git(&["rev-parse", "HEAD"]), before);
    prune(&world);
    world.run(&["redo", "one"]).ok();
    assert_eq!(tree.git(&["rev-parse", "HEAD"]), after);
    world.repository.git(&["fsck", "--strict"]);
}

#[test]
fn a_merge_stays_if_the_base_alone_has_the_work() {
    let world = World::new();
    let made = with_commit(&world, "one", "a.txt", "one\n");
    merge(&world, &made, &[]);
    let reference = format!("refs/heads/{}", made.branch);
    world.repository.git(&["update-ref", "-d", &reference]);
    let tip = world.repository.git(&["rev-parse", "main"]);
    let refused = world
        .run(&["undo", "one"])
        .refuses(3, "the work would be on no branch");
    assert_eq!(world.repository.git(&["rev-parse", "main"]), tip);
    let (_, command) = refused
        .stderr
        .split_once("make the branch again first: git ")
        .unwrap();
    let words: Vec<&str> = command.split_whitespace().take(3).collect();
    world.repository.git(&words);
    world.run(&["undo", "one"]).ok();
    assert_ne!(world.repository.git(&["rev-parse", "main"]), tip);
    assert_eq!(world.repository.git(&["rev-parse", &made.branch]), tip);
}

#[test]
fn a_refused_restore_is_no_cut_off_one() {
    let world = World::new();
    let made = world.session("one");
    world.run(&["cleanup", "one"]).ok();
    world.tree(&made).write("in-the-way.txt", "mine\n");
    for words in [["undo", "one"], ["restore", "one"]] {
        match words[0] {
            "restore" => world.orchestra(&["trash", "restore", "one"]),
            _ => world.run(&words),
        }
        .refuses(3, "exists already");
    }
    let list = world.json(&["operations", "one"]);
    let rows = list["operations"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["state"] != "unknown"), "{list}");
    std::fs::remove_dir_all(&made.worktree).unwrap();
    world.run(&["undo", "one"]).ok();
}

#[test]
fn the_remote_is_asked_before_a_merge_is_taken_back() {
    let world = World::new();
    add_remote(&world);
    let made = with_commit(&world, "one", "one.txt", "one\n");
    merge(&world, &made, &[]);
    let shared = world.sandbox.path("shared.git");
    let shared = shared.to_str().unwrap();
    // Nothing here knows of it: the remote has no name in this push.
    world.repository.git(&["push", "--quiet", shared, "main"]);
    let seen = world.repository.git(&["rev-parse", "origin/main"]);
    let head = world.repository.head();
    assert_ne!(seen, head);
    world.run(&["undo", "one"]).refuses(3, "origin/main");
    assert_eq!(world.repository.head(), head);

    let world = World::new();
    add_remote(&world);
    let made = with_commit(&world, "one", "one.txt", "one\n");
    let before = world.repository.head();
    merge(&world, &made, &[]);
    let gone = world.sandbox.path("nowhere.git");
    let set_url = ["remote", "set-url", "origin", gone.to_str().unwrap()];
    world.repository.git(&set_url);
    world
        .run(&["undo", "one"])
        .ok()
        .says("the remote could not be asked whether it has the merge");
    assert_eq!(world.repository.head(), before);
}

/// A power cut can take the file in which the commits were kept a moment ago; the repository has them then.
#[test]
fn commits_come_back_without_what_a_power_cut_took() {
    let world = World::new();
    let made = with_two_commits(&world);
    let tree = world.tree(&made);
    let before = tree.head();
    let kept = || {
        let folder = world.sandbox.data_dir().join("snapshots").join(&made.id);
        let folders = std::fs::read_dir(folder).unwrap();
        let names = folders.map(|entry| entry.unwrap().path());
        names.max().unwrap()
    };
    for lost in ["the content", "the folder"] {
        world.run(&["squash", "one", "-m", "Both"]).ok();
        match lost {
            "the content" => std::fs::write(kept().join("objects.pack"), "").unwrap(),
            _ => std::fs::remove_dir_all(kept()).unwrap(),
        }
        world.run(&["undo", "one"]).ok();
        assert_eq!(tree.head(), before, "{lost}");
    }
    world.run(&["squash", "one", "-m", "Both"]).ok();
    let after = tree.head();
    std::fs::write(kept().join("objects.pack"), "").unwrap();
    let git = |arguments: &[&str]| world.repository.git(arguments);
    git(&["reflog", "expire", "--expire=now", "--all"]);
    git(&["prune", "--expire=now"]);
    world.run(&["undo", "one"]).ends_with(1);
    assert_eq!(
        tree.head(),
        after,
        "what is lost altogether is not asked for"
    );
    world.repository.fsck();
}

/// What came before it would be taken back beside a worktree that nobody can bring back.
#[test]
fn a_cleanup_that_was_deleted_for_good_is_not_passed_over() {
    let world = World::new();
    let made = with_commit(&world, "one", "one.txt", "one\n");
    merge(&world, &made, &[]);
    let main = world.repository.head();
    world.run(&["cleanup", "one"]).ok();
    world.orchestra(&["trash", "empty", "--yes"]).ok();
    world
        .run(&["undo", "one"])
        .refuses(3, "deleted for good")
        .says(&format!("git revert {}", &main[..7]));
    assert_eq!(world.repository.head(), main);
}

#[test]
fn a_branch_that_was_made_anew_since_its_cleanup_stays() {
    let world = World::new();
    let made = with_commit(&world, "one", "one.txt", "one\n");
    let head = world.tree(&made).head();
    let words = ["cleanup", "one", "--even-unlanded", "--delete-branch"];
    world.run(&words).ok();
    world.repository.git(&["branch", &made.branch, "main"]);
    world
        .run(&["undo", "one"])
        .refuses(3, "somebody made another one")
        .says(&head);
    assert!(!made.worktree.exists());
    let other = ["branch", "-m", &made.branch, "another"];
    world.repository.git(&other);
    world.run(&["undo", "one"]).ok().says("is there again");
    assert_eq!(world.tree(&made).head(), head);
}
