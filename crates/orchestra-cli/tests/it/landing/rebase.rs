//! `rebase`, and going on after a conflict, with us or with git.

use super::stopped::Stopped;
use super::work::{base_moves, merge, with_commit};
use crate::world::World;

#[test]
fn commits_that_fit_are_put_onto_the_base_with_the_files() {
    let world = World::new();
    let made = world.session("one");
    let tree = world.tree(&made);
    tree.write("a", "a");
    tree.commit("Add a");
    tree.write("both", "same\n");
    tree.commit("Add the same");
    let head = tree.head();
    world.repository.write("main.txt", "main");
    world.repository.write("both", "same\n");
    let main = world.repository.commit("main moves");
    tree.write("a", "uncommitted");
    tree.write("new", "untracked");

    let answer = world.json(&["rebase", "one"]);
    assert_eq!(answer["state"], "finished");
    assert_eq!(answer["onto"], "main");
    assert_eq!(answer["dropped"][0]["subject"], "Add the same");
    assert_eq!(answer["session"]["base_commit"], main);
    assert_eq!(answer["session"]["behind"], 0);
    assert_eq!(tree.git(&["log", "--format=%s", "main..HEAD"]), "Add a");
    assert_eq!(tree.read("main.txt"), "main");
    assert_eq!(tree.read("a"), "uncommitted");
    assert_eq!(tree.git(&["status", "--porcelain"]), " M a\n?? new");

    world.run(&["rebase", "one"]).ok().says("already");
    world.run(&["undo", "one"]).ok();
    assert_eq!(tree.head(), head);
    assert!(!made.worktree.join("main.txt").exists());
    assert_eq!(tree.read("a"), "uncommitted");
    let session = &world.json(&["status", "one"])["session"];
    assert_ne!(session["base_commit"], main, "the earlier base is back");
    world.run(&["redo", "one"]).ok();
    assert_eq!(tree.read("main.txt"), "main");
    world.repository.fsck();
}

#[test]
fn changes_in_the_way_are_named() {
    let world = World::new();
    let made = world.session("one");
    let tree = world.tree(&made);
    tree.write("a", "a");
    tree.commit("Add a");
    world.repository.write("README.md", "main");
    world.repository.write("new", "main");
    world.repository.commit("main moves");
    let head = tree.head();
    tree.write("README.md", "mine");
    world.run(&["rebase", "one"]).refuses(3, "`README.md`");
    tree.git(&["checkout", "--quiet", "README.md"]);
    tree.write("new", "mine");
    world.run(&["rebase", "one"]).refuses(3, "`new`");
    assert_eq!((tree.head(), tree.read("new")), (head, "mine".to_owned()));
    assert_eq!(world.count("SELECT count(*) FROM operations"), 0);
}

#[test]
fn another_branch_becomes_the_base() {
    let world = World::new();
    world.repository.git(&["branch", "develop"]);
    let made = world.session("one");
    let tree = world.tree(&made);
    tree.write("a", "a");
    tree.commit("Add a");
    world.repository.git(&["switch", "--quiet", "develop"]);
    world.repository.write("develop.txt", "x");
    world.repository.commit("develop moves");
    let answer = world.json(&["rebase", "one", "--onto", "develop"]);
    assert_eq!(answer["session"]["base_branch"], "develop");
    assert_eq!(tree.read("develop.txt"), "x");
    world
        .run(&["rebase", "one", "--onto", &made.branch])
        .refuses(2, "own branch");
    world
        .run(&["rebase", "one", "--onto", "nothing"])
        .ends_with(3)
        .says("nothing");
    world
        .run(&["rebase", "one", "--onto", "main", "--abort"])
        .ends_with(2);
    world.run(&["undo", "one"]).ok();
    let session = &world.json(&["status", "one"])["session"];
    assert_eq!(session["base_branch"], "main");
}

#[test]
fn the_remote_is_taken_if_the_local_base_is_behind() {
    let world = World::new();
    let made = world.session("one");
    let tree = world.tree(&made);
    tree.write("a", "a");
    tree.commit("Add a");
    let remote = world.sandbox.path("remote.git");
    let remote = remote.to_str().unwrap();
    world
        .repository
        .git(&["clone", "--quiet", "--bare", ".", remote]);
    world.repository.git(&["remote", "add", "origin", remote]);
    world
        .repository
        .git(&["push", "--quiet", "-u", "origin", "main"]);
    world.repository.write("newer", "x");
    let newer = world.repository.commit("newer");
    world.repository.git(&["push", "--quiet", "origin", "main"]);
    world
        .repository
        .git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    let answer = world.json(&["rebase", "one"]);
    assert_eq!(answer["onto"], "origin/main");
    assert_eq!(answer["session"]["base_commit"], newer);
    assert_eq!(answer["session"]["base_remote"], "origin");
    assert!(answer["base_note"].is_string(), "{answer}");
}

