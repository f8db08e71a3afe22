//! `cleanup`: what it asks for first, what it does, and that all of it comes back.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use orchestra_testkit::TestRepository;

use super::work::{merge, with_commit};
use crate::made::Made;
use crate::world::World;

/// A session that has worked: one commit on its branch.
fn worked(world: &World, name: &str) -> (Made, TestRepository) {
    let made = world.session(name);
    let tree = world.tree(&made);
    tree.write("work.txt", "work\n");
    world.run(&["commit", name, "-m", "Work"]).ok();
    (made, tree)
}

/// Every file of a directory with its content, mode and links, and what git says about it.
fn everything(directory: &Path, tree: &TestRepository) -> Vec<String> {
    let mut found = vec![
        tree.git(&["status", "--porcelain=v2", "--branch", "--ignored"]),
        tree.git(&["ls-files", "--stage"]),
        tree.git(&["rev-parse", "HEAD"]),
    ];
    collect(directory, &mut found);
    found
}

fn collect(directory: &Path, found: &mut Vec<String>) {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let metadata = path.symlink_metadata().unwrap();
        if metadata.is_dir() {
            collect(&path, found);
            continue;
        }
        let content = match metadata.is_symlink() {
            true => format!("{:?}", std::fs::read_link(&path).unwrap()),
            false => format!("{:?}", std::fs::read(&path).unwrap()),
        };
        let mode = metadata.permissions().mode();
        found.push(format!("{} {mode:o} {content}", path.display()));
    }
}

#[test]
fn a_landed_session_goes_into_the_trash_and_comes_back_byte_for_byte() {
    let world = World::new();
    let (made, tree) = worked(&world, "one");
    world.repository.git(&["merge", "--quiet", &made.branch]);
    tree.write(".git-ignored", "secret\n");
    tree.git(&["config", "core.excludesFile", "/dev/null"]);
    std::fs::write(made.worktree.join("tool.sh"), "#!/bin/sh\n").unwrap();
    let runs = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(made.worktree.join("tool.sh"), runs).unwrap();
    std::os::unix::fs::symlink("nowhere", made.worktree.join("link")).unwrap();
    tree.write("README.md", "staged\n");
    tree.git(&["add", "README.md"]);
    tree.write("README.md", "on disk\n");
    let before = everything(&made.worktree, &tree);

    let foretold = world.run(&["cleanup", "one", "--even-dirty", "--dry-run"]);
    foretold.ok().says("would be cleaned up").says("stays");
    assert_eq!(
        everything(&made.worktree, &tree),
        before,
        "nothing was done"
    );
    let answer = world.json(&["cleanup", "one", "--even-dirty"]);
    assert_eq!(answer["session"]["in_trash"], true);
    assert_eq!(answer["uncommitted"], 4);
    assert_eq!(answer["overridden"][0], "dirty");
    assert_eq!(answer["branch_deleted"], false);
    assert!(!made.worktree.exists());
    assert!(world.repository.has_branch(&made.branch));
    let listed = world.repository.git(&["worktree", "list"]);
    assert_eq!(listed.lines().count(), 1, "{listed}");

    let list = world.json(&["list"]);
    assert_eq!(list["sessions"].as_array().unwrap().len(), 0);
    world.run(&["list", "--all"]).ok().says("(in the trash)");
    world.run(&["status", "one"]).ok().says("in the trash");
    for command in [
        &["iterate", "one"][..],
        &["diff", "one"],
        &["commit", "one", "-m", "x"],
        &["open", "one"],
    ] {
        world
            .run(command)
            .refuses(3, "is in the trash")
            .says("trash restore");
    }
    for words in [&["cleanup", "one"][..], &["cleanup", "one", "--dry-run"]] {
        world.run(words).ok().says("cleaned up already");
    }
    let again = world.json(&["cleanup", "one"]);
    assert_eq!(
        (&again["trash"], &again["landed"]),
        (&answer["trash"], &answer["landed"])
    );
    world.orchestra(&["doctor", "--fix"]).ok();

    world.run(&["undo", "one"]).ok();
    assert_eq!(everything(&made.worktree, &tree), before);
    world.run(&["redo", "one"]).ok();
    assert!(!made.worktree.exists());
    world.run(&["undo", "one"]).ok();
    assert_eq!(everything(&made.worktree, &tree), before);
    world.repository.fsck();
    assert_eq!(
        world.count("SELECT count(*) FROM operations WHERE state = 'open'"),
        0
    );
}

