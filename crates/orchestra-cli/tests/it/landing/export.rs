//! `export`: a patch that `git am` takes.

use std::os::unix::fs::{PermissionsExt, symlink};

use crate::world::World;

#[test]
fn a_clone_takes_everything_that_a_session_did() {
    let world = World::new();
    world.repository.write("old name.txt", &"line\n".repeat(40));
    world.repository.write("gone", "x");
    world.repository.commit("base");
    let made = world.session("one");
    let tree = world.tree(&made);
    std::fs::write(tree.path("binary"), b"\0\x01\xff".repeat(500)).unwrap();
    tree.write("\u{e4}\u{f6} \u{1f980}.txt", "unicode\n");
    tree.commit("amp: binary and names");
    tree.git(&["mv", "old name.txt", "new name.txt"]);
    std::fs::remove_file(tree.path("gone")).unwrap();
    tree.write("run.sh", "#!/bin/sh\n");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(tree.path("run.sh"), executable).unwrap();
    symlink("run.sh", tree.path("link")).unwrap();
    tree.write("no end", "no line end");
    tree.commit("the rest");
    tree.write("uncommitted", "x");
    world.repository.write("main.txt", "main");
    world.repository.commit("main moves");
    let (refs, head) = (tree.git(&["for-each-ref"]), tree.head());

    let patch = world.sandbox.path("one.patch");
    let words = ["export", "one", "--patch", patch.to_str().unwrap()];
    let answer = world.json(&words);
    assert_eq!(answer["commits"], 2);
    assert_eq!(answer["leaves_out_changes"], true);
    assert_eq!((tree.git(&["for-each-ref"]), tree.head()), (refs, head));
    world.run(&words).refuses(3, "exists already");
    let printed = world.run(&["export", "one"]).ok().says("not part of it");
    assert!(printed.stdout.starts_with("From "));

    let clone = world.sandbox.path("clone");
    let fork = tree.git(&["merge-base", "main", "HEAD"]);
    world
        .repository
        .git(&["clone", "--quiet", ".", clone.to_str().unwrap()]);
    let clone = world.repository.at(&clone);
    clone.git(&["reset", "--quiet", "--hard", &fork]);
    clone.git(&["am", "--quiet", patch.to_str().unwrap()]);
    assert_eq!(
        clone.git(&["rev-parse", "HEAD^{tree}"]),
        tree.git(&["rev-parse", "HEAD^{tree}"])
    );
    assert_eq!(
        clone.git(&["log", "-1", "--format=%B"]),
        "one\n\n- amp: binary and names\n- the rest"
    );
}

#[test]
fn one_commit_keeps_its_author_and_a_message_can_be_given() {
    let world = World::new();
    let made = world.session_with("one", &["--issue", "7"]);
    let tree = world.tree(&made);
    world
        .run(&["export", "one"])
        .refuses(3, "has no commits that `main` has not");
    let patch = world.sandbox.path("none.patch");
    let to_file = ["export", "one", "--patch", patch.to_str().unwrap()];
    world.run(&to_file).ends_with(3);
    assert!(!patch.exists(), "nothing is left that looks like a patch");
    tree.write("a", "a");
    tree.git(&["add", "a"]);
    tree.git(&[
        "commit",
        "--quiet",
        "--author",
        "Ann <a@x.y>",
        "-m",
        "Add a\n\nWhy.",
    ]);
    let printed = world.run(&["export", "one"]).ok().stdout;
    assert!(
        printed.contains("From: Ann <a@x.y>") && printed.contains("Why."),
        "{printed}"
    );
    let printed = world.run(&["export", "one", "-m", "Another"]).ok().stdout;
    assert!(printed.contains("Subject: [PATCH] Another"), "{printed}");
    assert!(
        printed.contains("Issue: 7") && printed.contains("Co-authored-by: Ann"),
        "{printed}"
    );
    world
        .run(&["export", "one", "--json"])
        .ends_with(2)
        .says("--patch");
}

/// A session with one commit, and what `git am` makes of its patch: the message, and whether the files are the same.
fn mailed(world: &World, name: &str, message: &str) -> (String, bool) {
    let made = world.session(name);
    let tree = world.tree(&made);
    tree.write("windows.txt", "one\r\nTWO = 2  \r\n");
    tree.write(&format!("{name}.txt"), "new\r\n\r\nFrom here\n");
    tree.commit(message);
    let patch = world.sandbox.path(&format!("{name}.patch"));
    let words = ["export", name, "--patch", patch.to_str().unwrap()];
    world.run(&words).ok();
    let clone = world.sandbox.path(&format!("{name}-clone"));
    world
        .repository
        .git(&["clone", "--quiet", ".", clone.to_str().unwrap()]);
    let clone = world.repository.at(&clone);
    clone.git(&["am", "--quiet", patch.to_str().unwrap()]);
    let files = ["rev-parse", "HEAD^{tree}"];
    let shown = clone.git(&["log", "-1", "--format=%an %ae%n%B"]);
    let author = tree.git(&["log", "-1", "--format=%an %ae%n"]);
    let message = shown.strip_prefix(&author).unwrap().trim().to_owned();
    (message, clone.git(&files) == tree.git(&files))
}

#[test]
fn carriage_returns_and_odd_messages_survive() {
    let world = World::new();
    world.repository.write("windows.txt", "one\r\ntwo\r\n");
    world.repository.commit("base");
    let messages = [
        ("plain", "Fix it\n\nBecause."),
        ("bracket", "[ui] fix gr\u{f6}\u{df}e\n\nBecause."),
        ("reply", "Re: the form"),
        ("author", "Fix it\n\nFrom: x <a@b.c>\n\nBecause."),
        ("first", "From: x <a@b.c>"),
        ("long", "one\ntwo\n\nthree"),
        (
            "mbox",
            "x\n\nFrom 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\ny",
        ),
    ];
    for (name, message) in messages {
        let expected = (message.to_owned(), true);
        assert_eq!(mailed(&world, name, message), expected);
    }
    let cut = "Fix it\n\nBefore:\n---\ndiff --git a/x b/x\nAfter.";
    let expected = "Fix it\n\nBefore:\n ---\n diff --git a/x b/x\nAfter.".to_owned();
    assert_eq!(mailed(&world, "cut", cut), (expected, true));
    let printed = world.run(&["export", "cut", "--patch", "-"]).ok();
    assert!(printed.stdout.starts_with("From "), "{printed:?}");
    printed.says("2 line(s) of the message begin with a space");
}