#[test]
fn a_conflict_is_a_rebase_of_git_that_waits() {
    let it = Stopped::before(World::new());
    it.tree.write("a.txt", "uncommitted");
    it.run(&["rebase", "one"])
        .refuses(3, "uncommitted changes: `a.txt`");
    it.tree.git(&["checkout", "--quiet", "a.txt"]);
    it.tree.write("untracked", "mine");
    let answer = it.run(&["rebase", "one", "--json"]).ends_with(7).json();
    assert_eq!(answer["state"], "conflicted");
    assert_eq!(answer["conflicts"][0]["path"], "a.txt");
    assert_eq!(answer["conflicts"][0]["kind"], "both_modified");
    assert_eq!(answer["session"]["status"], "conflicted");
    assert_eq!(answer["session"]["needs_me"], true);
    assert_eq!(answer["session"]["other_checkout"], serde_json::Value::Null);
    assert!(
        it.tree
            .git(&["status"])
            .contains("interactive rebase in progress")
    );
    assert_eq!(it.tree.read("untracked"), "mine");
    it.run(&["list"]).ok().says("conflicted");
    for words in [
        &["rebase", "one"][..],
        &["squash", "one", "-m", "x"],
        &["commit", "one", "-m", "x"],
    ] {
        it.run(words).refuses(3, "waits at a conflict");
    }
    it.run(&["rebase", "one", "--continue"])
        .refuses(3, "conflicts are not resolved: `a.txt`");
}

#[test]
fn continue_and_skip_go_on_and_undo_brings_each_conflict_back() {
    let it = Stopped::new();
    it.tree.write("a.txt", "one\nboth\nthree\n");
    it.tree.git(&["add", "a.txt"]);
    let resolved = it.state();
    it.run(&["rebase", "one", "--continue"])
        .ends_with(7)
        .says("change b")
        .says("b.txt");
    let second = it.state();
    let answer = it.run(&["rebase", "one", "--skip", "--json"]).ok().json();
    assert_eq!(answer["state"], "finished");
    assert_eq!(answer["session"]["status"], "idle");
    assert_eq!(answer["session"]["base_commit"], it.world.repository.head());
    assert_eq!(it.subjects(), ["amp: add c", "amp: change a"]);
    assert_eq!(it.tree.read("a.txt"), "one\nboth\nthree\n");

    it.run(&["undo", "one"]).ok();
    assert_eq!((it.state(), it.status()), (second, "conflicted".to_owned()));
    it.run(&["undo", "one"]).ok();
    assert_eq!(it.state(), resolved);
    it.run(&["rebase", "one", "--abort"]).ok().says("given up");
    assert_eq!(it.status(), "idle");
    assert_eq!(it.subjects(), ["amp: add c", "change b", "amp: change a"]);
    assert_eq!(it.tree.git(&["status", "--porcelain"]), "");
    it.run(&["undo", "one"]).ok();
    assert_eq!(
        (it.state(), it.status()),
        (resolved, "conflicted".to_owned())
    );
    it.tree.git(&["checkout", "--merge", "a.txt"]);
    it.run(&["rebase", "one", "--skip"]).ends_with(7);
    it.run(&["rebase", "one", "--skip"]).ok();
    assert_eq!(it.subjects(), ["amp: add c"]);
    it.world.repository.fsck();
}

#[test]
fn the_beginning_of_a_rebase_is_undone_and_done_again() {
    let it = Stopped::before(World::new());
    let before = it.state();
    it.run(&["rebase", "one"]).ends_with(7);
    let stopped = it.state();
    it.run(&["undo", "one"]).ok();
    assert_eq!((it.state(), it.status()), (before, "idle".to_owned()));
    it.run(&["redo", "one"]).ok();
    assert_eq!(
        (it.state(), it.status()),
        (stopped, "conflicted".to_owned())
    );
    it.run(&["rebase", "one", "--abort"]).ok();
}

#[test]
fn what_is_done_with_git_is_noticed() {
    let it = Stopped::new();
    it.tree.write("a.txt", "one\nby git\nthree\n");
    it.tree.git(&["add", "a.txt"]);
    it.tree
        .try_git(&["-c", "core.editor=true", "rebase", "--continue"]);
    let answer = it.world.json(&["conflicts", "one"]);
    assert_eq!(answer["commit"]["subject"], "change b");
    assert_eq!(answer["conflicts"][0]["path"], "b.txt");
    it.tree.git(&["checkout", "--theirs", "b.txt"]);
    it.tree.git(&["add", "b.txt"]);
    it.tree
        .git(&["-c", "core.editor=true", "rebase", "--continue"]);
    let list = it.world.json(&["list"]);
    assert_eq!(list["sessions"][0]["status"], "idle");
    let session = &it.world.json(&["status", "one"])["session"];
    assert_eq!(session["base_commit"], it.world.repository.head());
    assert_eq!(session["behind"], 0);
    it.run(&["rebase", "one", "--continue"])
        .refuses(3, "no rebase of session");

    let it = Stopped::new();
    it.tree.git(&["rebase", "--abort"]);
    assert_eq!(it.status(), "idle");
    let session = &it.world.json(&["status", "one"])["session"];
    assert_ne!(session["base_commit"], it.world.repository.head());
    assert_eq!(it.subjects().len(), 3);
}