#[test]
fn everything_that_stands_in_the_way_is_told_at_once() {
    let world = World::new();
    let (_, tree) = worked(&world, "one");
    tree.write("README.md", "changed\n");
    let before = world.outside();
    for words in [&["cleanup", "one"][..], &["cleanup", "one", "--dry-run"]] {
        world
            .run(words)
            .refuses(3, "is not part of `main`")
            .says("1 path(s) have uncommitted changes: README.md")
            .says("--even-unlanded")
            .says("--even-dirty");
    }
    let refused = world.run(&["cleanup", "one", "--even-unlanded", "--json"]);
    assert_eq!(
        refused.ends_with(3).json()["error"]["code"],
        "cleanup.dirty"
    );
    let refused = world.run(&["cleanup", "one", "--even-dirty", "--json"]);
    let code = &refused.ends_with(3).json()["error"]["code"];
    assert_eq!(*code, "cleanup.unlanded");
    assert_eq!(world.outside(), before);
    assert_eq!(world.count("SELECT count(*) FROM operations"), 1);
    world.repository.git(&["branch", "other"]);
    world
        .run(&["cleanup", "one", "--even-unlanded", "--even-dirty"])
        .ok()
        .says("no, it is not part of main");
}

#[test]
fn a_squash_merge_counts_as_landed_here_and_upstream() {
    let world = World::new();
    let (one, _) = worked(&world, "one");
    let (two, tree) = worked(&world, "two");
    tree.write("more.txt", "more\n");
    world.run(&["commit", "two", "-m", "More"]).ok();
    world
        .repository
        .git(&["merge", "--quiet", "--squash", &one.branch]);
    world
        .repository
        .git(&["commit", "--quiet", "-m", "One, squashed"]);
    world.repository.write("later.txt", "later\n");
    world.repository.commit("Later");
    world
        .run(&["cleanup", "one"])
        .ok()
        .says("would change nothing");
    world.run(&["cleanup", "two"]).refuses(3, "is not part of");

    let upstream = world.sandbox.path("upstream.git");
    let upstream = upstream.to_str().unwrap();
    let git = |words: &[&str]| world.repository.git(words);
    git(&["switch", "--quiet", "-c", "merged", "main"]);
    git(&["merge", "--quiet", "--squash", &two.branch]);
    git(&["commit", "--quiet", "-m", "Two, squashed"]);
    git(&["clone", "--quiet", "--bare", ".", upstream]);
    git(&["remote", "add", "origin", upstream]);
    git(&["push", "--quiet", "origin", "merged:main"]);
    git(&["switch", "--quiet", "main"]);
    git(&["fetch", "--quiet", "origin"]);
    git(&["branch", "--quiet", "-D", "merged"]);
    let answer = world.json(&["cleanup", "two"]);
    let landed = answer["landed"].as_str().unwrap();
    assert!(landed.contains("origin/main"), "{landed}");
}

