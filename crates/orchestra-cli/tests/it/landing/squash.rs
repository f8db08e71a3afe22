//! `squash`.

use super::work::with_two_commits;
use crate::world::World;

#[test]
fn one_commit_takes_the_place_of_all_and_files_stay() {
    let world = World::new();
    let made = world.session_with("one", &["--issue", "42"]);
    let tree = world.tree(&made);
    for name in ["a", "b"] {
        tree.write(name, name);
        tree.git(&["add", name]);
        let author = format!("{name} <{name}@example.com>");
        tree.git(&["commit", "--quiet", "--author", &author, "-m", name]);
    }
    tree.write("a", "changed since");
    tree.git(&["add", "a"]);
    tree.write("a", "and again");
    tree.write("new", "untracked");
    let state = || tree.git(&["status", "--porcelain=v2"]);
    let (before, head) = (state(), tree.head());
    world.repository.write("main.txt", "main");
    world.repository.commit("main moves");

    let answer = world.json(&["squash", "one", "--message", "Add a and b"]);
    assert_eq!(answer["squashed"], 2);
    assert_eq!(answer["head"], tree.head());
    assert_eq!(answer["session"]["ahead"], 1);
    assert_eq!(state(), before, "the index and the files are as they were");
    assert_eq!(
        tree.git(&["log", "-1", "--format=%B"]),
        "Add a and b\n\nIssue: 42\nCo-authored-by: a <a@example.com>\nCo-authored-by: b <b@example.com>"
    );
    assert_eq!(
        tree.git(&["rev-parse", "HEAD^{tree}"]),
        tree.git(&["rev-parse", &format!("{head}^{{tree}}")])
    );

    world.run(&["undo", "one"]).ok();
    assert_eq!((tree.head(), state()), (head, before.clone()));
    world.run(&["redo", "one"]).ok();
    assert_eq!(answer["head"], tree.head());
    assert_eq!(state(), before);
    world.repository.fsck();
}

#[test]
fn commits_of_a_person_are_kept_on_request() {
    let world = World::new();
    let made = world.session("one");
    let tree = world.tree(&made);
    for subject in ["amp: one", "amp: two", "By hand", "amp: three", "amp: four"] {
        tree.write("file", subject);
        tree.commit(subject);
    }
    let files = tree.git(&["rev-parse", "HEAD^{tree}"]);
    world
        .run(&["squash", "one", "-m", "Work", "--keep-manual"])
        .ok()
        .says("4 commit(s) of the agent became 2")
        .says("others stay");
    assert_eq!(
        tree.git(&["log", "--format=%s", "main..HEAD"]),
        "Work (2/2)\nBy hand\nWork (1/2)"
    );
    assert_eq!(tree.git(&["rev-parse", "HEAD^{tree}"]), files);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let world = World::new();
    let made = world.session("one");
    let tree = world.tree(&made);
    let squash = |words: &[&str]| world.run(&[&["squash", "one", "-m"], words].concat());
    squash(&["x"]).refuses(3, "has no commits that `main` has not");
    squash(&[" "]).refuses(2, "the commit message is empty");
    tree.write("a", "a");
    tree.commit("By hand");
    squash(&["x", "--keep-manual"]).refuses(3, "nothing to squash");
    squash(&["By hand"]).refuses(3, "is one commit with this message already");
    squash(&["Another"]).ok();
    assert_eq!(tree.git(&["log", "-1", "--format=%s"]), "Another");
    tree.git(&["switch", "--quiet", "--detach"]);
    let refused = squash(&["y"]).refuses(3, "no branch checked out");
    assert!(!refused.stderr.contains("--no-commit"), "{refused:?}");
    world
        .run(&["iterate", "one"])
        .refuses(3, "no branch checked out")
        .says("--no-commit");
    assert_eq!(world.count("SELECT count(*) FROM operations"), 1);
}

#[test]
fn whether_something_is_uncommitted_is_asked_now() {
    let world = World::new();
    let tree = world.tree(&with_two_commits(&world));
    assert_eq!(world.json(&["status", "one"])["session"]["dirty"], false);
    tree.write("new", "untracked");
    let answer = world.json(&["conflicts", "one"]);
    assert_eq!(answer["session"]["dirty"], true);
    std::fs::remove_file(tree.path("new")).unwrap();
    let answer = world.json(&["squash", "one", "--message", "Both"]);
    assert_eq!(answer["session"]["dirty"], false);
    tree.write("new", "untracked");
    world.run(&["undo", "one"]).ok();
    std::fs::remove_file(tree.path("new")).unwrap();
    let answer = world.json(&["squash", "one", "--message", "Both"]);
    assert_eq!(answer["session"]["dirty"], false);
}

#[test]
fn what_came_after_a_squash_keeps_it_from_being_undone() {
    let world = World::new();
    let tree = world.tree(&with_two_commits(&world));
    world.run(&["squash", "one", "--message", "Both"]).ok();
    tree.write("c", "c");
    let head = tree.commit("c");
    let refused = world.run(&["undo", "one"]).refuses(3, "is no longer at");
    assert!(
        !refused.stderr.contains("commit again"),
        "{}",
        refused.stderr
    );
    assert_eq!(tree.head(), head);
}