#[test]
fn steps_that_somebody_added_are_never_run() {
    let it = Stopped::new();
    let admin = it.tree.git(&["rev-parse", "--absolute-git-dir"]);
    let todo = std::path::Path::new(&admin).join("rebase-merge/git-rebase-todo");
    let evil = it.world.sandbox.path("evil");
    let text = std::fs::read_to_string(&todo).unwrap();
    std::fs::write(&todo, format!("exec touch {}\n{text}", evil.display())).unwrap();
    it.run(&["resolve", "one", "a.txt", "--ours"]).ok();
    for action in ["--continue", "--skip"] {
        it.run(&["rebase", "one", action])
            .refuses(3, "the steps of the rebase were changed: line 1");
    }
    assert_eq!(it.status(), "conflicted");
    it.run(&["rebase", "one", "--abort"]).ok();
    assert!(!evil.exists());
    assert_eq!(it.subjects().len(), 3);
}

/// What landed before says nothing about what waits now.
#[test]
fn a_session_that_landed_and_waits_at_a_conflict_needs_somebody() {
    let world = World::new();
    let made = with_commit(&world, "one", "README.md", "session\n");
    world
        .repository
        .git(&["switch", "--quiet", "--create", "release"]);
    base_moves(&world, "README.md", "release\n");
    world.repository.git(&["switch", "--quiet", "main"]);
    merge(&world, &made, &[]);
    world
        .run(&["rebase", "one", "--onto", "release"])
        .ends_with(7);
    let session = &world.json(&["status", "one"])["session"];
    assert_eq!(session["status"], "conflicted", "{session}");
    world.run(&["rebase", "one", "--abort"]).ok();
}

#[test]
fn giving_up_that_is_refused_leaves_nothing() {
    let it = Stopped::new();
    it.tree.git(&["rm", "--quiet", "--cached", "a.txt"]);
    it.tree.write("c.txt", "mine\n");
    let operations = it.world.json(&["operations", "one"]);
    let state = it.state();
    it.run(&["rebase", "one", "--abort"])
        .refuses(3, "`c.txt`")
        .says("move these files away");
    assert_eq!(it.state(), state);
    assert_eq!(
        it.world.json(&["operations", "one"])["operations"],
        operations["operations"]
    );
    std::fs::remove_file(it.tree.path("c.txt")).unwrap();
    it.run(&["rebase", "one", "--abort"]).ok();
    assert_eq!(it.tree.read("c.txt"), "c\n");
}

/// A session that committed through us, and is stopped at a conflict of which one file is resolved.
fn resolved_in_part() -> Stopped {
    let it = Stopped::before(World::new());
    it.tree.write("d.txt", "d\n");
    it.run(&["commit", "one", "-m", "Add d"]).ok();
    it.run(&["rebase", "one"]).ends_with(7);
    it.run(&["resolve", "one", "a.txt", "--theirs"]).ok();
    it
}

#[test]
fn a_rebase_given_up_with_git_is_taken_back() {
    let it = resolved_in_part();
    it.tree.git(&["rebase", "--abort"]);
    it.run(&["undo", "one"]).ok().says("Add d");
    let git = it.tree.git(&["status", "--porcelain"]);
    assert_eq!(git, "?? d.txt");
    it.run(&["redo", "one"]).ok();
    assert_eq!(it.subjects()[0], "Add d");
}

#[test]
fn a_rebase_finished_with_git_is_undone_as_a_whole() {
    let it = resolved_in_part();
    let before = it.tree.git(&["rev-parse", &it.made.branch]);
    let go_on = ["-c", "core.editor=true", "rebase", "--continue"];
    assert!(!it.tree.try_git(&go_on).status.success());
    it.tree.git(&["checkout", "--theirs", "b.txt"]);
    it.tree.git(&["add", "b.txt"]);
    it.tree.git(&go_on);
    let after = it.tree.head();
    it.run(&["undo", "one"]).ok();
    assert_eq!((it.tree.head(), it.status()), (before, "idle".to_owned()));
    assert_eq!(it.tree.git(&["status", "--porcelain"]), "");
    it.run(&["redo", "one"]).ok();
    assert_eq!(it.tree.head(), after);
    it.run(&["undo", "one"]).ok();
    it.run(&["undo", "one"]).ok().says("Add d");
}