#[test]
fn a_branch_is_deleted_only_on_request_and_comes_back_too() {
    let world = World::new();
    let (made, tree) = worked(&world, "one");
    let head = tree.head();
    let words = ["cleanup", "one", "--delete-branch", "--even-unlanded"];
    world.run(&words).ok().says("deleted, at ");
    assert!(!world.repository.has_branch(&made.branch));
    world
        .repository
        .git(&["reflog", "expire", "--expire=now", "--all"]);
    world.repository.git(&["gc", "--quiet", "--prune=now"]);
    world.run(&["undo", "one"]).ok();
    assert_eq!(world.repository.branch_sha(&made.branch), head);
    assert_eq!(tree.read("work.txt"), "work\n");
    world.repository.fsck();

    world.run(&["redo", "one"]).ok();
    assert!(!world.repository.has_branch(&made.branch));
    world.run(&["undo", "one"]).ok();
    let other = world.sandbox.path("other");
    let other = other.to_str().unwrap();
    tree.git(&["switch", "--quiet", "--detach"]);
    world
        .repository
        .git(&["worktree", "add", "--quiet", other, &made.branch]);
    world
        .run(&words)
        .refuses(3, "is also checked out in")
        .says("leave out --delete-branch");
}

#[test]
fn the_branch_of_a_worktree_in_the_trash_can_follow_it() {
    let world = World::new();
    let (made, tree) = worked(&world, "one");
    let head = tree.head();
    let before = everything(&made.worktree, &tree);
    world.run(&["cleanup", "one", "--even-unlanded"]).ok();
    let delete = ["cleanup", "one", "--delete-branch"];
    world.run(&delete).refuses(3, "is not part of `main`");
    let delete = [&delete[..], &["--even-unlanded"]].concat();
    world
        .run(&[&delete[..], &["--dry-run"]].concat())
        .ok()
        .says("its branch would be deleted")
        .says("would be deleted, at ")
        .says("in the trash already");
    assert!(world.repository.has_branch(&made.branch));
    let answer = world.json(&delete);
    assert_eq!(answer["branch_deleted"], true);
    assert_eq!(answer["session"]["in_trash"], true);
    assert!(!world.repository.has_branch(&made.branch));
    world.run(&delete).ok().says("cleaned up already");
    let git = |words: &[&str]| world.repository.git(words);
    git(&["reflog", "expire", "--expire=now", "--all"]);
    git(&["gc", "--quiet", "--prune=now"]);

    world.run(&["undo", "one"]).ok().says("is there again");
    assert_eq!(world.repository.branch_sha(&made.branch), head);
    assert!(!made.worktree.exists());
    world.run(&["redo", "one"]).ok();
    assert!(!world.repository.has_branch(&made.branch));
    world.orchestra(&["trash", "restore", "one"]).ok();
    assert_eq!(world.repository.branch_sha(&made.branch), head);
    assert_eq!(everything(&made.worktree, &tree), before);
    world.repository.fsck();

    world.run(&["redo", "one"]).ok();
    world.run(&["redo", "one"]).ok();
    assert!(!world.repository.has_branch(&made.branch));
    world.orchestra(&["trash", "empty", "--yes"]).ok();
    world.run(&delete).refuses(3, "was deleted for good");
}

#[test]
fn commits_without_a_branch_count_and_come_back() {
    let world = World::new();
    let (made, tree) = worked(&world, "one");
    world.repository.git(&["merge", "--quiet", &made.branch]);
    tree.git(&["switch", "--quiet", "--detach"]);
    tree.write("loose.txt", "loose\n");
    tree.git(&["add", "loose.txt"]);
    let loose = tree.commit("Loose");
    world
        .run(&["cleanup", "one"])
        .refuses(3, "which is checked out there, is not part of");
    let words = ["cleanup", "one", "--even-unlanded", "--delete-branch"];
    world.run(&words).ok();
    world
        .repository
        .git(&["reflog", "expire", "--expire=now", "--all"]);
    world.repository.git(&["gc", "--quiet", "--prune=now"]);
    world.run(&["undo", "one"]).ok();
    assert_eq!(tree.head(), loose);
    assert!(world.repository.has_branch(&made.branch));
    world.repository.fsck();
}

#[test]
fn a_rebase_in_the_middle_is_kept_as_it_is() {
    let world = World::new();
    let (made, tree) = worked(&world, "one");
    world.repository.write("work.txt", "other work\n");
    world.repository.git(&["add", "work.txt"]);
    world.repository.commit("Other work");
    assert!(!tree.try_git(&["rebase", "main"]).status.success());
    let before = everything(&made.worktree, &tree);
    world
        .run(&["cleanup", "one", "--even-unlanded"])
        .refuses(3, "rebase is in progress");
    world
        .run(&["cleanup", "one", "--even-unlanded", "--even-dirty"])
        .ok();
    world.run(&["undo", "one"]).ok();
    assert_eq!(everything(&made.worktree, &tree), before);
    tree.git(&["rebase", "--abort"]);
}

#[test]
fn whoever_uses_the_directory_is_named() {
    let world = World::new();
    let made = world.session("one");
    let mut user = world
        .sandbox
        .command(Path::new("/bin/sleep"))
        .arg("60")
        .current_dir(&made.worktree)
        .spawn()
        .unwrap();
    world.run(&["cleanup", "one"]).refuses(
        3,
        &format!("process {} (/bin/sleep 60, works there)", user.id()),
    );
    user.kill().unwrap();
    user.wait().unwrap();
    world.run(&["cleanup", "one"]).ok();
}

#[test]
fn what_runs_is_stopped_first_only_on_request() {
    let world = World::with_scenario("[[step]]\ndo = 'hang'\n");
    let made = world.session("one");
    world.run(&["iterate", "one", "--detach"]).ok();
    world.wait_for_progress(&made, 1, "agent");
    world.run(&["cleanup", "one"]).refuses(3, "is running");
    world
        .run(&["cleanup", "one", "--dry-run"])
        .refuses(3, "is running")
        .says("--stop");
    world
        .run(&["cleanup", "one", "--stop"])
        .ok()
        .says("was stopped");
    assert!(!made.worktree.exists());
    world.wait_until_quiet();
}

#[test]
fn a_worktree_that_is_not_where_it_was_is_told_apart() {
    let world = World::new();
    let (gone, forgotten, moved) = (
        world.session("gone"),
        world.session("forgotten"),
        world.session("moved"),
    );
    std::fs::remove_dir_all(&gone.worktree).unwrap();
    world
        .run(&["cleanup", "gone"])
        .ok()
        .says("its directory is gone");
    let listed = world.repository.git(&["worktree", "list", "--porcelain"]);
    assert!(!listed.contains("prunable"), "{listed}");
    world.run(&["undo", "gone"]).ok();

    let path = forgotten.worktree.to_str().unwrap();
    world.repository.git(&["worktree", "remove", path]);
    world
        .run(&["cleanup", "forgotten"])
        .refuses(3, "git has forgotten it")
        .says("archive");

    let elsewhere = world.sandbox.path("elsewhere");
    let path = moved.worktree.to_str().unwrap();
    let there = elsewhere.to_str().unwrap();
    world.repository.git(&["worktree", "move", path, there]);
    world
        .run(&["cleanup", "moved"])
        .refuses(3, "was moved to")
        .says("git worktree move");
    world.repository.git(&["worktree", "move", there, path]);
    world.run(&["cleanup", "moved"]).ok();
}

#[test]
fn a_session_is_cleaned_up_as_soon_as_it_landed_if_that_is_wanted() {
    let world = World::new();
    let automatic = ["--set-config", "git.auto_cleanup_worktrees=true"];
    let one = with_commit(&world, "one", "one.txt", "one\n");
    let answer = merge(&world, &one, &automatic);
    assert_eq!(answer["session"]["in_trash"], true);
    assert!(!one.worktree.exists());
    world.run(&["undo", "one"]).ok().says("undone: cleanup");
    assert!(one.worktree.exists());
    world.run(&["undo", "one"]).ok().says("undone: merge");
    assert!(!world.repository.path("one.txt").exists());

    let two = with_commit(&world, "two", "two.txt", "two\n");
    world.run(&["approve", "two"]).ok();
    world.tree(&two).write("loose.txt", "loose\n");
    let words = [&["merge", "two", "--override", "clean"][..], &automatic].concat();
    world
        .run(&words)
        .ok()
        .says("it has landed, but its worktree was not cleaned up:");
    assert_eq!(world.tree(&two).read("loose.txt"), "loose\n");

    let three = with_commit(&world, "three", "three.txt", "three\n");
    world.run(&["approve", "three"]).ok();
    let words = [&["land", "three"][..], &automatic].concat();
    world.run(&words).ok().says("is in the trash");
    assert!(!three.worktree.exists());
}

#[test]
fn what_came_since_keeps_a_cleanup_from_being_done_again() {
    let world = World::new();
    let (made, tree) = worked(&world, "one");
    world.repository.git(&["merge", "--quiet", &made.branch]);
    world.run(&["cleanup", "one", "--delete-branch"]).ok();
    world.run(&["undo", "one"]).ok();
    tree.write("since.txt", "since\n");
    world.run(&["redo", "one"]).refuses(3, "since.txt");
    assert_eq!(tree.read("since.txt"), "since\n");
    tree.commit("Since");
    world.run(&["redo", "one"]).refuses(3, "is not part of");
    world.repository.git(&["merge", "--quiet", &made.branch]);
    world.run(&["redo", "one"]).ok();
    assert!(!made.worktree.exists());
    assert!(!world.repository.has_branch(&made.branch));
    world.run(&["undo", "one"]).ok();
    assert_eq!(tree.git(&["log", "-1", "--format=%s"]), "Since");
}

#[test]
fn a_branch_that_was_deleted_by_hand_comes_back_with_the_worktree() {
    let world = World::new();
    let (made, tree) = worked(&world, "one");
    let head = tree.head();
    let full_name = format!("refs/heads/{}", made.branch);
    world.repository.git(&["update-ref", "-d", &full_name]);
    world
        .run(&["cleanup", "one"])
        .refuses(3, "is gone, so it cannot be told")
        .says(&format!("branch {} {head}", made.branch));
    world.run(&["cleanup", "one", "--even-unlanded"]).ok();
    let git = |words: &[&str]| world.repository.git(words);
    git(&["reflog", "expire", "--expire=now", "--all"]);
    git(&["gc", "--quiet", "--prune=now"]);
    world.run(&["undo", "one"]).ok();
    assert_eq!(world.repository.branch_sha(&made.branch), head);
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
    world.repository.fsck();
}

#[test]
fn a_branch_that_was_renamed_is_found_first() {
    let world = World::new();
    let (made, tree) = worked(&world, "one");
    tree.git(&["branch", "-m", "fix/renamed"]);
    world
        .run(&["cleanup", "one"])
        .refuses(3, "is called `fix/renamed` now")
        .says(&format!(
            "orchestra session set {} branch fix/renamed",
            made.id
        ));
}

#[test]
fn what_waits_at_a_conflict_is_told_its_own_way_out() {
    let it = super::stopped::Stopped::new();
    let before = it.state();
    let refused = it
        .run(&["cleanup", "one", "--even-unlanded"])
        .refuses(3, "its rebase waits at a conflict")
        .says(&format!("session rebase {} --continue", it.made.id));
    let hint = &refused.stderr;
    assert!(
        !hint.contains("git rebase") && !hint.contains("session commit"),
        "{hint}"
    );
    let words = ["cleanup", "one", "--even-unlanded", "--even-dirty"];
    it.run(&words).ok();
    it.run(&["undo", "one"]).ok();
    assert_eq!(it.state(), before);
}

/// What landed is in the base, wherever its branch went.
#[test]
fn a_branch_that_is_deleted_already_has_landed_still() {
    let world = World::new();
    let made = with_commit(&world, "one", "one.txt", "one\n");
    merge(&world, &made, &[]);
    world.run(&["cleanup", "one", "--delete-branch"]).ok();
    let plan = world.json(&["cleanup", "one", "--dry-run"]);
    assert_eq!(plan["landed"], "main is at the same commit", "{plan}");
    world
        .run(&["cleanup", "one", "--delete-branch"])
        .ok()
        .says("landed    main is at the same commit");
}
